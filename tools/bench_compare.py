#!/usr/bin/env python3
"""bench_compare.py OLD.json NEW.json: compares two results of `polyak bench`.

Prints for each contender the ratio OLD/NEW of the median times (above 1: faster now),
and each figure as old -> new. A * marks a significant change: the
quartiles do not overlap.
"""

import json
import sys


def load(path):
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def by_name(result):
    """(subject, title, contender) -> line, in order."""
    return {(t["subject"], t["title"], line["name"]): line
            for t in result["tables"] for line in t["lines"]
            if None not in line["seconds"].values()}  # null: not reached


def apart(a, b):
    """The quartiles do not overlap."""
    return a["high"] < b["low"] or b["high"] < a["low"]


def mark(a, b):
    return "*" if apart(a, b) else " "


def seconds(value):
    for unit, size in (("s", 1), ("ms", 1e-3), ("us", 1e-6)):
        if value >= size:
            return f"{value / size:.3g} {unit}"
    return f"{value / 1e-9:.3g} ns"


def figures(old, new):
    before = {f["name"]: f for f in old.get("figures", [])}
    for f in new.get("figures", []):
        if f["name"] in before:
            was = before[f["name"]]
            yield f"{was['median']:.3g} -> {f['median']:.3g} {f['unit']} {f['name']}".rstrip() + mark(was, f).strip()


def differences(old, new):
    """Differences of machine and options between the two runs."""
    for key in ("cpu", "threads", "simd", "blas", "huge_pages", "peers"):
        a, b = old["machine"].get(key), new["machine"].get(key)
        if a != b:
            yield f"{key}: {a} -> {b}"
    for key in ("rows", "cols", "quick"):
        if old["options"][key] != new["options"][key]:
            yield f"{key}: {old['options'][key]} -> {new['options'][key]}"


def compare(old, new):
    print(f"{old['date']}  {old['build']}\n{new['date']}  {new['build']}")
    for difference in differences(old, new):
        print("  " + difference)
    before, title = by_name(old), None
    for key, line in by_name(new).items():
        if key not in before:
            continue
        if key[1] != title:
            title = key[1]
            print(f"\n{title}")
        was, now = before[key]["seconds"], line["seconds"]
        print(f"  {key[2]:<30} {seconds(was['median']):>9} {seconds(now['median']):>9} "
              f"{was['median'] / now['median']:>6.2f}{mark(was, now)} "
              + ", ".join(figures(before[key], line)))
    for key in sorted(set(before) ^ set(by_name(new))):
        print(f"only in {'OLD' if key in before else 'NEW'}: {key[1]}: {key[2]}")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.strip())
    try:
        compare(load(sys.argv[1]), load(sys.argv[2]))
    except BrokenPipeError:
        sys.stderr.close()  # the reader of the output has exited
    except (OSError, ValueError, KeyError) as error:
        sys.exit(f"bench_compare: {error}; expected two JSON files of polyak bench")


if __name__ == "__main__":
    main()
