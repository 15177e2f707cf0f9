#!/usr/bin/env python3
"""The depot with the official Python SDK of revision 2026-07-28 (`mcp` 2.3.0)."""

from typing import Annotated

import mcp_types as types
from mcp.server.elicitation import AcceptedElicitation, ElicitationResult
from mcp.server.mcpserver import Context, Elicit, MCPServer, Resolve

import listen
from models import PICTURE, Customer, Item, Order, Sure

server = MCPServer("depot", version="1.0.0")


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
    return types.CallToolResult(content=[types.TextContent(text="The stock is empty.")], is_error=True)


@server.tool(structured_output=False)
async def count(to: int, context: Context) -> str:
    """Use this to count, with progress."""
    for number in range(1, to + 1):
        await context.report_progress(number, to, f"number {number}")
    return f"counted to {to}"


@server.tool(structured_output=False)
def picture() -> types.CallToolResult:
    """Use this to get a picture."""
    image = types.ImageContent(data=PICTURE, mime_type="image/png")
    return types.CallToolResult(content=[types.TextContent(text="one pixel"), image])


def ask(what: str) -> Elicit[Sure]:
    return Elicit(f"May {what} go?", Sure)


@server.tool(structured_output=False)
def confirm(what: str, answer: Annotated[ElicitationResult[Sure], Resolve(ask)]) -> str:
    """Use this to have something confirmed."""
    match answer:
        case AcceptedElicitation(data=Sure(sure=sure, name=name)):
            return f"{what}: {'yes' if sure else 'no'}, says {name}"
    return f"{what}: {answer.action}"


@server.tool(structured_output=False)
def revision(context: Context) -> str:
    """Use this to see which revision of the protocol is spoken."""
    return str(context.protocol_version)


if __name__ == "__main__":
    listen.run(server)
