#!/usr/bin/env python3
"""transform.py ROOT [--dry]: moves what only src/ declares into namespaces `internal`.

The rule (src/README.md of the result):
  include/polyak declares in polyak and in polyak::theory, ::tomography, ::experiments, ::bench.
  A header of src/ declares in `internal` of one of these; rooms without public names have a
  namespace in it, polyak::internal::io. mpi/ and petsc/ have polyak::mpi and polyak::petsc.
  A .cpp that defines public names stays in the public namespace, with using-directives for the
  internal ones, and writes internal functions that it defines as internal::f.

Works on a tree that is wholly or partly in the old form; what is in the new form stays as it
is, so that it can be run again after a merge. Afterwards: clang-format, then the patch beside
this file. Prints what a person should look at.
"""

import re
import subprocess
import sys
from collections import defaultdict
from pathlib import Path

from cxx import Source

ROOT = Path(sys.argv[1]).resolve()
DRY = "--dry" in sys.argv
INTERNAL = ("polyak", "internal")
PARTS = {"mpi": ("polyak", "mpi"), "petsc": ("polyak", "petsc")}
# Names that macros make.
RECORD = re.compile(r"METHOD\((\w+)\)")

notes = []


def note(path, text):
    notes.append(f"{path}: {text}")


def files(*tops, suffixes=(".cpp", ".hpp", ".cu", ".cuh")):
    listed = subprocess.run(["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", *tops],
                            capture_output=True, text=True, check=True).stdout.split("\n")
    return [name for name in listed if name.endswith(suffixes) and (ROOT / name).is_file()]


sources = {}


def source(name):
    if name not in sources:
        try:
            sources[name] = Source((ROOT / name).read_text(encoding="utf-8"))
        except (ValueError, RecursionError) as error:
            sys.exit(f"{name}: {error}")
    return sources[name]


# ---- What is public -------------------------------------------------------------------

PUBLIC_FILES = files("include") + ["cmake/version.hpp.in"]
public = defaultdict(lambda: defaultdict(list))  # path -> name -> declarations
roots = set()
for name in PUBLIC_FILES:
    s = source(name)
    for block in s.blocks:
        if block.parent is None and block.own[0] == "polyak":
            roots.add(block.path)
    for d in s.decls:
        if not d.anonymous and d.kind != "directive":
            public[d.path][d.name].append((s, d))
PUBLIC_PATHS = set(public) | roots


def root_of(path):
    """The longest public namespace of a path."""
    best = ()
    for root in roots:
        if path[:len(root)] == root and len(root) > len(best):
            best = root
    return best


def internalized(path):
    if "internal" in path or path in PUBLIC_PATHS - roots:
        return path
    root = root_of(path)
    return root + ("internal",) + path[len(root):]


def is_public_type(path, name):
    return any(d.kind in ("type", "forward") for _, d in public.get(path, {}).get(name, []))


def stays(d):
    """A class of a header of src/ that a public header names, or a member of one."""
    path = tuple(p for p in d.path if p != "internal")
    if d.kind not in ("type", "forward") or d.special:
        return False
    return is_public_type(path, (d.quals or [d.name])[0])


# ---- What is internal -------------------------------------------------------------------

SRC_HEADERS = files("src", suffixes=(".hpp", ".h"))
internal = defaultdict(lambda: defaultdict(list))
kinds = defaultdict(set)  # internal path -> name -> kinds
for name in SRC_HEADERS:
    s = source(name)
    for d in s.decls:
        if d.anonymous or d.kind == "directive" or not d.path or d.path[0] != "polyak":
            continue
        if d.path in roots and (stays(d) or d.quals):
            continue
        internal[internalized(d.path)][d.name].append((s, d))
    for record in RECORD.findall(s.text):
        if record != "name":
            internal[INTERNAL][f"{record}_record"] = []
internal.pop((), None)
internal_paths = set(internal)
for path in list(internal_paths):
    for k in range(2, len(path)):
        internal_paths.add(path[:k + 1])
ROOMS = {path[2] for path in internal_paths if path[:2] == INTERNAL and len(path) > 2}
ROOTS_INTERNAL = sorted({path[:path.index("internal") + 1] for path in internal_paths if "internal" in path})

