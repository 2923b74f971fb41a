"""Runs of `polyak solve` in the folder of a test, and a table for them."""

import json
import os
import random
import re
import subprocess

POLYAK = os.environ["POLYAK"]
NAMES = ["size", "rooms", "age", "price"]


def run(*arguments, **options):
    return subprocess.run([POLYAK, *arguments], capture_output=True, text=True, timeout=300, **options)


def solved(*arguments, code=0, **options):
    done = run("solve", *arguments, "--report", "r.json", **options)
    assert done.returncode == code, (arguments, done)
    with open("r.json") as file:
        return json.load(file)


def refused(code, said, *arguments, **options):
    done = run("solve", *arguments, "--output", "never.npy", **options)
    assert done.returncode == code, (arguments, done)
    assert re.search(said, done.stderr) and done.stderr.count("\n") == 1, (arguments, done.stderr)
    assert not os.path.exists("never.npy")


def x_of(name):
    with open(name) as file:
        return [float(line.split(",")[-1]) for line in file if not line.startswith("name")]


def near(a, b, tolerance=1e-9):
    assert len(a) == len(b) and all(abs(x - y) <= tolerance * max(map(abs, b)) for x, y in zip(a, b)), (a, b)


def write_tables(rows, parts):
    """all.csv, and the same rows in parts; price = 3 size - 2 rooms + age + 50 + noise."""
    source = random.Random(5)
    lines = []
    for _ in range(rows):
        size, rooms, age = source.uniform(30, 200), source.randrange(1, 9), 1900 + source.uniform(0, 120)
        price = 3 * size - 2 * rooms + age + 50 + source.gauss(0, 10)
        lines.append(f"{size:.6g},{rooms},{age:.7g},{price:.8g}\n")
    head = ",".join(NAMES) + "\n"
    with open("all.csv", "w") as file:
        file.writelines([head, *lines])
    for part in range(parts):
        with open(f"part-{part}.csv", "w") as file:
            file.writelines([head, *lines[rows * part // parts:rows * (part + 1) // parts]])


TABLE = ["--rhs-column", "price", "--intercept", "--quiet"]
