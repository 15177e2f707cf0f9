#!/usr/bin/env python3
"""The depot with the official Python SDK of the revisions before 2026-07-28 (`mcp` 1.30.0)."""

import mcp.types as types
from mcp.server.fastmcp import Context, FastMCP
from pydantic import BaseModel, Field

import listen

server = FastMCP("depot", log_level="ERROR")
PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="


class Address(BaseModel):
    city: str = Field(description="Name of the city")
    lines: list[str] = Field(description="What comes above the city", max_length=4)


class Customer(BaseModel):
    name: str = Field(description="Full name")
    address: Address = Field(description="Where to send it")


class Item(BaseModel):
    sku: str = Field(description="Number of the article")
    quantity: int = Field(description="How many pieces", ge=1, le=99)


class Order(BaseModel):
    order_id: str
    city: str
    pieces: int
    items: list[Item]
    note: str | None


class Sure(BaseModel):
    sure: bool = Field(description="Whether it may go")
    name: str = Field(description="Who says so")


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