# Names of mpi/ and petsc/.
part_names = {}
for part, path in PARTS.items():
    part_names[path] = {d.name for name in files(part, suffixes=(".hpp",)) for d in source(name).decls
                        if not d.anonymous and d.path in (("polyak",), path) and not d.quals}


def is_type(path, name):
    return any(d.kind in ("type", "forward", "alias", "variable") for _, d in internal[path].get(name, []))


# ---- Includes -----------------------------------------------------------------------------

ALL_FILES = files("src", "tests", "bench", "python", "cuda", "mpi", "petsc", "apps", "include", "examples")
KNOWN = set(ALL_FILES)


def resolve(name, include):
    folder = str(Path(name).parent)
    for base in (folder, "src", "tests", "cuda", "include", ".", "mpi", "petsc", "apps/polyak", "python/src",
                 *(f"tests/{room}" for room in ("", "support"))):
        candidate = str((ROOT / base / include).resolve())
        if candidate.startswith(str(ROOT) + "/") and candidate[len(str(ROOT)) + 1:] in KNOWN:
            return candidate[len(str(ROOT)) + 1:]
    return None


closures = {}


def closure(name):
    if name not in closures:
        closures[name] = found = {name}
        work = [name]
        while work:
            here = work.pop()
            for include in source(here).includes:
                target = resolve(here, include)
                if target and target not in found:
                    found.add(target)
                    work.append(target)
    return closures[name]


def declared_internals(name):
    """The internal namespaces that the includes of a file, or the file, declare."""
    out = set()
    for file in closure(name):
        if file.startswith("src/"):
            for block in source(file).blocks:
                if block.path and block.path[0] == "polyak" and "" not in block.path and file.endswith("hpp"):
                    out.add(internalized(block.path))
    return {root for root in ROOTS_INTERNAL if any(path[:len(root)] == root for path in out)}


# ---- Edits -------------------------------------------------------------------------------


class Editor:
    def __init__(self, name):
        self.name, self.s, self.edits = name, source(name), []

    def replace(self, start, end, text):
        self.edits.append((start, end, text))

    def insert_before(self, token, text):
        start = self.s.tokens[token].start
        self.edits.append((start, start, text))

    def rename(self, block, own):
        """Opener and closing comment of a namespace block."""
        if own == block.own:
            return
        s = self.s
        new = "namespace " + "::".join(own) + " {"
        self.replace(s.tokens[block.opener].start, s.tokens[block.brace].end, new)
        end = s.tokens[block.close].end
        comment = re.compile(r"[ \t]*// namespace[^\n]*").match(s.text, end)
        if comment:
            self.replace(comment.start(), comment.end(), "  // namespace " + "::".join(own))

    def write(self):
        if not self.edits:
            return False
        text, last = self.s.text, None
        for start, end, new in sorted(set(self.edits), key=lambda e: (e[0], e[1]), reverse=True):
            if last is not None and end > last:
                raise SystemExit(f"{self.name}: edits overlap near {text[start:start + 60]!r}")
            text = text[:start] + new + text[end:]
            last = start
        if text == self.s.text:
            return False
        if not DRY:
            (ROOT / self.name).write_text(text, encoding="utf-8")
        return True


def blocks_at(s):
    """For each token the innermost block."""
    out = [None] * (len(s.tokens) + 1)
    for block in s.blocks:  # outer ones come first
        for i in range(block.brace + 1, block.close):
            out[i] = block
    return out


def used_names(s, first, last):
    """Identifiers that may be found by unqualified lookup: (name, is a qualifier)."""
    out = set()
    for i in range(first, last):
        if s.kind(i) != "name" or s.at(i - 1) in (".", "->"):
            continue
        if s.at(i - 1) == "::":
            continue
        directive = [s.at(i - 2), s.at(i - 1)] == ["using", "namespace"]
        out.add((s.at(i), s.at(i + 1) == "::" or directive))
    return out


def uses(names, root):
    """Whether one of these names is declared in an internal namespace."""
    inside = {path[len(root)] for path in internal_paths if path[:len(root)] == root and len(path) > len(root)}
    return any(name in internal[root] or (qualifier and name in inside) for name, qualifier in names)


