#!/usr/bin/env python3
"""python_table.py RESULTS.json [PAGE.md]: the table of `polyak bench python --json RESULTS.json`.

Printed, or written into PAGE.md between the lines <!-- bench python --> and <!-- end -->. Each cell
says how many times as long as polyak the call in the heading takes; in brackets where its x has
fewer right digits than that of polyak, "-" where it failed or took more than the time limit.
"""

import json
import sys
from pathlib import Path

OTHERS = ["numpy.lstsq", "scipy.lstsq", "scipy.lsqr", "scipy.lsmr", "scipy.lsq_linear", "scipy.nnls", "sklearn.LinearRegression",
          "sklearn.Ridge", "sklearn.SGDRegressor"]
# Beside polyak.solve, or beside the function that replaces them.
REPLACED = {"scipy.lsqr": "polyak.lsqr", "scipy.lsmr": "polyak.lsmr", "scipy.lsq_linear": "polyak.lsq_linear",
            "scipy.nnls": "polyak.nnls", "sklearn.LinearRegression": "polyak.LeastSquares"}
BEGIN, END = "<!-- bench python -->", "<!-- end -->"


def figure(line, name):
    return next((f["median"] for f in line.get("figures", []) if f["name"] == name), None)


def right(error, own):
    """As accurate as polyak's x, or accurate enough."""
    return error is not None and error <= max(1e-6, 10 * own)


def times(lines, own, other):
    if own not in lines or other not in lines:
        return None
    ratio = figure(lines[own], other)
    if ratio is None:
        return None
    text = f"{ratio:.2g}" if ratio < 10 else f"{ratio:.0f}"
    return text if right(figure(lines[other], "error"), figure(lines[own], "error")) else f"({text})"


def seconds(value):
    for unit, factor in (("s", 1.0), ("ms", 1e3), ("µs", 1e6)):
        if value * factor >= 1 or unit == "µs":
            return f"{value * factor:.3g} {unit}"


def cell(lines, other):
    """Beside solve(), and after a slash beside the replacement."""
    found = [times(lines, own, other) for own in ("polyak.solve", REPLACED.get(other, ""))]
    return " / ".join(text for text in found if text) or "-"


def table(results):
    tables = [t for t in results["tables"] if t["subject"] == "python"]
    shown = [o for o in OTHERS if any(line["name"] == o for t in tables for line in t["lines"])]
    out = [" | ".join(["problem", "polyak.solve", *shown]), " | ".join(["---"] * (2 + len(shown)))]
    for one in tables:
        lines = {line["name"]: line for line in one["lines"]}
        own = lines.get("polyak.solve")
        first = seconds(own["seconds"]["median"]) if own else "-"
        out.append(" | ".join([one["title"].removeprefix("Python, "), first, *(cell(lines, o) for o in shown)]))
    return "\n".join(f"| {line} |" for line in out)


def heading(results):
    machine, options = results["machine"], results["options"]
    quick = "; **a quick run: the times mean nothing**" if options["quick"] else ""
    return (f"{machine['cpu']}, {machine['threads']} threads, {results['date'][:10]}; {machine.get('peers', '')}; "
            f"rows: {options['rows']}{quick}.")


def main(source, page=None):
    results = json.loads(Path(source).read_text())
    text = f"{heading(results)}\n\n{table(results)}"
    if page is None:
        return print(text)
    before, found, rest = Path(page).read_text().partition(BEGIN)
    _, ended, after = rest.partition(END)
    if not found or not ended:
        sys.exit(f"{page}: the lines {BEGIN} and {END} are missing")
    Path(page).write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


if __name__ == "__main__":
    main(*sys.argv[1:])
