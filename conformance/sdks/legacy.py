#!/usr/bin/env python3
"""A client of the revisions before 2026-07-28 with the official Python SDK (`mcp` 1.30.0).

Usage: legacy.py NAME ROUNDS TARGET, where TARGET is a URL, or a program that serves stdio with `--stdio`.
"""

import sys
from datetime import timedelta

import anyio
from mcp import ClientSession, StdioServerParameters, stdio_client, types
from mcp.client.streamable_http import streamable_http_client
from round import PATIENCE, Round, equal


class Legacy(Round):
    async def play(self, target: str) -> None:
        self.prepare()
        self.changed = anyio.Event()
        if target.startswith("http"):
            transport = streamable_http_client(target)
        else:
            transport = stdio_client(StdioServerParameters(command=target, args=["--stdio"]))
        async with transport as (read, write, *_):
            async with ClientSession(
                read,
                write,
                read_timeout_seconds=timedelta(seconds=PATIENCE),
                elicitation_callback=self.elicit,
                sampling_callback=self.sample,
                logging_callback=self.log,
                message_handler=self.message,
            ) as client:
                begun = await client.initialize()
                equal("protocol version", begun.protocolVersion, "2025-11-25")
                equal("server", begun.serverInfo.name, self.expected["server"])
                await client.send_ping()
                await client.set_logging_level("info")
                await self.calls(client, client.list_tools, progress="progress_callback")
                await self.change(client)
                await self.changed.wait()

    async def elicit(self, _context, params):
        return types.ElicitResult(action="accept", content=self.person(params.requestedSchema))

    async def sample(self, _context, params):
        return types.CreateMessageResult(role="assistant", content=self.answer(types, params), model="none")

    async def message(self, message) -> None:
        if isinstance(message, types.ServerNotification):
            if isinstance(message.root, types.PromptListChangedNotification):
                self.changed.set()


if __name__ == "__main__":
    anyio.run(Legacy.main, *sys.argv[1:])