def qualified_uses(e, finals):
    """theory::f becomes theory::internal::f, polyak::X polyak::internal::X."""
    s = e.s
    for i in range(len(s.tokens) - 2):
        if s.kind(i) != "name" or s.at(i + 1) != "::" or s.kind(i + 2) != "name":
            continue
        head, member = s.at(i), s.at(i + 2)
        if s.at(i - 1) == "namespace":
            continue
        if s.at(i - 1) == "::" and s.at(i - 2) != "polyak":
            continue
        path = ("polyak",) if head == "polyak" else ("polyak", head)
        if path not in roots or member == "internal":
            continue
        inner = path + ("internal",)
        inside = {p[len(inner)] for p in internal_paths if p[:len(inner)] == inner and len(p) > len(inner)}
        hidden = member in internal[inner] or (member in inside and s.at(i + 3) == "::")
        if hidden and member in public[path]:
            note(e.name, f"{head}::{member} is public and internal")
        elif hidden:
            e.replace(s.tokens[i + 2].start, s.tokens[i + 2].start, "internal::")
        elif head == "polyak" and e.name.startswith("petsc") and member in part_names[PARTS["petsc"]] \
                and member not in public[path]:
            e.replace(s.tokens[i + 2].start, s.tokens[i + 2].start, "petsc::")


def part_uses(e, finals):
    """Names of mpi/ and petsc/ outside of their namespaces."""
    s = e.s
    if not e.name.startswith(("mpi/", "petsc/")):
        return
    for path, names in part_names.items():
        if path == PARTS["petsc"]:
            continue
        for i, token in enumerate(s.tokens):
            if token.kind != "name" or token.text not in names or s.at(i - 1) in (".", "->", "::"):
                continue
            if finals(i)[:2] == path:
                continue
            e.insert_before(i, "mpi::")


def names_of_closure(name):
    """Namespace -> names that a file and its includes declare, in the new form."""
    out = defaultdict(set)
    for file in closure(name):
        for d in source(file).decls:
            if not d.anonymous and d.kind != "directive" and not d.quals and d.path:
                path = internalized(d.path) if file.startswith("src/") and not (d.path in roots and stays(d)) else d.path
                out[path].add(d.name)
    return out


def qualify_in_header(e, finals):
    """In a header, types and functions of internal namespaces that are not visible."""
    s = e.s
    own = {d.name for d in s.decls}
    roots_here = declared_internals(e.name)
    nearer = names_of_closure(e.name)
    for i, token in enumerate(s.tokens):
        if token.kind != "name" or s.at(i - 1) in (".", "->", "::", "namespace"):
            continue
        path = finals(i)
        if not path:
            continue
        for root in sorted(roots_here, key=len, reverse=True):
            if path[:len(root) - 1] != root[:-1]:
                continue  # not of an enclosing namespace
            if path[:len(root)] == root:
                if token.text in internal[root]:
                    break  # found here
                continue
            if any(token.text in nearer.get(path[:k], ()) for k in range(len(root), len(path) + 1)):
                break
            inside = {p[len(root)] for p in internal_paths if p[:len(root)] == root and len(p) > len(root)}
            name = token.text
            if name in inside and s.at(i + 1) == "::":
                pass
            elif name not in internal[root] or name in own:
                continue
            elif is_type(root, name):
                if s.at(i + 1) in ("(", "=", "{", ";", ",", ")") and name[0].islower():
                    continue  # a variable of that name
            elif s.at(i + 1) != "(" or (s.kind(i - 1) == "name" and s.at(i - 1) != "return") \
                    or s.at(i - 1) in ("&", "*", ">"):
                continue
            nearest = [r for r in ROOTS_INTERNAL if path[:len(r) - 1] == r[:-1]]
            near = max(nearest, key=len)
            e.insert_before(i, "internal::" if near == root else "::".join(root) + "::")
            break


def directives(e, s, block, final):
    """Inserts using-directives behind the opener of a block of a .cpp."""
    names = used_names(s, block.brace + 1, block.close)
    opened = {d.target for d in s.decls if d.kind == "directive"}
    present = {d.target for d in s.decls
               if d.kind == "directive" and d.path[:len(block.path)] == block.path}
    wanted = []
    for root in sorted(declared_internals(e.name)):
        public_root = root[:-1]
        if final[:len(root)] == root:
            continue
        enclosing = final[:len(public_root)] == public_root
        by_directive = public_root[1:] in opened or public_root in opened
        if (enclosing or by_directive) and uses(names, root) and root not in present:
            wanted.append(root)
    if not wanted:
        return
    text = "".join(f"\nusing namespace {'::'.join(root)};" for root in wanted)
    end = s.tokens[block.brace].end
    following = s.text[end:end + 200].lstrip("\n")
    if not following.startswith("using namespace") and s.text[end:end + 2] != "\n\n":
        text += "\n"
    e.replace(end, end, text)


