#!/usr/bin/env python3
"""A client of revision 2026-07-28 with the official Python SDK (`mcp` 2.3.0).

Usage: modern.py NAME ROUNDS TARGET, where TARGET is a URL, or a program that serves stdio with `--stdio`.
"""

import sys

import anyio
import mcp_types as types
from mcp import Client, StdioServerParameters
from round import PATIENCE, Round, equal


class Modern(Round):
    async def play(self, target: str) -> None:
        self.prepare()
        server = target if target.startswith("http") else StdioServerParameters(command=target, args=["--stdio"])
        async with Client(
            server,
            mode="2026-07-28",
            log_level="info",
            read_timeout_seconds=PATIENCE,
            elicitation_callback=self.elicit,
            sampling_callback=self.sample,
            logging_callback=self.log,
        ) as client:
            equal("protocol version", client.protocol_version, "2026-07-28")
            await self.calls(client, client.list_tools, progress="progress_callback")
            async with client.listen(prompts_list_changed=True) as news:
                await self.change(client)
                equal("news", type(await anext(aiter(news))).__name__, "PromptsListChanged")

    async def elicit(self, _context, params):
        return types.ElicitResult(action="accept", content=self.person(params.requested_schema))

    async def sample(self, _context, params):
        return types.CreateMessageResult(role="assistant", content=self.answer(types, params), model="none")


if __name__ == "__main__":
    anyio.run(Modern.main, *sys.argv[1:])
