#!/usr/bin/env python3
"""coverage.py BUILD LEAST: how many lines of src/ the tests ran, room by room.

BUILD was compiled with gcc --coverage and its tests have run. Exit code 1 where
fewer than LEAST per cent of the lines were run.
"""

import json
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SOURCES = ROOT / "src"


def counted(notes):
    """The JSON that gcov prints for one object file; null counts where it never ran."""
    printed = subprocess.run(["gcov", "--json-format", "--stdout", notes.name], cwd=notes.parent,
                             capture_output=True, text=True, check=True).stdout
    return [json.loads(line) for line in printed.splitlines() if line.startswith("{")]


def lines_run(build):
    """file -> line -> was it run by any program that holds it?"""
    found = defaultdict(dict)
    for notes in sorted(Path(build).resolve().glob("src/**/*.gcno")):
        for report in counted(notes):
            for file in report["files"]:
                path = Path(report["current_working_directory"], file["file"]).resolve()
                if not path.is_relative_to(SOURCES):
                    continue
                lines = found[path.relative_to(SOURCES)]
                for line in file["lines"]:
                    number = line["line_number"]
                    lines[number] = lines.get(number, False) or line["count"] > 0
    return found


def per_cent(lines):
    return 100.0 * sum(lines) / max(1, len(lines))


def main(build, least):
    found = lines_run(build)
    rooms = defaultdict(list)
    for path, lines in found.items():
        rooms[path.parts[0]] += lines.values()
    for path, lines in sorted(found.items(), key=lambda item: per_cent(item[1].values()))[:20]:
        missed = [number for number, ran in sorted(lines.items()) if not ran]
        if missed:
            print(f"{per_cent(lines.values()):6.1f} %  src/{path}, for example line {missed[0]}")
    print()
    for room, lines in sorted(rooms.items()):
        print(f"{per_cent(lines):6.1f} %  {room} ({len(lines)} lines)")
    everything = [ran for lines in rooms.values() for ran in lines]
    share = per_cent(everything)
    print(f"{share:6.1f} %  src ({len(everything)} lines), at least {least} % wanted")
    return 0 if everything and share >= float(least) else 1


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
