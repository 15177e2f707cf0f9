#!/usr/bin/env python3
"""What `dialer` promises of calls that outlive requests, processes and crashes.

Usage: check.py DIALER [PART...], the path of the program, and which parts: wake, crash, restart; all of them unless said.
Needs `nginx` and `redis-server`. Exits with 1 at the first thing that differs. Prints what it measures.

wake     Two processes on one Redis behind nginx, without stickiness: a call is placed on one and waited for on the other,
         the provider's webhook comes to either. From the webhook to the waiter's answer, over 1,000 calls.
crash    `kill -9` at random moments while calls are placed, 200 rounds on a file and 200 on Redis: every call that was
         acknowledged is found, and every call comes to its end.
restart  Redis goes away and comes back: calls fail meanwhile with a sentence, and nothing else has to be started again.
"""

import contextlib
import hashlib
import hmac
import http.client
import json
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
VERSION = "2026-07-28"
PATIENCE = 30
CALLS = 1000
ROUNDS = 200
SECRET = b"of-the-provider"
TOKEN = "token-of-the-check"
# By day, wherever the numbers below ring.
DAY = "2026-12-01T18:00:00Z"
# Of which nobody tells but this program.
SILENT = "+12125550112"
# Talks, is busy, doesn't answer, gets a machine, hangs up, breaks, repeats itself.
FATES = [f"+121255501{end:02}" for end in (0, 1, 2, 5, 6, 7, 13)]


def check(what: str, holds: bool, detail: object = "") -> None:
    print(f"  {'ok  ' if holds else 'FAIL'}  {what}", flush=True)
    if not holds:
        sys.exit(f"dialer: {what}: {detail}")


def free_address() -> str:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return f"127.0.0.1:{free.getsockname()[1]}"


def listens(address: str) -> bool:
    host, port = address.split(":")
    with contextlib.suppress(OSError), socket.create_connection((host, int(port))):
        return True
    return False


def until(what: str, holds, patience: float = PATIENCE):
    """Asks again and again until it holds; gives what it said then."""
    end = time.monotonic() + patience
    while not (said := holds()):
        if time.monotonic() > end:
            check(what, False, f"not within {patience} s")
        time.sleep(0.02)
    return said


@contextlib.contextmanager
def running(process: subprocess.Popen):
    try:
        yield process
    finally:
        process.terminate()
        process.wait(PATIENCE)


class Redis:
    """A Redis that keeps what it has acknowledged, with data in `folder`."""

    def __init__(self, folder: str) -> None:
        self.folder, self.address = folder, free_address()
        self.url = f"redis://{self.address}/"
        self.start()

    def start(self) -> None:
        port = self.address.split(":")[1]
        command = ["redis-server", "--port", port, "--dir", self.folder, "--appendonly", "yes", "--save", ""]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        until("Redis listens", lambda: listens(self.address))

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        self.stop()


class Dialer:
    """A process, and the ways to talk to it."""

    def __init__(self, program: str, folder: str, *arguments: str) -> None:
        accounts, secret = Path(folder, "accounts.toml"), Path(folder, "secret")
        digest = hashlib.sha256(TOKEN.encode()).hexdigest()
        accounts.write_text(
            f'[[account]]\nid = "check"\non_behalf_of = "the check"\ntoken_sha256 = "{digest}"\nscopes = ["calls:write"]\n'
        )
        secret.write_bytes(SECRET)
        command = [program, "--http", "127.0.0.1:0", "--accounts", str(accounts), "--webhook-secret", str(secret)]
        command += ["--clock", DAY, "--calls-per-hour", "1000000", "--requests-per-second", "10000", "--lease", "1"]
        command += arguments
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        said = self.process.stderr.readline()
        begin, end = "listening on http://", "/mcp\n"
        if not (said.startswith(begin) and said.endswith(end)):
            sys.exit(f"dialer: it didn't start: {said}{self.process.stderr.read()}")
        self.address = said.removeprefix(begin).removesuffix(end)
        # What it says besides is read, so that it never waits for a reader.
        self.said = []
        threading.Thread(target=lambda: self.said.extend(self.process.stderr), daemon=True).start()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(PATIENCE)

    def __enter__(self):
        return self

    def __exit__(self, *_) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(PATIENCE)


