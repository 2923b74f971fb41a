"""layers.py ROOT: nothing below reaches up.

The rooms and what each may use are written once, as polyak_room(...) calls in
src/CMakeLists.txt; this reads every #include of src/, include/, apps/, mpi/ and
petsc/ and holds it to them:
  src/ROOM         its own room, the rooms it depends on, and theirs; a public
                   header counts as the room that owns it
  include/polyak   public headers only, by the same table
  apps/PROGRAM     public headers, and files of its own folder tree, named
                   relative to apps/PROGRAM
  mpi, petsc       public headers and their own files; mpi also the program's
                   (apps/polyak), petsc also those of mpi
Prints each offence as FILE:LINE with what to do; exit 1 if there is one.
"""

import re
import sys
from pathlib import Path

INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"([^"]+)"|<(polyak/[^>]+)>)')
ROOM = re.compile(r"^\s*polyak_room\(([^)]*)\)", re.MULTILINE)
TABLE = "src/CMakeLists.txt"
# Optional parts beside the library, and the folders whose files each may include.
PARTS = {"mpi": ["mpi", "apps/polyak"], "petsc": ["petsc", "mpi"]}


class Rooms:
    """What each room may use, and which room owns each public header."""

    def __init__(self, text):
        self.uses, self.owner = {}, {}
        for call in ROOM.findall(text):
            name, *words = call.split()
            lists = {"DEPENDS": [], "PUBLIC": [], "USES": []}
            for word in words:
                if word in lists:
                    current = lists[word]
                else:
                    current.append(word)
            self.uses[name] = {name}
            for below in lists["DEPENDS"]:
                if below not in self.uses:
                    sys.exit(f"{TABLE}: room {name} depends on {below}, which does not stand above it")
                self.uses[name] |= self.uses[below]
            self.owner.update({f"polyak/{header}.hpp": name for header in lists["PUBLIC"]})


def includes(path):
    """(line number, included name) of the project's own includes."""
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match[1] or match[2]


def room_of(rooms, root, path):
    """The room of a file; None outside of the library. KeyError for a file in no room."""
    top, place = path.relative_to(root).parts[:2]
    if top == "apps" or top in PARTS:
        return None
    room = place if top == "src" else rooms.owner[path.relative_to(root / top).as_posix()]
    rooms.uses[room]  # KeyError for an undeclared one
    return room


def is_own_file(root, path, name):
    """True if name is a file below a folder that path may use: apps/PROGRAM, or those of PARTS."""
    parts = path.relative_to(root).parts
    for folder in [root / part for part in PARTS.get(parts[0], ["/".join(parts[:2])])]:
        file = (folder / name).resolve()
        if folder.is_dir() and file.is_relative_to(folder) and file.is_file():
            return True
    return False


def fault(rooms, root, path, room, name):
    """Why this file of that room may not include name, or None."""
    public = name.startswith("polyak/")
    if room is None:
        if public or is_own_file(root, path, name):
            return None
        return (f'"{name}" is not public; outside of the library only polyak/ headers and own files '
                "are included, those of a program named relative to apps/PROGRAM")
    if path.is_relative_to(root / "include") and not public:
        return f'"{name}" is not installed; a public header includes only public headers'
    target = rooms.owner.get(name) if public else name.split("/")[0]
    if target not in rooms.uses:
        return f'"{name}" is in no room; write "ROOM/FILE.hpp" or "polyak/FILE.hpp" with one of {TABLE}'
    if target not in rooms.uses[room]:
        below = ", ".join(sorted(rooms.uses[room] - {room})) or "nothing of ours"
        return (f"{room} may not use {target} ({name}), only {below}; move the code down, "
                f"pass the value in, or change {TABLE} deliberately")
    return None


def faults(rooms, root, path):
    """(line number, offence) of one file."""
    try:
        room = room_of(rooms, root, path)
    except KeyError:
        yield 1, f"this file is in no room; declare one, or make it PUBLIC of one, in {TABLE}"
        return
    for number, name in includes(path):
        why = fault(rooms, root, path, room, name)
        if why:
            yield number, why


def main(root):
    rooms = Rooms((root / TABLE).read_text(encoding="utf-8"))
    files = [path for top in ("src", "include", "apps", *PARTS) for path in sorted((root / top).rglob("*"))
             if path.suffix in (".cpp", ".hpp", ".h")]
    offences = [f"{path.relative_to(root)}:{number}: {why}"
                for path in files for number, why in faults(rooms, root, path)]
    print(*offences, f"{len(files)} files, {len(rooms.uses)} rooms, {len(offences)} offences", sep="\n")
    return 1 if offences or not files else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
