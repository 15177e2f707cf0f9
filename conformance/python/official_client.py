#!/usr/bin/env python3
"""Lists and calls the examples `weather` and `orders` with the official Python client.

Usage: official_client.py WEATHER ORDERS, each a server command in one argument, such as
"cargo run -q --example weather". Needs the package `mcp` 2.3.0. Exits with 1 if anything differs from what is
expected, after printing all that does.
"""

import json
import os
import shlex
import sys

import anyio
from mcp import Client, MCPError, StdioServerParameters

VERSION = "2026-07-28"
NO_ORDER = "No order {}. Ask the user to check the ID on their receipt."
SHIPPED = "A-1001 has already shipped and can't be canceled. Offer a return instead."


class Checks:
    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def equal(self, what: str, got: object, wanted: object) -> None:
        self.true(what, got == wanted, f"got {got!r}, wanted {wanted!r}")

    def true(self, what: str, holds: bool, detail: str = "") -> None:
        if holds:
            self.passed += 1
            print(f"  ok    {what}")
        else:
            self.failed += 1
            print(f"  FAIL  {what}: {detail}")

    def good(self, what: str, result, structured: object, text: str | None = None) -> None:
        """A result with structured content and one text block: the text given, or the same JSON."""
        self.equal(f"{what}: isError", bool(result.is_error), False)
        self.equal(f"{what}: structuredContent", result.structured_content, structured)
        texts = [block.text for block in result.content if block.type == "text"]
        if text is not None:
            self.equal(f"{what}: text", texts, [text])
        else:
            self.equal(f"{what}: text is the same JSON", [json.loads(block) for block in texts], [structured])

    def refused(self, what: str, result, *, text: str | None = None, parts: tuple[str, ...] = ()) -> None:
        """An error result without structured content."""
        self.equal(f"{what}: isError", result.is_error, True)
        self.equal(f"{what}: no structuredContent", result.structured_content, None)
        got = "\n".join(block.text for block in result.content)
        if text is not None:
            self.equal(f"{what}: text", got, text)
        for part in parts:
            self.true(f"{what}: the text has {part!r}", part in got, got)

    async def protocol_error(self, what: str, call, code: int, part: str) -> None:
        try:
            result = await call
        except MCPError as error:
            self.equal(f"{what}: code", error.code, code)
            self.true(f"{what}: the message has {part!r}", part in error.message, error.message)
        else:
            self.true(f"{what}: is a protocol error", False, f"got {result!r}")


def server(command: str) -> StdioServerParameters:
    program, *arguments = shlex.split(command)
    # The client hands on few variables by itself; cargo needs to find its toolchain and target folder again.
    return StdioServerParameters(command=program, args=arguments, env=dict(os.environ))


def hints(tool) -> list[bool | None]:
    given = tool.annotations
    return [given.read_only_hint, given.destructive_hint, given.idempotent_hint, given.open_world_hint]


async def check_weather(checks: Checks, command: str) -> None:
    print("weather")
    async with Client(server(command), read_timeout_seconds=120) as client:
        checks.equal("protocol version", client.protocol_version, VERSION)
        checks.equal("server name", client.server_info and client.server_info.name, "weather")
        tools = (await client.list_tools()).tools
        checks.equal("names", [tool.name for tool in tools], ["get_weather_data"])
        (tool,) = tools
        checks.equal("title", tool.title, "Weather Data Retriever")
        checks.equal(
            "description",
            tool.description,
            "Get current weather for a city. Returns Celsius temperature, conditions, and humidity.",
        )
        checks.equal("hints", hints(tool), [True, False, True, True])
        checks.equal(
            "input properties",
            tool.input_schema["properties"],
            {"location": {"type": "string", "description": "City name or postal code"}},
        )
        checks.equal("input required", tool.input_schema["required"], ["location"])
        checks.equal("input is closed", tool.input_schema.get("additionalProperties"), False)
        checks.equal("output required", tool.output_schema["required"], ["temperature", "conditions", "humidity"])
        checks.equal(
            "output temperature",
            tool.output_schema["properties"]["temperature"],
            {"type": "number", "description": "Celsius"},
        )

        reading = {"temperature": 18.5, "conditions": "partly cloudy", "humidity": 62.0}
        call = client.call_tool
        text = "Toronto: 18.5 °C, partly cloudy, humidity 62%"
        checks.good("Toronto", await call("get_weather_data", {"location": "Toronto"}), reading, text)
        checks.refused("no argument", await call("get_weather_data", {}), parts=("location", "missing"))
        checks.refused("a number", await call("get_weather_data", {"location": 5}), parts=("location", "string", "5"))
        extra = await call("get_weather_data", {"location": "Toronto", "units": "F"})
        checks.refused("an unknown argument", extra, parts=("units", "location"))
        await checks.protocol_error("unknown tool", call("get_whether", {}), -32602, "get_whether")


