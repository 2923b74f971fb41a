"""python_reference.py [FILE]: the reference of the package in Markdown, from its docstrings.

    PYTHONPATH=build/release/python build/venv/bin/python tools/python_reference.py docs/python-reference.md
"""

import importlib
import inspect
import sys

MODULES = {
    "polyak": "Solves, plans and functions in place of SciPy's",
    "polyak.sklearn": "Estimators for scikit-learn",
    "polyak.generate": "Synthetic problems",
    "polyak.theory": "The theory: rates, parameters and batch sizes as functions of numbers",
    "polyak.tomography": "Scans and images",
}


def reference():
    parts = ["# Reference of the Python package\n\nMade from the docstrings by `tools/python_reference.py`; "
             "`help()` shows the same. [python.md](python.md) is the way in.\n"]
    modules = {name: public_of(importlib.import_module(name)) for name in MODULES}
    for name, members in modules.items():
        links = ", ".join(f"[{member}](#{anchor(f'{name}.{member}')})" for member in members)
        parts.append(f"- [{name}](#{anchor(name)}): {links}")
    for name, members in modules.items():
        parts.append(f"\n## {name}\n\n{MODULES[name]}.\n")
        for member, value in members.items():
            parts += entry(f"{name}.{member}", value, "###")
    return "\n".join(parts).rstrip() + "\n"


def public_of(module):
    names = getattr(module, "__all__", None) or [n for n in vars(module) if not n.startswith("_")]
    found = {name: getattr(module, name) for name in names}
    return {name: value for name, value in found.items()
            if (inspect.isfunction(value) or inspect.isclass(value))
            and (hasattr(module, "__all__") or value.__module__ == module.__name__)}


def anchor(title):
    return "".join(c for c in title.lower() if c.isalnum() or c in "-_")


def entry(title, value, level):
    lines = [f"{level} {title}\n", f"```text\n{title.split('.')[-1]}{signature(value)}\n```\n"]
    lines.append(text_of(value))
    if inspect.isclass(value) and not issubclass(value, BaseException):
        for name, member in inspect.getmembers(value, inspect.isfunction):
            ours = member.__module__.startswith("polyak") and not name.startswith("_")
            if ours and inspect.getdoc(member):
                lines += entry(f"{title}.{name}", member, level + "#")
    return lines


def signature(value):
    """One parameter a line where it is long; annotations are in the stubs."""
    try:
        parameters = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return "(...)"
    shown, keyword_only = [], False
    for p in parameters:
        if p.name == "self":
            continue
        if p.kind is p.KEYWORD_ONLY and not keyword_only:
            keyword_only = True
            shown.append("*")
        star = {p.VAR_POSITIONAL: "*", p.VAR_KEYWORD: "**"}.get(p.kind, "")
        keyword_only = keyword_only or p.kind is p.VAR_POSITIONAL
        shown.append(star + p.name + ("" if p.default is p.empty else f"={p.default!r}"))
    line, lines = "", []
    for part in shown:
        if len(line) + len(part) > 96:
            lines.append(line.rstrip())
            line = "    "
        line += part + ", "
    return "(" + "\n".join([*lines, line]).removesuffix(", ") + ")"


def text_of(value):
    """The docstring; its indented sections become text blocks, so that names keep their columns."""
    text = inspect.getdoc(value) or ""
    head, _, rest = text.partition("\nParameters\n----------\n")
    if rest:
        return f"{head.strip()}\n\n```text\nParameters\n----------\n{rest.rstrip()}\n```\n"
    plain, lines = [], text.splitlines()
    example = next((k for k, line in enumerate(lines) if line.startswith((">>>", "Attributes", "Examples"))), len(lines))
    plain = "\n".join(lines[:example]).strip()
    shown = "\n".join(lines[example:]).rstrip()
    return f"{plain}\n" + (f"\n```text\n{shown}\n```\n" if shown else "")


if __name__ == "__main__":
    if len(sys.argv) > 1:
        with open(sys.argv[1], "w") as file:
            file.write(reference())
    else:
        print(reference(), end="")
