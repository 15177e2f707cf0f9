"""What the clients of both Python SDKs do, and what they must see."""

import json
import sys
from pathlib import Path

import anyio

PATIENCE = 60


def equal(what: str, got: object, wanted: object) -> None:
    if got != wanted:
        sys.exit(f"{what}: got {got!r}, wanted {wanted!r}")


def field(value: object, *names: str) -> object:
    """The field of any of these names: the SDKs spell them differently."""
    for name in names:
        if hasattr(value, name):
            return getattr(value, name)
    sys.exit(f"{value!r} has none of {names}")


class Round:
    expected = json.loads(Path(__file__).with_name("expected.json").read_text())

    def __init__(self, name: str) -> None:
        self.name = name

    @classmethod
    async def main(cls, name: str, rounds: str, target: str) -> None:
        player = cls(name)
        for _ in range(int(rounds)):
            with anyio.fail_after(PATIENCE):
                await player.play(target)

    def prepare(self) -> None:
        self.logs: list[object] = []

    async def calls(self, client, list_tools, progress: str) -> None:
        expected = self.expected

        async def call(name: str, arguments: dict | None = None, error: bool = False, **options) -> str:
            result = await client.call_tool(name, arguments or {}, **options)
            equal(f"{name}: isError", bool(field(result, "is_error", "isError")), error)
            (block,) = result.content
            return block.text

        def named(text: str) -> str:
            return text.replace("NAME", self.name)

        tools = [tool.name for tool in (await list_tools()).tools]
        equal("the first tool", tools[0], "test_simple_text")
        equal("each tool is there once", len(set(tools)), len(tools))
        equal("simple", await call("test_simple_text"), expected["simple"])
        equal("error", await call("test_error_handling", error=True), expected["error"])

        told = []

        async def progressed(progress: float, total: float | None, _message: str | None) -> None:
            told.append([progress, total])

        text = await call("test_tool_with_progress", **{progress: progressed})
        equal("progressed", text, expected["progressed"])
        equal("progress", told, expected["progress"])

        equal("logged", await call("test_tool_with_logging"), expected["logged"])
        equal("logs", self.logs, expected["logs"])

        elicited = await call("test_elicitation", {"message": f"Who is {self.name}?"})
        equal("elicited", elicited, named(expected["elicited"]))
        sampled = await call("test_sampling", {"prompt": "What is it?"})
        equal("sampled", sampled, named(expected["sampled"]))

    async def change(self, client) -> None:
        result = await client.call_tool("test_trigger_prompt_change", {})
        equal("changed", result.content[0].text, self.expected["changed"])

    async def log(self, params) -> None:
        self.logs.append(params.data)

    def person(self, schema: dict) -> dict:
        equal("the form's fields", sorted(schema["properties"]), ["email", "username"])
        return {"username": self.name, "email": f"{self.name}@example.com"}

    def answer(self, types, params):
        content = params.messages[-1].content
        content = content[0] if isinstance(content, list) else content
        return types.TextContent(type="text", text=f"{self.name} was asked: {content.text}")
