"""namespaces.py ROOT: the public namespaces hold what include/polyak declares, and nothing else.

The public namespaces are those that headers of include/polyak open: polyak, polyak::theory and
so on. A header of src/ declares in a namespace `internal` inside of one, in polyak::internal::io
for example; apps/, cuda/, mpi/, petsc/ and python/ have namespaces of their own. Reads every
header of these folders, but for those of tests, and refuses
  - in a public header: a namespace `internal`, and a class of the name of an internal one;
  - in any other: a declaration in a public namespace. A header of src/ may define there a class
    that a public header names, or a member class of one;
  - a using-directive outside of functions, which would reach into every file that includes it.
The headers are formatted by clang-format: what stands in a namespace begins in the first column.
Prints each offence as FILE:LINE with what to do; exit 1 if there is one.
"""

import re
import sys
from collections import defaultdict
from pathlib import Path

OPEN = re.compile(r"(?:inline )?namespace (?:([\w:]+) )?\{")
CLOSE = re.compile(r"\}  // namespace")
CLASS = re.compile(r"^(?:class|struct|union|enum class|enum) (?:alignas\([^)]*\) )?(\w+)")
USING = re.compile(r"using namespace ([\w:]+)")
DECLARATION = re.compile(r"[\w:\[]")
PARTS = ("apps", "cuda", "mpi", "petsc", "python")


def code(path):
    """(line number, line) of the lines of a file, without comments and directives of the preprocessor."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.startswith(("#", "//")):
            yield number, line if CLOSE.match(line) else re.sub(r"\s*//.*", "", line)


def declarations(path):
    """(line number, line, namespace) of each line that begins a declaration of a namespace."""
    inside = []
    for number, line in code(path):
        if OPEN.match(line):
            inside.append(OPEN.match(line)[1] or "")
            yield number, line, "::".join(inside)
        elif CLOSE.match(line):
            inside.pop()
        elif DECLARATION.match(line):
            yield number, line, "::".join(inside)


def classes(headers):
    """The names of the classes of each namespace."""
    found = defaultdict(set)
    for path in headers:
        for _, line, namespace in declarations(path):
            found[namespace].update(CLASS.findall(line)[:1])
    return found


def public_faults(path, hidden):
    """(line number, offence) of a public header; `hidden` are the internal classes."""
    for number, line in code(path):
        if re.search(r"\binternal\s*(::|\{)", line):
            yield number, "a public header knows nothing internal; make the name public or leave it out"
    for number, line, namespace in declarations(path):
        name = CLASS.match(line) and CLASS.match(line)[1]
        if name in hidden.get(f"{namespace}::internal", ()):
            yield number, f"{name} is a class of {namespace}::internal too; one name, one class"


def inner_faults(path, public):
    """(line number, offence) of a header that is not public; `public` are the classes of those."""
    for number, line, namespace in declarations(path):
        name = CLASS.match(line) and CLASS.match(line)[1]
        if namespace in public and not OPEN.match(line) and not USING.match(line) and name not in public[namespace]:
            yield number, (f"{line.split('(')[0]}: no public header has this, so it may not be in {namespace}; "
                           f"src/ has {namespace}::internal, other folders a namespace of their own")


def using_faults(path):
    for number, line, _ in declarations(path):
        if USING.match(line):
            yield number, f"{line} in a header; write the namespace before the name"


def main(root):
    headers = {top: [path for path in sorted((root / top).rglob("*"))
                     if path.suffix in (".hpp", ".cuh") and "tests" not in path.relative_to(root).parts]
               for top in ("include", "src", *PARTS)}
    public, hidden = classes(headers["include"]), classes(headers["src"])
    every = [path for paths in headers.values() for path in paths]
    offences = []
    for path in every:
        faults = public_faults(path, hidden) if path in headers["include"] else inner_faults(path, public)
        offences += [f"{path.relative_to(root)}:{number}: {why}" for number, why in [*faults, *using_faults(path)]]
    print(*offences, f"{len(every)} headers, {len(public)} public namespaces, {len(offences)} offences", sep="\n")
    return 1 if offences or not public or not any("::internal" in name for name in hidden) else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
