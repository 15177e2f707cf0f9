#!/usr/bin/env python3
"""haft's client and checker against servers made with other SDKs, and against official ones, over all that they speak.

Usage: check.py HAFT CALLER NODE MODULES MODERN LEGACY RMCP: the programs `haft` and `conformance-caller`, Node.js and the
folder with the packages and the scripts, the Pythons with `mcp` 2.3.0 and 1.30.0, and the program of `rmcp/`. Exits with 1
unless every answer is what it should be, to the letter.
"""

import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).parent
PATIENCE = 60
MODERN, LEGACY = "2026-07-28", "2025-11-25"
TOOLS = {"place_order", "echo", "fail", "count", "picture", "confirm", "revision"}
ORDER = {
    "customer": {"name": "Ada", "address": {"city": "Malmö", "lines": ["3rd floor", "左から二番目"]}},
    "items": [{"sku": "x", "quantity": 2}, {"sku": "y", "quantity": 40}],
}
PLACED = {"order_id": "A-1", "city": "Malmö", "pieces": 42, "items": ORDER["items"], "note": None}
TEXT = 'Grüße, 世界 — "quoted" \\ and\ttabbed 👋🏽'
CALLER = {
    "progress": [[float(number), 3.0, f"number {number}"] for number in (1, 2, 3)],
    "counted": "counted to 3",
    "asked": {"message": "May the ship go?", "fields": ["name", "sure"]},
    "confirmed": "the ship: yes, says Åsa",
}


class Checks:
    """What was checked, and what of it was not as it should be."""

    def __init__(self) -> None:
        self.done, self.failed = 0, 0

    def same(self, what: str, seen, wanted) -> None:
        self.done += 1
        if seen != wanted:
            self.failed += 1
            print(f"  FAIL  {what}\n        wanted {wanted!r}\n        saw    {seen!r}")


def run(*command: str) -> tuple[int, str, str]:
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE)
    return done.returncode, done.stdout, done.stderr


class Served:
    """A server over HTTP, stopped at the end of the block."""

    def __init__(self, command: list[str], port: int | None = None) -> None:
        self.command, self.port = command, port

    def __enter__(self) -> list[str]:
        environment = {**os.environ, **({"PORT": str(self.port)} if self.port else {})}
        self.log = tempfile.TemporaryFile("w+")
        self.process = subprocess.Popen(
            self.command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, env=environment
        )
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until and self.process.poll() is None:
            self.log.seek(0)
            for line in self.log.read().splitlines():
                if line.startswith("listening on "):
                    return [line.removeprefix("listening on ").strip()]
            if self.port and accepts(self.port):
                return [f"http://127.0.0.1:{self.port}/mcp"]
            time.sleep(0.05)
        self.log.seek(0)
        said = self.log.read()
        self.__exit__()
        raise RuntimeError(f"{self.command} does not listen: {said}")

    def __exit__(self, *_) -> None:
        self.process.kill()
        self.process.wait(PATIENCE)


def accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        return True
    except OSError:
        return False


def free_port() -> int:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        return bound.getsockname()[1]


def at(target: list[str]) -> list[str]:
    """A URL, or a command, as the command line has it at its end."""
    return target if is_url(target) else ["--", *target]


def is_url(target: list[str]) -> bool:
    return target[0].startswith("http://")


def depot(checks: Checks, name: str, haft: str, caller: str, target: list[str], era: str, version: str) -> None:
    """Everything about one depot, over one transport and in one era."""
    where = at(target)
    here = f"{name}, {era}"

    def call(tool: str, arguments: dict, *options: str) -> tuple[int, str, str]:
        words = ["--era", era, "--json", json.dumps(arguments), *options]
        words += [*where, tool] if is_url(target) else [tool, *where]
        return run(haft, "call", *words)

    code, said, told = run(haft, "list", "--era", era, "--format", "json", *where)
    checks.same(f"{here}: list exits with ({told.strip()})", code, 0)
    tools = json.loads(said)["tools"] if code == 0 else []
    checks.same(f"{here}: its tools", {tool["name"] for tool in tools}, TOOLS)
    described = {tool["name"]: tool.get("description") for tool in tools}
    checks.same(f"{here}: a description", described.get("echo"), "Use this to read a text back.")
    checks.same(f"{here}: one has an output schema", [t["name"] for t in tools if "outputSchema" in t], ["place_order"])

    code, said, told = call("place_order", ORDER, "--format", "json")
    checks.same(f"{here}: place_order exits with ({told.strip()})", code, 0)
    result = json.loads(said) if said else {}
    checks.same(f"{here}: structured content", result.get("structuredContent"), PLACED)
    text = result.get("content", [{}])[0].get("text", "null")
    checks.same(f"{here}: the same as text", json.loads(text), PLACED)
    code, said, _ = call("echo", {"text": TEXT}, "--format", "json")
    checks.same(f"{here}: text comes back", code, 0)
    checks.same(f"{here}: character for character", json.loads(said)["content"], [{"type": "text", "text": TEXT}])

    code, said, _ = call("fail", {}, "--format", "json")
    checks.same(f"{here}: an error result", (code, json.loads(said)["isError"]), (1, True))
    checks.same(f"{here}: its text", json.loads(said)["content"][0]["text"], "The stock is empty.")
    code, said, _ = call("picture", {}, "--format", "json")
    blocks = [(block["type"], block.get("mimeType")) for block in json.loads(said)["content"]]
    checks.same(f"{here}: a picture", (code, blocks), (0, [("text", None), ("image", "image/png")]))
    code, said, told = call("nonesuch", {})
    checks.same(f"{here}: no such tool ({said}{told})", (code, "nonesuch" in told), (2, True))
    code, said, _ = call("revision", {})
    checks.same(f"{here}: the server's revision", (code, said.strip()), (0, version))
    code, said, told = call("confirm", {"what": "the ship"}, "--no-input")
    checks.same(f"{here}: nobody to ask ({said}{told})", code != 0 or "the ship: yes" not in said, True)

    code, said, told = run(caller, era, *target)
    checks.same(f"{here}: the caller exits with ({told.strip()})", code, 0)
    seen = json.loads(said) if code == 0 else {}
    if seen:
        seen["asked"]["fields"] = sorted(seen["asked"]["fields"])
    checks.same(f"{here}: progress and questions", seen, {"version": version, **CALLER})


