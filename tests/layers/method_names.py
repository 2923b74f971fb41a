"""method_names.py ROOT: a method's name is spelled in its record and nowhere else.

Reads the names from the records in src/method, then every string literal of src/ and apps/
that is such a name. Code refers to a method by its record (lsqr_record().info.name) or by a
property of it (MethodInfo, MethodRecord), so that a new method is one file and one line.
Names inside longer texts (hints, summaries) are not looked for.
Prints each offence as FILE:LINE; exit 1 if there is one.
"""

import re
import sys
from pathlib import Path

RECORD = re.compile(r'(?:\.info\s*=\s*\{|gradient_record\()\s*"([^"]+)"')
LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')

# Folders that name methods for a reason of their own.
FOLDERS = {
    "src/method": "the records",
    "src/experiments": "the paper's figures compare methods by name",
    "src/bench": "contests list their entrants, some of them other libraries' methods",
    "src/tomography": "reconstructions have method names of their own and map some to ours",
}
# Files elsewhere, by name, and the names each may spell.
FILES = {
    "driver_verdicts.cpp": {"lsqr", "direct"},  # a hint to the user
    "column_report.cpp": {"normal"},            # a warning about AᵀA
    "plan_command.cpp": {"rk"},                 # the command that a plan suggests
    "dry_run.cpp": {"lsqr", "direct"},          # a hint to the user
    # Headings and JSON keys of closed forms, which exist without any method.
    "answer.cpp": {"minibatch-hbm", "minibatch-nag", "nag"},
}


def method_names(root):
    return {name for path in (root / "src/method").rglob("*.cpp")
            for name in RECORD.findall(path.read_text(encoding="utf-8"))}


def offences(root, path, names):
    """(line number, name) of each name spelled where it may not be."""
    allowed = FILES.get(path.name, set())
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.lstrip().startswith("//"):
            continue
        for literal in LITERAL.findall(line):
            if literal in names - allowed:
                yield number, literal


def main(root):
    names = method_names(root)
    files = [path for top in ("src", "apps") for path in sorted((root / top).rglob("*"))
             if path.suffix in (".cpp", ".hpp")
             and not any(path.is_relative_to(root / folder) for folder in FOLDERS)]
    found = [f'{path.relative_to(root)}:{number}: "{name}"; use its record (src/method/record.hpp)'
             for path in files for number, name in offences(root, path, names)]
    print(*found, f"{len(files)} files, {len(names)} methods, {len(found)} offences", sep="\n")
    return 1 if found or not names else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