async def check_orders(checks: Checks, command: str) -> None:
    print("orders")
    async with Client(server(command), read_timeout_seconds=120) as client:
        checks.equal("protocol version", client.protocol_version, VERSION)
        tools = (await client.list_tools()).tools
        checks.equal("names", [tool.name for tool in tools], ["get_order", "cancel_order"])
        get_order, cancel_order = tools
        checks.equal("get_order: title", get_order.title, "Look up an order")
        checks.equal(
            "get_order: description",
            get_order.description,
            "Use this when the user asks where an order is. Returns its current status.",
        )
        checks.equal("get_order: hints", hints(get_order), [True, False, True, False])
        checks.equal(
            "get_order: input properties",
            get_order.input_schema["properties"],
            {"order_id": {"type": "string", "description": "Order ID, e.g. A-1001", "pattern": r"^A-\d{4}$"}},
        )
        checks.equal(
            "get_order: output",
            get_order.output_schema["properties"],
            {
                "order_id": {"type": "string"},
                "status": {"type": "string", "enum": ["processing", "shipped", "canceled"]},
            },
        )
        checks.equal("cancel_order: title", cancel_order.title, "Cancel an order")
        checks.equal(
            "cancel_order: description",
            cancel_order.description,
            "Cancel an order that has not shipped yet. Cancelling twice is a no-op.",
        )
        checks.equal("cancel_order: hints", hints(cancel_order), [False, True, True, False])

        call = client.call_tool
        order = {"order_id": "A-1001", "status": "shipped"}
        checks.good("a known order", await call("get_order", {"order_id": "A-1001"}), order)
        unknown = await call("get_order", {"order_id": "A-9999"})
        checks.refused("an unknown order", unknown, text=NO_ORDER.format("A-9999"))
        bad = await call("get_order", {"order_id": "1001"})
        checks.refused("a bad id", bad, parts=("order_id", r"^A-\d{4}$", "1001", "get_order"))
        await checks.protocol_error("unknown tool", call("refund_order", {}), -32602, "refund_order")

        canceled = {"order_id": "A-1002", "status": "canceled"}
        checks.good("cancel once", await call("cancel_order", {"order_id": "A-1002"}), canceled)
        checks.good("cancel twice", await call("cancel_order", {"order_id": "A-1002"}), canceled)
        checks.good("it stays canceled", await call("get_order", {"order_id": "A-1002"}), canceled)
        shipped = await call("cancel_order", {"order_id": "A-1001"})
        checks.refused("cancel a shipped order", shipped, text=SHIPPED)
        unknown = await call("cancel_order", {"order_id": "A-4242"})
        checks.refused("cancel an unknown order", unknown, text=NO_ORDER.format("A-4242"))
        unknown = await call("get_order", {"order_id": "A-4242"})
        checks.refused("which has not come to be", unknown, text=NO_ORDER.format("A-4242"))


async def main(weather: str, orders: str) -> int:
    checks = Checks()
    await check_weather(checks, weather)
    await check_orders(checks, orders)
    print(f"python: {checks.passed} passed, {checks.failed} failed")
    return 1 if checks.failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(anyio.run(main, *sys.argv[1:]))