def final_paths(e, mapping):
    """A function token -> namespaces after the edits."""
    where = blocks_at(e.s)

    def path_of(block):
        if block is None:
            return ()
        return path_of(block.parent) + mapping.get(id(block), block.own)

    return lambda i: path_of(where[i]) if i < len(where) else ()


def top_blocks(s):
    return [b for b in s.blocks if b.parent is None and b.own[0] == "polyak"]


def decls_in(s, block):
    return [d for d in s.decls if block.brace < d.first < block.close]


def comment_start(s, decl):
    """Where the comment above a declaration begins."""
    start = s.tokens[decl.first].start
    lines = s.text[:start].split("\n")
    k = len(lines) - 1
    while k > 0 and lines[k - 1].lstrip().startswith("//"):
        k -= 1
    return len("\n".join(lines[:k])) + (1 if k else 0)


# ---- One file -------------------------------------------------------------------------------


def header_of_src(name):
    e = Editor(name)
    s, mapping = e.s, {}
    for block in top_blocks(s):
        if "internal" in block.path:
            continue
        inside = [d for d in decls_in(s, block) if d.path == block.path]
        kept = [d for d in inside if stays(d)]
        if kept and len(kept) == len(inside):
            continue  # only definitions of what public headers name
        new = internalized(block.own)
        mapping[id(block)] = new
        e.rename(block, new)
        here, there = "::".join(new), "::".join(block.own)
        for d in kept:
            first, last = comment_start(s, d), s.tokens[d.last].end
            e.replace(first, first, f"}}  // namespace {here}\n\nnamespace {there} {{\n\n")
            e.replace(last, last, f"\n\n}}  // namespace {there}\n\nnamespace {here} {{")
    finals = final_paths(e, mapping)
    qualified_uses(e, finals)
    qualify_in_header(e, finals)
    return e.write()


def same_signature(s, d, candidates):
    mine = s.signature(d)
    return any(other.params and other_source.signature(other) == mine for other_source, other in candidates)


def verdict(e, s, d, base):
    """public, internal or None for a definition in a .cpp."""
    path = tuple(p for p in d.path if p != "internal")
    inner = internalized(path)
    name = (d.quals or [d.name])[0]
    outward, inward = public.get(path, {}).get(name, []), internal.get(inner, {}).get(name)
    if d.quals:
        if any(o.kind in ("type", "forward") for _, o in outward):
            return "public"
        return "internal" if inward is not None or inner + (name,) in internal_paths else None
    if outward and inward:
        if d.kind != "function" or d.params is None:
            note(e.name, f"{name} is public and internal")
            return None
        if same_signature(s, d, outward):
            return "public"
        if same_signature(s, d, inward):
            return "internal"
        note(e.name, f"{name}: which of the overloads? {s.signature(d)}")
        return None
    if outward:
        return "public"
    return "internal" if inward is not None else None


def cpp_of_src(name):
    e = Editor(name)
    s, mapping = e.s, {}
    for block in top_blocks(s):
        if "internal" in block.path:
            directives(e, s, block, block.path)
            continue
        inside = [d for d in decls_in(s, block) if not d.anonymous and d.kind not in ("directive", "alias")]
        verdicts = {id(d): verdict(e, s, d, block) for d in inside}
        if block.path in roots and "public" in verdicts.values():
            final = block.path
            for d in inside:
                what = verdicts[id(d)]
                if d.path != block.path:
                    continue
                if what is None and d.kind != "forward":
                    note(name, f"{d.kind} {'::'.join(d.quals + [d.name])} is declared in no header")
                if what == "internal" and not d.quals:
                    if d.kind in ("type", "forward") or not d.body:
                        note(name, f"{d.kind} {d.name} in a public block")
                    else:
                        e.insert_before(d.name_at, "internal::")
            for inner in s.blocks:
                if inner.parent is block and inner.own[0] and inner.path not in PUBLIC_PATHS \
                        and inner.own[0] not in ("HWY_NAMESPACE", "internal"):
                    mapping[id(inner)] = ("internal",) + inner.own
                    e.rename(inner, mapping[id(inner)])
        else:
            final = internalized(block.path)
            mapping[id(block)] = final
            e.rename(block, final)
            for d in inside:
                if verdicts[id(d)] is None and d.path == block.path and d.kind in ("function", "variable") \
                        and not d.quals and "HWY_NAMESPACE" not in d.path:
                    note(name, f"{d.kind} {d.name} is declared in no header (now internal)")
        directives(e, s, block, final)
    finals = final_paths(e, mapping)
    qualified_uses(e, finals)
    return e.write()


