#!/usr/bin/env python3
"""The depot with the official Python SDK of the revisions before 2026-07-28 (`mcp` 1.30.0)."""

import mcp.types as types
from mcp.server.fastmcp import Context, FastMCP

import listen
from models import PICTURE, Customer, Item, Order, Sure

server = FastMCP("depot", log_level="ERROR")


@server.tool()
def place_order(customer: Customer, items: list[Item], note: str | None = None) -> Order:
    """Use this to place an order."""
    pieces = sum(item.quantity for item in items)
    return Order(order_id="A-1", city=customer.address.city, pieces=pieces, items=items, note=note)


@server.tool(structured_output=False)
def echo(text: str) -> str:
    """Use this to read a text back."""
    return text


@server.tool(structured_output=False)
def fail() -> types.CallToolResult:
    """Use this to see a call fail."""
    return types.CallToolResult(content=[types.TextContent(type="text", text="The stock is empty.")], isError=True)


@server.tool(structured_output=False)
async def count(to: int, context: Context) -> str:
    """Use this to count, with progress."""
    for number in range(1, to + 1):
        await context.report_progress(number, to, f"number {number}")
    return f"counted to {to}"


@server.tool(structured_output=False)
def picture() -> types.CallToolResult:
    """Use this to get a picture."""
    text = types.TextContent(type="text", text="one pixel")
    image = types.ImageContent(type="image", data=PICTURE, mimeType="image/png")
    return types.CallToolResult(content=[text, image])


@server.tool(structured_output=False)
async def confirm(what: str, context: Context) -> str:
    """Use this to have something confirmed."""
    answer = await context.elicit(f"May {what} go?", Sure)
    if answer.action != "accept":
        return f"{what}: {answer.action}"
    return f"{what}: {'yes' if answer.data.sure else 'no'}, says {answer.data.name}"


@server.tool(structured_output=False)
def revision(context: Context) -> str:
    """Use this to see which revision of the protocol is spoken."""
    return str(context.session.client_params.protocolVersion)


if __name__ == "__main__":
    listen.run(server)