class Client:
    """A connection that is kept. Which process answers is for whoever listens at the address to say."""

    def __init__(self, address: str) -> None:
        self.connection = http.client.HTTPConnection(address, timeout=PATIENCE + 50)

    def send(self, tool: str, **arguments: object) -> None:
        meta = {
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientCapabilities": {},
        }
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        headers = {
            "Authorization": f"Bearer {TOKEN}",
            "Content-Type": "application/json",
            "Accept": "application/json, text/event-stream",
            "MCP-Protocol-Version": VERSION,
            "Mcp-Method": "tools/call",
            "Mcp-Name": tool,
        }
        self.connection.request("POST", "/mcp", body, headers)

    def receive(self) -> dict:
        answer = self.connection.getresponse()
        self.upstream = answer.headers["X-Upstream"]
        body = answer.read()
        if answer.headers["Content-Type"].startswith("text/event-stream"):
            events = [line.removeprefix(b"data: ") for line in body.splitlines() if line.startswith(b"data: {")]
            body = events[-1]
        return json.loads(body)

    def ask(self, tool: str, **arguments: object) -> dict:
        self.send(tool, **arguments)
        return self.receive()

    def call(self, tool: str, **arguments: object) -> dict:
        """The structured content of a call that has to succeed."""
        message = self.ask(tool, **arguments)
        if message.get("result", {}).get("isError", True):
            sys.exit(f"dialer: {tool} failed: {message}")
        return message["result"]["structuredContent"]

    def place(self, to: str) -> str:
        return self.call("place_call", to=to, objective="Ask when they open.")["call_id"]


class Provider:
    """Sends webhooks over a connection that is kept."""

    def __init__(self, address: str) -> None:
        self.connection = http.client.HTTPConnection(address, timeout=PATIENCE)

    def tell(self, call_id: str, number: int, event: dict) -> int:
        body = json.dumps({"call_id": call_id, "number": number, "event": event}).encode()
        now = str(int(time.time()))
        tag = hmac.new(SECRET, now.encode() + b"." + body, hashlib.sha256).hexdigest()
        self.connection.request("POST", "/webhooks/calls", body, {"Dialer-Signature": f"t={now},v1={tag}"})
        answer = self.connection.getresponse()
        answer.read()
        return answer.status


@contextlib.contextmanager
def proxy(servers: list[str]):
    """nginx in front of two servers, in turns; gives its address."""
    listen = free_address()
    config = (HERE.parent / "nginx" / "nginx.conf").read_text()
    for name, value in zip(("@LISTEN@", "@FIRST@", "@SECOND@"), (listen, *servers)):
        config = config.replace(name, value)
    with tempfile.TemporaryDirectory() as prefix:
        # The worker may be another user than the one who made the folder.
        os.chmod(prefix, 0o755)
        Path(prefix, "nginx.conf").write_text(config)
        command = ["nginx", "-e", "stderr", "-p", prefix, "-c", "nginx.conf"]
        with running(subprocess.Popen(command, stdin=subprocess.DEVNULL)):
            until("nginx listens", lambda: listens(listen))
            yield listen


def percentiles(times: list[float]) -> str:
    times = sorted(times)
    at = lambda share: times[min(len(times) - 1, int(len(times) * share))] * 1000
    return f"p50 {at(0.5):.1f} ms, p99 {at(0.99):.1f} ms, longest {times[-1] * 1000:.1f} ms"


