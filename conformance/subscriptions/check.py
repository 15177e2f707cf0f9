#!/usr/bin/env python3
"""Many idle subscriptions to one process: what they take, and that all of them are told.

Usage: check.py SERVER [COUNT], the path of a release build of `conformance-server` and 10,000 unless said otherwise. Over
HTTP each subscription has a connection of its own; on stdio all of them share the one stream. Prints the memory of the
server's process and how long a change takes to reach all. Exits with 1 unless every subscription is told, or if one takes
more than MOST bytes.
"""

import asyncio
import json
import re
import resource
import sys
import time
from pathlib import Path

VERSION = "2026-07-28"
PATIENCE = 120
MOST = 32 << 10
# At once, as connections that wait to be accepted have a bound.
OPENING = 100


def request(id: int, method: str, **params: object) -> bytes:
    meta = {
        "io.modelcontextprotocol/protocolVersion": VERSION,
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    message = {"jsonrpc": "2.0", "id": id, "method": method, "params": {**params, "_meta": meta}}
    return json.dumps(message).encode()


def listen(id: int) -> bytes:
    return request(id, "subscriptions/listen", notifications={"toolsListChanged": True})


CHANGE = request(0, "tools/call", name="test_trigger_tool_change", arguments={})
TOLD = "notifications/tools/list_changed"
ACKNOWLEDGED = "notifications/subscriptions/acknowledged"


def post(host: str, method: str, body: bytes, name: str | None = None) -> bytes:
    head = {
        "Host": host,
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
        "MCP-Protocol-Version": VERSION,
        "Mcp-Method": method,
        "Mcp-Name": name,
        "Content-Length": len(body),
    }
    lines = [f"{name}: {value}" for name, value in head.items() if value is not None]
    return "\r\n".join(["POST /mcp HTTP/1.1", *lines, "", ""]).encode() + body


def resident(process: asyncio.subprocess.Process) -> int:
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+) kB", status)[1]) << 10


def report(transport: str, count: int, before: int, after: int, took: float) -> None:
    each = (after - before) / count
    print(
        f"{count:,} idle subscriptions {transport}: {(after - before) / 1e6:.1f} MB, {each:,.0f} bytes each "
        f"({before / 1e6:.1f} MB before); a change reaches all of them in {took:.2f} s",
        flush=True,
    )
    if each > MOST:
        sys.exit(f"subscriptions: one takes {each:,.0f} bytes, which is more than {MOST:,}")


async def over_http(program: str, count: int) -> None:
    process = await asyncio.create_subprocess_exec(
        program, "--addr", "127.0.0.1:0", stderr=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.DEVNULL
    )
    try:
        address = re.search(rb"http://(.*):(\d+)/mcp", await process.stderr.readline())
        host, port = address[1].decode(), int(address[2])
        name = f"{host}:{port}"

        async def open_with(sent: bytes):
            reader, writer = await asyncio.open_connection(host, port)
            writer.write(sent)
            await writer.drain()
            return reader, writer

        opening = asyncio.Semaphore(OPENING)

        async def subscribe(id: int):
            async with opening:
                reader, writer = await open_with(post(name, "subscriptions/listen", listen(id)))
                await reader.readuntil(ACKNOWLEDGED.encode())
                return reader, writer

        before = resident(process)
        streams = await asyncio.gather(*(subscribe(id) for id in range(1, count + 1)))
        after = resident(process)
        start = time.monotonic()
        caller, _ = await open_with(post(name, "tools/call", CHANGE, "test_trigger_tool_change"))
        told = await asyncio.gather(*(reader.readuntil(TOLD.encode()) for reader, _ in streams))
        took = time.monotonic() - start
        await caller.readuntil(b"changed back")
        assert len(told) == count
        report("over HTTP, a connection each", count, before, after, took)
    finally:
        process.terminate()
        await process.wait()


async def over_stdio(program: str, count: int) -> None:
    pipe = asyncio.subprocess.PIPE
    process = await asyncio.create_subprocess_exec(program, "--stdio", stdin=pipe, stdout=pipe)
    try:

        async def message() -> dict:
            return json.loads(await process.stdout.readline())

        def subscription(message: dict) -> int:
            return message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"]

        async def send(line: bytes) -> None:
            process.stdin.write(line + b"\n")
            await process.stdin.drain()

        # One that is answered first, so that what every connection takes isn't counted.
        await send(request(0, "tools/list"))
        await message()
        before = resident(process)

        async def subscribe_all() -> None:
            for id in range(1, count + 1):
                await send(listen(id))

        writing = asyncio.create_task(subscribe_all())
        acknowledged = set()
        while len(acknowledged) < count:
            came = await message()
            assert came.get("method") == ACKNOWLEDGED, came
            acknowledged.add(subscription(came))
        await writing
        after = resident(process)
        start = time.monotonic()
        await send(CHANGE)
        told = set()
        while len(told) < count:
            came = await message()
            if came.get("method") == TOLD:
                told.add(subscription(came))
        report("on stdio", count, before, after, time.monotonic() - start)
        # The end, of which each subscription is told, too.
        process.stdin.close()
        await process.stdout.read()
        assert await process.wait() == 0
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def main(program: str, count: int) -> None:
    # The server inherits the bound.
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = count + 200
    if hard != resource.RLIM_INFINITY and hard < wanted:
        sys.exit(f"subscriptions: {wanted} open files are needed, and the system allows {hard}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    for way in (over_stdio, over_http):
        await asyncio.wait_for(way(program, count), PATIENCE)


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    asyncio.run(main(sys.argv[1], int(sys.argv[2]) if len(sys.argv) == 3 else 10_000))
