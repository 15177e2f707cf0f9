#!/usr/bin/env python3
"""Four official SDKs against one server process, all at the same time, and each against a process of its own over stdio.

Usage: check.py SERVER NODE MODULES MODERN LEGACY: the program `conformance-server`, Node.js and the folder with the packages,
and the Pythons with `mcp` 2.3.0 and 1.30.0. Exits with 1 unless every client saw exactly what it should.
"""

import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent
ROUNDS = 3
# Of each SDK, over HTTP.
CLIENTS = 3
PATIENCE = 240


def main(server: str, node: str, modules: str, modern: str, legacy: str) -> int:
    process = subprocess.Popen((server, "--addr", "127.0.0.1:0"), stderr=subprocess.PIPE, text=True)
    try:
        url = process.stderr.readline().removeprefix("listening on ").strip()
        return play(url, server, node, modules, modern, legacy)
    finally:
        process.terminate()
        process.wait(PATIENCE)


def play(url: str, server: str, node: str, modules: str, modern: str, legacy: str) -> int:
    scripts = {
        "modern-py": (modern, str(HERE / "modern.py")),
        "legacy-py": (legacy, str(HERE / "legacy.py")),
        "modern-ts": (node, str(Path(modules, "modern.mjs"))),
        "legacy-ts": (node, str(Path(modules, "legacy.mjs"))),
    }
    start, running = time.monotonic(), {}
    for sdk, command in scripts.items():
        targets = {f"{sdk}-http-{number}": url for number in range(1, CLIENTS + 1)}
        for name, target in {**targets, f"{sdk}-stdio": server}.items():
            command_line = (*command, name, str(ROUNDS), target)
            running[name] = subprocess.Popen(
                command_line, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
            )
    failed = 0
    for name, process in running.items():
        try:
            said, _ = process.communicate(timeout=max(1, start + PATIENCE - time.monotonic()))
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
        if process.returncode == 0:
            print(f"  ok    {name}")
        else:
            failed += 1
            print(f"  FAIL  {name} ({process.returncode}): {said.strip()}")
    print(f"sdks: {len(running) - failed} clients passed {ROUNDS} rounds, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) != 6:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
