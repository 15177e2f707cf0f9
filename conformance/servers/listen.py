"""How the Python servers are started: on stdio, or on a free port with `--http`."""

import socket
import sys

import anyio
import uvicorn


def run(server) -> None:
    if "--http" not in sys.argv:
        return server.run("stdio")
    listening = socket.create_server(("127.0.0.1", 0))
    app = server.streamable_http_app()
    print(f"listening on http://127.0.0.1:{listening.getsockname()[1]}/mcp", file=sys.stderr, flush=True)
    config = uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)
    anyio.run(lambda: uvicorn.Server(config).serve(sockets=[listening]))