def wake(program: str) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Redis(folder) as redis,
        Dialer(program, folder, "--redis", redis.url) as first,
        Dialer(program, folder, "--redis", redis.url) as second,
        proxy([first.address, second.address]) as address,
    ):
        placing, waiting = Client(address), Client(address)
        providers = [Provider(first.address), Provider(second.address)]
        took, apart = [], Counter()
        for turn in range(CALLS):
            call_id = placing.place(SILENT)
            waiting.send("get_call", call_id=call_id, wait_seconds=50, seen_status="dialing")
            # So that it waits by the time of the webhook. If it doesn't yet, it misses nothing.
            time.sleep(0.005)
            told = time.monotonic()
            status = providers[turn % 2].tell(call_id, 1, {"type": "ringing"})
            answer = waiting.receive()
            took.append(time.monotonic() - told)
            woken = answer["result"].get("structuredContent", {}).get("status") == "ringing"
            check_quietly("the webhook is taken, and the waiter told", status == 204 and woken, (status, answer))
            apart[placing.upstream != waiting.upstream] += 1
            providers[turn % 2].tell(call_id, 2, {"type": "ended", "outcome": "completed"})
        check("one process places, the other waits", apart == {True: CALLS}, apart)
        print(f"        {CALLS} calls, from the webhook's first byte to the waiter's last: {percentiles(took)}")
        took.sort()
        # Loosely: the machine may be busy with something else.
        check("half of the waiters wake within 100 ms", took[len(took) // 2] < 0.1, took[len(took) // 2])
        listed = placing.call("list_calls", limit=50)
        check("the list is the same for both", listed == waiting.call("list_calls", limit=50))


def place_until_killed(dialer: Dialer, seconds: float, acknowledged: list[str]) -> None:
    """Places calls, and kills the process at a random moment of that."""
    timer = threading.Timer(seconds, dialer.kill)
    timer.start()
    with contextlib.suppress(OSError, http.client.HTTPException):
        client = Client(dialer.address)
        while True:
            acknowledged.append(client.place(random.choice(FATES)))
    timer.join()


def all_calls(client: Client) -> list[dict]:
    calls, cursor = [], {}
    while True:
        page = client.call("list_calls", limit=50, **cursor)
        calls += page["calls"]
        if "next_cursor" not in page:
            return calls
        cursor = {"cursor": page["next_cursor"]}


def settled(client: Client, acknowledged: list[str], kills: int) -> None:
    def over():
        calls = all_calls(client)
        return calls if all(call["resolution"]["outcome"] != "pending" for call in calls) else None

    calls = until("every call comes to its end", over)
    known = {call["call_id"] for call in calls}
    check("each call is listed once", len(known) == len(calls), len(calls) - len(known))
    lost = [call_id for call_id in acknowledged if call_id not in known]
    check("no call that was acknowledged is lost", not lost, lost[:5])
    for call_id in random.sample(acknowledged, min(50, len(acknowledged))):
        call = client.call("get_call", call_id=call_id)
        said = [line["text"] for line in call["transcript"]]
        check_quietly("a call is found, over, and was led once", call["status"] == "ended" and len(said) == len(set(said)), call)
    outcomes = Counter(call["resolution"]["outcome"] for call in calls)
    check("some calls were cut off by the crashes, and others not", 0 < outcomes["interrupted"] < len(calls), outcomes)
    print(f"        {kills} kills; {len(acknowledged)} calls acknowledged, {len(calls)} placed: {dict(outcomes)}")


def check_quietly(what: str, holds: bool, detail: object) -> None:
    if not holds:
        check(what, False, detail)


def crash_on_a_file(program: str) -> None:
    acknowledged: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        arguments = (program, folder, "--store", str(Path(folder, "calls.redb")), "--speed", "500")
        for _ in range(ROUNDS):
            place_until_killed(Dialer(*arguments), random.uniform(0.0, 0.3), acknowledged)
        with Dialer(*arguments) as dialer:
            settled(Client(dialer.address), acknowledged, ROUNDS)


def crash_on_redis(program: str) -> None:
    acknowledged: list[str] = []
    with tempfile.TemporaryDirectory() as folder, Redis(folder) as redis:
        arguments = (program, folder, "--redis", redis.url, "--speed", "500")
        # One lives on, and finds what the others leave.
        with Dialer(*arguments) as survivor:
            for _ in range(ROUNDS):
                place_until_killed(Dialer(*arguments), random.uniform(0.0, 0.15), acknowledged)
            settled(Client(survivor.address), acknowledged, ROUNDS)


def restart(program: str) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        Redis(folder) as redis,
        Dialer(program, folder, "--redis", redis.url) as first,
        Dialer(program, folder, "--redis", redis.url) as second,
    ):
        client, waiter, provider = Client(first.address), Client(second.address), Provider(first.address)
        call_id = client.place(SILENT)
        waiter.send("get_call", call_id=call_id, wait_seconds=50, seen_status="dialing")
        redis.stop()
        began = time.monotonic()
        message = client.ask("get_call", call_id=call_id)
        took, result = time.monotonic() - began, message.get("result", {})
        text = result.get("content", [{}])[0].get("text", "")
        check(f"a call fails with a sentence ({took:.1f} s)", result.get("isError") and "again" in text.lower(), message)
        print(f"        {text}")
        status = provider.tell(call_id, 1, {"type": "ringing"})
        check("a webhook is to be sent again", status == 503, status)
        redis.start()
        back = time.monotonic()
        until("webhooks are taken again", lambda: provider.tell(call_id, 1, {"type": "ringing"}) == 204)
        print(f"        taken {time.monotonic() - back:.2f} s after Redis was back")
        answer = waiter.receive()["result"]
        check("who waited all the while is told", answer.get("structuredContent", {}).get("status") == "ringing", answer)
        until("calls are placed again", lambda: not client.ask("place_call", to=SILENT, objective="Ask again, please.")["result"].get("isError"))
        # Longer than leases last: nobody takes the other for dead over it.
        time.sleep(3)
        call = Client(second.address).call("get_call", call_id=call_id)
        check("the call goes on", call["status"] == "ringing", call)


PARTS = {"wake": [wake], "crash": [crash_on_a_file, crash_on_redis], "restart": [restart]}


def main(program: str, *parts: str) -> None:
    random.seed(int(os.environ.get("SEED", "0")) or None)
    for part in parts or PARTS:
        for run in PARTS[part]:
            began = time.monotonic()
            print(run.__name__.replace("_", " "), flush=True)
            run(program)
            print(f"        in {time.monotonic() - began:.0f} s", flush=True)


if __name__ == "__main__":
    if len(sys.argv) < 2 or not set(sys.argv[2:]) <= set(PARTS):
        sys.exit(__doc__)
    main(*sys.argv[1:])
