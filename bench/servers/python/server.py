"""The server of the benchmark, in the official Python SDK. `server.py stdio|http [TOOLS]`"""

import socket
import sys
from enum import Enum
from typing import Annotated

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel, Field


class Status(str, Enum):
    shipped = "shipped"


class Order(BaseModel):
    order_id: str
    status: Status


class Address(BaseModel):
    name: str
    street: str
    city: str
    country: str


class Line(BaseModel):
    sku: str
    quantity: int
    price: float
    note: str | None = None
    ship_to: Address


class Placed(BaseModel):
    lines: int
    pieces: int


server = MCPServer("bench", version="1.0.0", log_level="ERROR")


@server.tool()
async def get_order(order_id: Annotated[str, Field(pattern=r"^A-\d{4}$")]) -> Order:
    """Use this when the user asks where an order is. Returns its current status."""
    return Order(order_id=order_id, status=Status.shipped)


@server.tool()
async def place_order(lines: list[Line]) -> Placed:
    """Place an order of many lines."""
    sent = [line for line in lines if all([line.ship_to.name, line.ship_to.street, line.ship_to.city])]
    return Placed(lines=len(sent), pieces=sum(line.quantity for line in lines))


@server.tool(structured_output=False)
async def report() -> str:
    """The report of the year, in one text."""
    return "x" * (1 << 20)


@server.tool(structured_output=False)
async def track(context: Context) -> str:
    """Follow a parcel in ten steps."""
    for step in range(1, 11):
        await context.report_progress(step, 10)
    return "arrived"


async def search(query: str, limit: int | None = None) -> str:
    """Use this to search one of the many places where something may be. Returns what was found."""
    return "found"


for number in range(4, int(sys.argv[2]) if len(sys.argv) > 2 else 4):
    server.add_tool(search, name=f"search_{number:05}")

if sys.argv[1] == "http":
    import uvicorn

    listener = socket.create_server(("127.0.0.1", 0))
    print(f"listening on http://127.0.0.1:{listener.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
    config = uvicorn.Config(server.streamable_http_app(json_response=True), log_level="error", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])
else:
    server.run("stdio")
