#!/usr/bin/env python3
"""Checks real servers for every host, and writes what was found into the tables of docs/field-report.md.

Usage: run.py HAFT FOLDER [NAME…]: the program `haft`, and a folder for what is installed and for the reports. With names,
only those servers of servers.json are run; the tables are made of all reports in the folder.

It starts programs of others, downloaded from npm, PyPI and crates.io: run it where that does no harm. No tool is called.
"""

import collections
import concurrent.futures
import datetime
import json
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
REPORT = HERE.parents[1] / "docs" / "field-report.md"
PATIENCE = 120
AT_ONCE = 2
SEVERITIES = ("rejects", "truncates", "degraded", "advice")


def main(haft: str, folder: str, *names: str) -> None:
    folder = Path(folder).resolve()
    (folder / "tmp").mkdir(parents=True, exist_ok=True)
    servers = json.loads((HERE / "servers.json").read_text())
    wanted = [server for server in servers if not names or server["name"] in names]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        for line in pool.map(lambda server: run(haft, folder, server), wanted):
            print(line, flush=True)
    tables(folder, servers)


def run(haft: str, folder: Path, server: dict) -> str:
    name = server["name"]
    arguments = [argument.format(tmp=folder / "tmp") for argument in server.get("arguments", ())]
    try:
        command = install(folder, server) + arguments
    except (OSError, subprocess.SubprocessError) as error:
        return f"{name}: not installed: {error}"
    check = [haft, "check", "--no-probe", "--host", "all", "--fail-on", "never", "--format", "json", "--timeout", str(PATIENCE), "--"]
    environment = {**os.environ, **server.get("environment", {})}
    try:
        done = subprocess.run(
            check + command, env=environment, cwd=folder / "tmp", stdin=subprocess.DEVNULL, capture_output=True,
            text=True, timeout=3 * PATIENCE,
        )
    except subprocess.TimeoutExpired:
        return f"{name}: HANGS"
    (folder / f"{name}.err").write_text(done.stderr)
    if done.returncode != 0:
        return f"{name}: exit code {done.returncode}: {done.stderr.strip()[:300]}"
    report = json.loads(done.stdout)
    report["date"] = datetime.date.today().isoformat()
    (folder / f"{name}.json").write_text(json.dumps(report))
    return f"{name}: {report['tools']} tools, {len(report['findings'])} findings"


def install(folder: Path, server: dict) -> list[str]:
    """The command that starts the server, once what it needs is there."""
    place = folder / "installed" / server["name"]
    quiet = {"check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.PIPE, "timeout": 900}
    if package := server.get("npm"):
        if not (place / "node_modules").exists():
            subprocess.run(("npm", "install", "--no-audit", "--no-fund", "--prefix", place, package), **quiet)
        name = package.rpartition("@")[0]
        program = json.loads((place / "node_modules" / name / "package.json").read_text())["bin"]
        program = program if isinstance(program, str) else next(iter(program.values()))
        return ["node", str(place / "node_modules" / name / program)]
    if package := server.get("pypi"):
        program = place / "bin" / package.partition("==")[0]
        if not program.exists():
            subprocess.run((sys.executable, "-m", "venv", place), **quiet)
            subprocess.run((place / "bin" / "pip", "install", "-q", package), **quiet)
        return [str(program)]
    package = server["crate"]
    program = place / "bin" / package.partition("@")[0]
    if not program.exists():
        subprocess.run(("cargo", "install", "--locked", "--root", place, package), **quiet)
    return [str(program)]


def tables(folder: Path, servers: list[dict]) -> None:
    seen = []
    for server in servers:
        path = folder / f"{server['name']}.json"
        if path.exists():
            seen.append((server, json.loads(path.read_text())))
    text = REPORT.read_text()
    for name, made in (("servers", of_servers(seen)), ("hosts", of_hosts(seen)), ("rules", of_rules(seen))):
        begin, end = f"<!-- {name} -->\n", f"<!-- end of {name} -->"
        before, _, rest = text.partition(begin)
        _, _, after = rest.partition(end)
        text = f"{before}{begin}{made}{end}{after}"
    REPORT.write_text(text)


def of_servers(seen: list) -> str:
    lines = ["| server | package | checked on | tools | rejects | truncates | degraded | advice |", "|---|---|---|--:|--:|--:|--:|--:|"]
    for server, report in seen:
        package = server.get("npm") or server.get("pypi") or server["crate"]
        kind = next(kind for kind in ("npm", "pypi", "crate") if kind in server)
        kind = {"npm": "npm", "pypi": "PyPI", "crate": "crates.io"}[kind]
        count = collections.Counter(finding["severity"] for finding in report["findings"])
        counts = " | ".join(str(count[severity]) for severity in SEVERITIES)
        lines.append(f"| {server['name']} | `{package}` ({kind}) | {report['date']} | {report['tools']} | {counts} |")
    return "\n".join(lines) + "\n"


def of_hosts(seen: list) -> str:
    hosts = [verdict["who"] for verdict in seen[0][1]["verdicts"]] if seen else []
    lines = ["| server | rejected by | cut or changed by | loses something at |", "|---|---|---|---|"]
    for server, report in seen:
        by = {verdict["who"]: verdict["worst"] for verdict in report["verdicts"]}
        cells = [", ".join(who for who in hosts if by.get(who) == severity) or "–" for severity in SEVERITIES[:3]]
        lines.append(f"| {server['name']} | {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def of_rules(seen: list) -> str:
    found: dict[str, dict] = {}
    for server, report in seen:
        for finding in report["findings"]:
            about = found.setdefault(finding["rule"], {"finding": finding, "places": 0, "servers": set()})
            about["places"] += 1
            about["servers"].add(server["name"])
    lines = ["| rule | what | severity | findings | servers |", "|---|---|---|--:|--:|"]
    order = lambda item: (SEVERITIES.index(item[1]["finding"]["severity"]), -len(item[1]["servers"]), item[0])
    for rule, about in sorted(found.items(), key=order):
        finding = about["finding"]
        if finding["severity"] != "advice":
            link = f"[{rule}](rules/{rule}.md)"
            lines.append(f"| {link} | {finding['title']} | {finding['severity']} | {about['places']} | {len(about['servers'])} |")
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(*sys.argv[1:])
