"""hidden.py ROOT: helpers in unnamed namespaces that a helper or an internal name of the same room may hide."""
import sys, subprocess
from collections import defaultdict
from pathlib import Path
from cxx import Source
root = Path(sys.argv[1])
names = subprocess.run(["git","-C",str(root),"ls-files","src/*.cpp","src/*.hpp"],capture_output=True,text=True).stdout.split()
anon = defaultdict(set); named = defaultdict(set); pub = defaultdict(set)
for n in names:
    s = Source((root/n).read_text()); room = n.split("/")[1]
    for d in s.decls:
        if d.kind in ("directive",) or d.quals or not d.path or d.path[0] != "polyak": continue
        if d.anonymous: anon[room, d.name].add((tuple(p for p in d.path if p), n))
        elif d.kind == "function": named[room, d.name].add((d.path, n))
for (room, name), places in sorted(anon.items()):
    paths = {p for p, _ in places}
    if len(paths) > 1: print("anonymous twice:", room, name, sorted(places))
    for p, n in places:
        for q, m in named.get((room, name), ()):
            if p != q: print("anonymous and named:", room, name, n, "::".join(p), m, "::".join(q))
