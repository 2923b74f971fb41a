"""The tables: as text, as CSV, and as a summary."""

import csv

import numpy as np

TARGETS = ("1e-1", "1e-2", "1e-4", "tol")


def text(value, form=".3g"):
    return format(value, form) if np.isfinite(value) else "-"


def line(cells):
    return "| " + " | ".join(cells) + " |"


def show(name, n, d, results):
    """One problem's table; methods that reach no target are omitted."""
    print(f"\n**{name}**, {n} x {d}\n")
    columns = [f"passes to {t}" for t in TARGETS]
    columns += [f"{unit} to {t}" for unit in ("ms", "s at d = 1000,") for t in (TARGETS[0], TARGETS[-1])]
    print(line(["method", *columns]) + "\n" + line(["---"] + ["--:"] * len(columns)))
    for method, medians in results:
        if np.isfinite(medians).any():
            seconds = [1e3 * medians[0, 1], 1e3 * medians[-1, 1], medians[0, 2], medians[-1, 2]]
            print(line([method, *map(text, medians[:, 0]), *map(text, seconds)]), flush=True)


def read(file_name):
    """What `save` has written, as `races` gives it."""
    found = {}
    with open(file_name, newline="") as file:
        for entry in csv.DictReader(file):
            key = (entry["problem"], int(entry["rows"]), int(entry["cols"]))
            values = [float(entry[k]) for k in ("passes", "seconds", "seconds_1000")]
            found.setdefault(key, {}).setdefault(entry["method"], []).append(values)
    return [(*key, [(m, np.array(v)) for m, v in methods.items()]) for key, methods in found.items()]


def save(file_name, tables):
    with open(file_name, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["problem", "rows", "cols", "method", "target", "passes", "seconds", "seconds_1000"])
        for name, n, d, results in tables:
            for method, medians in results:
                out.writerows([name, n, d, method, t, *(f"{v:.4g}" for v in m)] for t, m in zip(TARGETS, medians))


def winner(results, names, row, column, scale=1.0):
    """"value method" of the least; the first where several are alike."""
    value, method = min(((m[row, column], name) for name, m in results if name in names),
                        key=lambda found: found[0], default=(np.inf, ""))
    return f"{text(scale * value)} {method}" if np.isfinite(value) else "-"


def best(tables, today):
    """For each problem the best present method and the best candidate, by three measures."""
    measures = [("passes to tol", -1, 0, 1.0), ("ms to tol", -1, 1, 1e3), ("s at d = 1000, to tol", -1, 2, 1.0),
                ("s at d = 1000, to 1e-1", 0, 2, 1.0)]
    for title, row_, column, scale in measures:
        print(f"\n**{title}**\n\n" + line(["problem", "today", "candidates"]) + "\n" + line(["---"] * 3))
        for name, _, _, results in tables:
            others = [m for m, _ in results if m not in today]
            print(line([name, winner(results, today, row_, column, scale),
                        winner(results, others, row_, column, scale)]))
