#!/usr/bin/env python3
"""Makes the corpora that fuzzing begins with.

Usage: seeds.py SPEC OUT. SPEC is the folder with the specification's examples; OUT gets a folder for each target. The
seeds of this project, in `seeds/`, are copied there, too.
"""

import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).parent


def messages(spec: Path):
    """The examples that are whole messages of a client's."""
    for path in sorted(spec.glob("examples-*/*/*.json")):
        message = json.loads(path.read_text())
        if isinstance(message, dict) and "method" in message and "jsonrpc" in message:
            yield path.parent.name, json.dumps(message, separators=(",", ":"))


def main(spec: Path, out: Path) -> None:
    found = list(messages(spec))
    assert found, f"no examples in {spec}"
    for target in ("http", "stdio_lines"):
        folder = out / target
        folder.mkdir(parents=True, exist_ok=True)
        for seed in (HERE / "seeds" / target).iterdir():
            shutil.copy(seed, folder)
        for number, (name, message) in enumerate(found):
            (folder / f"{name}-{number}").write_text(message + "\n" * (target == "stdio_lines"))
    together = "".join(message + "\n" for _, message in found)
    (out / "stdio_lines" / "all").write_text(together)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]), Path(sys.argv[2]))