def checked(checks: Checks, name: str, haft: str, target: list[str], era: str) -> None:
    """The depots have neither titles nor hints: the directory asks for both, Zed for neither."""
    where = at(target)
    words = ["check", "--no-probe", "--era", era, "--format", "json"]
    code, said, told = run(haft, *words, "--host", "claude-directory", *where)
    findings = json.loads(said)["findings"] if said else []
    untitled = {finding["tool"] for finding in findings if finding["rule"] == "CLD-ANN-001"}
    checks.same(f"{name}, {era}: haft check ({told.strip()})", (code, untitled), (1, TOOLS))
    code, said, told = run(haft, *words, "--host", "zed", *where)
    checks.same(f"{name}, {era}: haft check --host zed ({said[:300]}{told.strip()})", code, 0)


def main(haft: str, caller: str, node: str, modules: str, modern: str, legacy: str, rmcp: str) -> int:
    checks = Checks()
    depots = {
        "mcp 2.3": ([modern, str(HERE / "modern.py")], True),
        "mcp 1.30": ([legacy, str(HERE / "legacy.py")], False),
        "server 2.4": ([node, str(Path(modules, "modern.mjs"))], True),
        "sdk 1.32": ([node, str(Path(modules, "legacy.mjs"))], False),
        "rmcp 3.11": ([rmcp], True),
    }
    for name, (command, both) in depots.items():
        eras = {"auto": MODERN, "legacy": LEGACY} if both else {"auto": LEGACY, "legacy": LEGACY}
        for era, version in eras.items():
            depot(checks, f"{name}, stdio", haft, caller, command, era, version)
            checked(checks, f"{name}, stdio", haft, command, era)
            with Served([*command, "--http"]) as url:
                depot(checks, f"{name}, HTTP", haft, caller, url, era, version)
                checked(checks, f"{name}, HTTP", haft, url, era)
        print(f"  {name}: done")
    official(checks, haft, node, Path(modules, "node_modules", "@modelcontextprotocol"))
    print(f"servers: {checks.done} checks, {checks.failed} failed")
    return 1 if checks.failed else 0


def official(checks: Checks, haft: str, node: str, packages: Path) -> None:
    everything = [node, str(packages / "server-everything" / "dist" / "index.js")]
    with Served([*everything, "streamableHttp"], free_port()) as url:
        for name, list_at, call_at in (
            ("server-everything, stdio", ["--", *everything], ["echo", "message=Åsa", "--", *everything]),
            ("server-everything, HTTP", url, [*url, "echo", "message=Åsa"]),
        ):
            code, said, told = run(haft, "list", "--format", "json", *list_at)
            names = {tool["name"] for tool in json.loads(said)["tools"]} if code == 0 else set()
            checks.same(f"{name}: list ({told.strip()})", (code, {"echo", "get-sum"} <= names), (0, True))
            code, said, told = run(haft, "call", *call_at)
            checks.same(f"{name}: call ({told.strip()})", (code, said.strip()), (0, "Echo: Åsa"))
            code, said, told = run(haft, "check", "--no-probe", "--host", "claude-directory", *list_at)
            checks.same(f"{name}: check ({said[:300]}{told.strip()})", code, 0)
    print("  server-everything: done")
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        Path(folder, "a.txt").write_text("Grüße\n")
        files = [node, str(packages / "server-filesystem" / "dist" / "index.js"), folder]
        code, said, told = run(haft, "list", "--format", "json", "--", *files)
        names = {tool["name"] for tool in json.loads(said)["tools"]} if code == 0 else set()
        checks.same(f"server-filesystem: list ({told.strip()})", (code, "read_text_file" in names), (0, True))
        code, said, told = run(haft, "call", "--format", "json", "read_text_file", f"path={folder}/a.txt", "--", *files)
        content = json.loads(said)["content"] if said else None
        checks.same(f"server-filesystem: read ({told.strip()})", content, [{"type": "text", "text": "Grüße\n"}])
        code, said, told = run(haft, "call", "read_text_file", "path=/etc/passwd", "--", *files)
        checks.same(f"server-filesystem: outside ({said}{told})", (code, "root:" in said), (1, False))
    print("  server-filesystem: done")


if __name__ == "__main__":
    if len(sys.argv) != 8:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
