"""exports.py LIBRARY HEADERS...: a shared library exports what its public headers declare.

Each exported symbol of namespace polyak must be a function, a class, or a
member of a class, whose name stands in a header of the folders HEADERS, and
nothing of a namespace `internal`. A class that a header only names, without a
definition, has its members exported too.
"""

import re
import subprocess
import sys
from pathlib import Path


def declared(folders):
    text = "".join(path.read_text(encoding="utf-8") for folder in folders for path in Path(folder).glob("*.hpp"))
    return set(re.findall(r"\w+", text))


def exported(library):
    """Demangled symbols of ours, without what templates of others are made for."""
    lines = subprocess.run(["nm", "-D", "--defined-only", "-C", library], capture_output=True, text=True,
                           check=True).stdout.splitlines()
    for line in lines:
        name = re.sub(r"^[0-9a-f]+ \w ", "", line)
        name = re.sub(r"^(typeinfo name|typeinfo|vtable|guard variable|VTT) for ", "", name)
        of_std = re.match(r"[\w:]+[*&]* std::", name)  # behind the type that it returns
        if name.startswith("polyak::") and not of_std:
            yield name


def name_of(symbol):
    """The function or class: polyak::theory::A<...>::f(...) -> A."""
    symbol = re.sub(r"\[abi:\w+\]|^polyak::|\b(theory|tomography|experiments|bench|detail)::", "", symbol)
    return re.match(r"\w+", symbol)[0]


def is_internal(symbol):
    """Arguments and what stands in <> may be internal; the name itself may not."""
    return "internal::" in re.split(r"[(<]", symbol)[0]


def main(library, *folders):
    known = declared(folders)
    names = list(exported(library))
    inside = [name for name in names if is_internal(name) or name_of(name) not in known]
    print(*inside, f"{library}: {len(names)} symbols exported, {len(inside)} of them internal", sep="\n")
    return 1 if inside or not names else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