def is_test(name):
    """Headers of tests may have using-directives."""
    return "tests" in name.split("/")


def other_file(name):
    e = Editor(name)
    s, mapping = e.s, {}
    part = PARTS.get(name.split("/")[0])
    for block in top_blocks(s):
        final = block.path
        if part and block.path == ("polyak",):
            final = part
        elif len(block.path) > 1 and block.path[1] in ROOMS:
            final = internalized(block.path)
        mapping[id(block)] = final
        e.rename(block, final)
        for inner in s.blocks:
            if inner.parent is block and block.path == ("polyak",) and inner.own[0] in ROOMS:
                mapping[id(inner)] = ("internal",) + inner.own
                e.rename(inner, mapping[id(inner)])
        if not name.endswith(("hpp", "cuh")) or is_test(name):
            directives(e, s, block, final)
    finals = final_paths(e, mapping)
    qualified_uses(e, finals)
    part_uses(e, finals)
    if name.endswith(("hpp", "cuh")) and not is_test(name):
        qualify_in_header(e, finals)
    elif not name.endswith(("hpp", "cuh")):
        outside_blocks(e, s, name)
    return e.write()


def outside_blocks(e, s, name):
    """A file with `using namespace polyak;` outside of the namespace, or in an unnamed one."""
    outside = [i for i in range(len(s.tokens)) if not any(b.opener <= i <= b.close for b in top_blocks(s))]
    wanted = [] if top_blocks(s) else [root for root in sorted(declared_internals(name))
                                       if uses(used_names(s, 0, len(s.tokens)), root)]
    declares = any(block.path in (("polyak",), PARTS["petsc"]) for file in closure(name)
                   if file.startswith("petsc/") and file.endswith("hpp") for block in source(file).blocks)
    if declares and any(s.at(i) in part_names[PARTS["petsc"]] for i in outside):
        wanted.append(PARTS["petsc"])
    for root in wanted:
        for i in outside:
            if [s.at(i + k) for k in range(4)] == ["using", "namespace", "polyak", ";"]:
                end = s.tokens[i + 3].end
                indent = re.search(r"[ \t]*$", s.text[:s.tokens[i].start])[0]
                line = f"\n{indent}using namespace {'::'.join(root)};"
                if not s.text.startswith(line, end):
                    e.replace(end, end, line)


def cmake_texts():
    name = "cmake/embed_specs.cmake"
    path = ROOT / name
    text = path.read_text(encoding="utf-8")
    new = re.sub(r"(namespace polyak::experiments)(?!::internal)", r"\1::internal", text)
    if new != text and not DRY:
        path.write_text(new, encoding="utf-8")
    return new != text


def main():
    changed = []
    for name in SRC_HEADERS:
        if header_of_src(name):
            changed.append(name)
    for name in files("src", suffixes=(".cpp",)):
        if cpp_of_src(name):
            changed.append(name)
    for name in files("tests", "bench", "python", "cuda", "mpi", "petsc"):
        if name.startswith("tests/petsc/"):
            continue
        if other_file(name):
            changed.append(name)
    if cmake_texts():
        changed.append("cmake/embed_specs.cmake")
    for path in sorted(roots):
        for name in sorted(set(public[path]) & set(internal[path + ("internal",)])):
            p = {d.kind for _, d in public[path][name]}
            i = {d.kind for _, d in internal[path + ("internal",)][name]}
            notes.append(f"both: {'::'.join(path)}::{name} public {p} internal {i}")
    print(*sorted(notes), sep="\n")
    print(f"{len(changed)} files changed")
    (Path(__file__).parent / "changed.txt").write_text("\n".join(changed) + "\n")


if __name__ == "__main__":
    main()
