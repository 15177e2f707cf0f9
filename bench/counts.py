"""Instructions for each call, counted by callgrind: they don't change with what else the machine does.

`counts.py SERVER` compares with the table in counts.md and fails where more than the tolerance has come on;
`counts.py SERVER --write` writes the table. SERVER is `bench-haft`, built for release.
"""

import http.client
import json
import pathlib
import re
import signal
import subprocess
import sys
import tempfile

TABLE = pathlib.Path(__file__).with_name("counts.md")
TOLERANCE = 0.05
# What the start takes is in both, and so falls out.
FEW, MANY = 50, 550
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "counts", "version": "1.0.0"},
    "io.modelcontextprotocol/clientCapabilities": {},
}
HEAD = """# Instructions for each call

Of the server `bench-haft`, built for release; written by `python3 bench/counts.py SERVER --write` and compared in `.ci/run`,
which takes {tolerance:.0%} more for a regression.

| call | instructions |
|---|---|
"""


def request(number, method, **params):
    params["_meta"] = META
    message = {"jsonrpc": "2.0", "id": 1_000_000 + number, "method": method, "params": params}
    return json.dumps(message, separators=(",", ":")).encode()


def get_order(number, order_id="A-1001"):
    return request(number, "tools/call", name="get_order", arguments={"order_id": order_id})


def refused(number):
    return get_order(number, "1001")


def tools_list(number):
    return request(number, "tools/list")


def right(answer, expected):
    if expected not in answer:
        sys.exit(f"a wrong answer: {answer!r}")


def one_at_a_time(server, messages, expected):
    for message in messages:
        server.stdin.write(message + b"\n")
        server.stdin.flush()
        right(server.stdout.readline(), expected)
    server.stdin.close()


def in_flight(server, messages, expected):
    for start in range(0, len(messages), 64):
        batch = messages[start : start + 64]
        server.stdin.write(b"".join(message + b"\n" for message in batch))
        server.stdin.flush()
        for _ in batch:
            right(server.stdout.readline(), expected)
    server.stdin.close()


def keep_alive(server, messages, expected):
    address = next(line for line in map(bytes.decode, server.stderr) if "listening on" in line)
    host = re.search(r"http://([^/]+)/", address).group(1)
    connection = http.client.HTTPConnection(host, timeout=60)
    for message in messages:
        headers = {
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "tools/call",
            "Mcp-Name": "get_order",
        }
        connection.request("POST", "/mcp", message, headers)
        right(connection.getresponse().read(), expected)
    connection.close()
    server.send_signal(signal.SIGTERM)


SHIPPED = b'"status":"shipped"'
CASES = {
    "stdio, get_order, one at a time": ("stdio", one_at_a_time, get_order, SHIPPED),
    "stdio, get_order, 64 in flight": ("stdio", in_flight, get_order, SHIPPED),
    "stdio, refused by validation": ("stdio", in_flight, refused, b'"isError":true'),
    "stdio, tools/list": ("stdio", in_flight, tools_list, b'"place_order"'),
    "HTTP, get_order, one connection": ("http", keep_alive, get_order, SHIPPED),
}


def instructions(program, case, calls):
    transport, play, message, expected = case
    with tempfile.TemporaryDirectory() as folder:
        out = pathlib.Path(folder, "out")
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", program, transport]
        pipe = subprocess.PIPE
        stderr = pipe if transport == "http" else subprocess.DEVNULL
        server = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=stderr)
        try:
            play(server, [message(number) for number in range(calls)], expected)
            if transport == "http":
                server.stderr.read()
            server.wait(timeout=120)
        finally:
            server.kill()
        return int(re.search(r"^(?:summary|totals): (\d+)", out.read_text(), re.MULTILINE).group(1))


def main():
    program = sys.argv[1]
    counted = {}
    for name, case in CASES.items():
        few, many = (instructions(program, case, calls) for calls in (FEW, MANY))
        counted[name] = round((many - few) / (MANY - FEW))
        print(f"{name}: {counted[name]} instructions", flush=True)
    if "--write" in sys.argv:
        rows = "".join(f"| {name} | {count} |\n" for name, count in counted.items())
        TABLE.write_text(HEAD.format(tolerance=TOLERANCE) + rows)
        return
    known = dict(re.findall(r"^\| (.+) \| (\d+) \|$", TABLE.read_text(), re.MULTILINE))
    worse = [name for name, count in counted.items() if count > int(known[name]) * (1 + TOLERANCE)]
    better = [name for name, count in counted.items() if count < int(known[name]) * (1 - TOLERANCE)]
    for name in better:
        print(f"{name}: it was {known[name]}; write the table anew to keep what was won")
    for name in worse:
        print(f"{name}: it was {known[name]}", file=sys.stderr)
    sys.exit(1 if worse else 0)


main()
