#!/usr/bin/env python3
"""Two processes of `conformance-server` behind nginx, without stickiness.

Usage: check.py SERVER, the path of the program. Needs `nginx`. Checks that calls are answered by either process, that the
rounds of one call may land on different ones if they share a key, and are refused with -32602 if they don't, that events
come as they are sent, and that a client that goes away cancels its call. Exits with 1 at the first thing that differs.
"""

import contextlib
import http.client
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
VERSION = "2026-07-28"
PATIENCE = 20


def check(what: str, holds: bool, detail: object = "") -> None:
    print(f"  {'ok  ' if holds else 'FAIL'}  {what}", flush=True)
    if not holds:
        sys.exit(f"nginx: {what}: {detail}")


@contextlib.contextmanager
def running(*command: str, **options):
    process = subprocess.Popen(command, stdin=subprocess.DEVNULL, **options)
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)


@contextlib.contextmanager
def server(program: str, key: str):
    """A server process; gives its address."""
    environment = dict(os.environ, STATE_KEY=key)
    command = (program, "--addr", "127.0.0.1:0")
    with running(*command, env=environment, stderr=subprocess.PIPE, text=True) as process:
        said = process.stderr.readline()
        begin, end = "listening on http://", "/mcp\n"
        check("a server listens", said.startswith(begin) and said.endswith(end), said)
        yield said.removeprefix(begin).removesuffix(end)


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"


@contextlib.contextmanager
def proxy(servers: list[str]):
    """nginx in front of two servers; gives its address."""
    listen = free_address()
    config = (HERE / "nginx.conf").read_text()
    for name, value in zip(("@LISTEN@", "@FIRST@", "@SECOND@"), (listen, *servers)):
        config = config.replace(name, value)
    with tempfile.TemporaryDirectory() as prefix:
        # The worker may be another user than the one who made the folder.
        os.chmod(prefix, 0o755)
        Path(prefix, "nginx.conf").write_text(config)
        with running("nginx", "-e", "stderr", "-p", prefix, "-c", "nginx.conf") as process:
            host, port = listen.split(":")
            deadline = time.monotonic() + PATIENCE
            while True:
                if process.poll() is not None:
                    sys.exit(f"nginx: it ended with {process.returncode}")
                with contextlib.suppress(OSError), socket.create_connection((host, int(port))):
                    break
                if time.monotonic() > deadline:
                    sys.exit("nginx: it doesn't listen")
                time.sleep(0.05)
            yield listen


class Call:
    """One request on a connection of its own."""

    def __init__(self, address: str, tool: str, arguments: dict | None = None, **params: object) -> None:
        meta = {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {"elicitation": {}},
            "progressToken": "p",
        }
        params = {"name": tool, "arguments": arguments or {}, "_meta": meta, **params}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        self.connection = http.client.HTTPConnection(address, timeout=PATIENCE)
        self.connection.request("POST", "/mcp", body, headers)
        self.answer = self.connection.getresponse()

    @property
    def upstream(self) -> str:
        return self.answer.headers["X-Upstream"]

    def json(self) -> dict:
        with contextlib.closing(self.connection):
            return json.load(self.answer)

    def event(self) -> dict:
        """The next event, as soon as it is there."""
        with contextlib.suppress(TimeoutError):
            while line := self.answer.readline():
                if line.startswith(b"data: "):
                    return json.loads(line.removeprefix(b"data: "))
        sys.exit("nginx: an event is held back, or the stream has ended early")

    def leave(self) -> None:
        self.answer.close()
        self.connection.close()


def text(message: dict) -> str:
    return message["result"]["content"][0]["text"]


def modern_calls(address: str, servers: list[str]) -> None:
    calls = [Call(address, "test_simple_text") for _ in range(4)]
    upstreams = [call.upstream for call in calls]
    check("calls take turns", upstreams[:2] == upstreams[2:] and sorted(upstreams[:2]) == sorted(servers), upstreams)
    texts = {text(call.json()) for call in calls}
    check("both processes answer alike", texts == {"This is a simple text response for testing."}, texts)


def ask(address: str, **params: object) -> tuple[str, dict]:
    call = Call(address, "test_input_required_result_multi_round", **params)
    return call.upstream, call.json()


def rounds(address: str) -> None:
    answers = [{"name": "Ada"}, {"color": "blue"}]
    upstream, message = ask(address)
    for content in answers:
        result = message["result"]
        check("a process asks", result["resultType"] == "input_required", message)
        (key,) = result["inputRequests"]
        responses = {key: {"action": "accept", "content": content}}
        before = upstream
        upstream, message = ask(address, inputResponses=responses, requestState=result["requestState"])
        check("the other one gets the answer", upstream != before, upstream)
    check("and knows what was said before", text(message) == "Ada likes blue.", message)


def rounds_without_a_common_key(address: str) -> None:
    _, message = ask(address)
    state = message["result"]["requestState"]
    responses = {"step1": {"action": "accept", "content": {"name": "Ada"}}}
    _, message = ask(address, inputResponses=responses, requestState=state)
    check("another key's state is refused with -32602", message.get("error", {}).get("code") == -32602, message)


def events(address: str) -> None:
    call = Call(address, "test_gate_pass")
    for progress in (1, 2):
        event = call.event()
        check(f"progress {progress} comes while the call waits", event["params"]["progress"] == progress, event)
        # The call goes on only now.
        opened = [text(Call(address, "test_gate_open").json()) for _ in range(2)]
        check("one process has a call that waits", sorted(opened) == ["0", "1"], opened)
    event = call.event()
    check("the result comes last", text(event) == "Passed.", event)
    call.leave()


def cancellation(address: str) -> None:
    call = Call(address, "test_gate_pass")
    call.event()
    upstream = call.upstream
    left = time.monotonic()
    call.leave()
    while text(Call(upstream, "test_gate_left").json()) != "1":
        if time.monotonic() > left + PATIENCE:
            check("a client that goes away cancels its call", False)
        time.sleep(0.02)
    took = time.monotonic() - left
    check(f"a client that goes away cancels its call ({took:.2f} s)", took < 1, took)


def main(program: str) -> None:
    key = secrets.token_hex(32)
    print("two processes with one key")
    with server(program, key) as first, server(program, key) as second, proxy([first, second]) as address:
        modern_calls(address, [first, second])
        rounds(address)
        events(address)
        cancellation(address)
    print("two processes with a key each")
    with server(program, key) as first, server(program, secrets.token_hex(32)) as second:
        with proxy([first, second]) as address:
            rounds_without_a_common_key(address)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
