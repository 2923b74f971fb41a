"""polyak solve --model, --fitted and --residuals; predict and score."""

import csv
import json
import os
import subprocess

POLYAK = os.environ["POLYAK"]


def polyak(*arguments, code=0, **more):
    done = subprocess.run([POLYAK, *arguments], capture_output=True, text=True, **more)
    assert done.returncode == code, (arguments, done)
    return done


def write(name, rows):
    with open(name, "w", newline="") as file:
        csv.writer(file).writerows(rows)


def column(name, key):
    return [float(row[key]) for row in csv.DictReader(open(name))]


def price(area, rooms):
    return 2 * area - 3 * rooms + 1


houses = [(40 + 3 * i, 1 + i % 4) for i in range(30)]
noise = [0.25 * (-1) ** i for i in range(30)]
write("houses.csv", [("id", "area", "rooms", "price"),
                     *((f"h{i}", a, r, price(a, r) + e) for i, ((a, r), e) in enumerate(zip(houses, noise)))])
fit = ("solve", "houses.csv", "--rhs-column", "price", "--intercept", "--drop", "id", "--quiet")


def fitted_values_and_residuals_add_up_to_b():
    polyak(*fit, "--model", "m.json", "--fitted", "fitted.csv", "--residuals", "residuals.csv", "--report", "r.json")
    values = [float(v) for v in open("fitted.csv")]
    rest = [float(v) for v in open("residuals.csv")]
    for (a, r), e, v, d in zip(houses, noise, values, rest):
        assert abs(v + d - price(a, r) - e) < 1e-12 * 300
    norm = json.load(open("r.json"))["residual_norm"]
    assert abs(sum(d * d for d in rest) ** 0.5 - norm) < 1e-9 * norm
    model = json.load(open("m.json"))
    assert [c["name"] for c in model["columns"]] == ["area", "rooms"], model
    assert model["targets"] == ["price"] and len(model["intercepts"]) == 1 and model["rows"] == 30, model
    assert (model["columns"][0]["lowest"], model["columns"][0]["highest"]) == (40, 127), model


def predictions_are_those_of_the_fit():
    polyak("predict", "m.json", "houses.csv", "--output", "again.csv", "--quiet")
    values = [float(v) for v in open("fitted.csv")]
    for p, v in zip(column("again.csv", "price"), values, strict=True):
        assert abs(p - v) < 1e-12 * 300, (p, v)
    printed = polyak("predict", "m.json", "houses.csv", "--quiet").stdout
    assert printed == open("again.csv").read()


def columns_may_stand_anywhere():
    write("new.csv", [("rooms", "town", "area"), (2, "Rome, Italy", 50), (3, "", 60)])
    done = polyak("predict", "m.json", "new.csv", "--output", "new_prices.csv")
    assert done.stdout == "Wrote new_prices.csv\n" and done.stderr == "", done
    for p, (a, r) in zip(column("new_prices.csv", "price"), ((50, 2), (60, 3)), strict=True):
        assert abs(p - price(a, r)) < 0.5
    with open("new.csv") as file:
        piped = polyak("predict", "m.json", "-", "--quiet", stdin=file)
    assert piped.stdout == open("new_prices.csv").read()


def what_lies_beyond_the_fit_is_told():
    write("far.csv", [("area", "rooms"), (500, 2), (50, 2), (1000, 9)])
    done = polyak("predict", "m.json", "far.csv", "--output", "p.npy")
    assert "2 of 3 rows lie beyond the fit in column area: 50 to 1000, fitted on 40 to 127" in done.stderr, done
    assert "1 of 3 rows lie beyond the fit in column rooms" in done.stderr, done


def missing_values_keep_their_row():
    write("holes.csv", [("area", "rooms"), (50, 2), ("", 2), (60, "NA")])
    done = polyak("predict", "m.json", "holes.csv")
    lines = done.stdout.split()
    assert lines[0] == "price" and lines[2:] == ["nan", "nan"], done
    assert "2 of 3 rows have a missing or infinite value, and no finite prediction" in done.stderr, done


def a_model_of_a_run_that_did_not_converge_is_told():
    polyak(*fit, "--method", "gd", "--max-iterations", "1", "--model", "early.json", code=3)
    done = polyak("predict", "early.json", "new.csv")
    assert "the run that made the model ended as limit: " in done.stderr, done


def scores():
    write("test.csv", [("area", "rooms", "price"), (50, 2, price(50, 2) + 1), (60, 3, price(60, 3) - 1), (90, 1, 100)])
    shown = polyak("score", "m.json", "test.csv").stdout
    assert "rows       3" in shown and "R squared" in shown, shown
    found = json.loads(polyak("score", "m.json", "test.csv", "--json").stdout)["targets"][0]
    predicted = [float(v) for v in polyak("predict", "m.json", "test.csv", "--quiet").stdout.split()[1:]]
    b = column("test.csv", "price")
    errors = [x - y for x, y in zip(b, predicted)]
    mean = sum(b) / 3
    assert abs(found["mean_absolute_error"] - sum(map(abs, errors)) / 3) < 1e-9, found
    assert abs(found["root_mean_square_error"] - (sum(e * e for e in errors) / 3) ** 0.5) < 1e-9, found
    assert abs(found["r_squared"] - 1 + sum(e * e for e in errors) / sum((x - mean) ** 2 for x in b)) < 1e-9, found
    # The target under another name, and rows with holes.
    write("other.csv", [("area", "rooms", "sold"), (50, 2, 95), ("", 3, 112)])
    polyak("score", "m.json", "other.csv", code=2)
    polyak("score", "m.json", "other.csv", "--rhs-column", "sold", code=65)
    found = json.loads(polyak("score", "m.json", "other.csv", "--rhs-column", "sold", "--drop-nonfinite-rows", "--json").stdout)
    assert found["rows"] == 1 and "r_squared" not in found["targets"][0], found
    assert "1 row with NaN" in polyak("score", "m.json", "other.csv", "--rhs-column", "sold", "--drop-nonfinite-rows").stderr


def arrays_without_names():
    polyak("generate", "gaussian", "--rows", "80", "--cols", "3", "--output", "g", "--quiet")
    polyak("solve", "g/A.npy", "g/b.npy", "--model", "g.json", "--fitted", "f.npy", "--quiet")
    polyak("predict", "g.json", "g/A.npy", "--output", "p.npy", "--quiet")
    assert open("p.npy", "rb").read() == open("f.npy", "rb").read()
    assert "R squared" in polyak("score", "g.json", "g/A.npy", "g/b.npy").stdout


def what_cannot_be_done_is_said():
    said = lambda *words, code: polyak(*words, code=code).stderr
    write("few.csv", [("area", "romms"), (50, 2)])
    assert said("predict", "m.json", "few.csv", code=65) == (
        "polyak: few.csv: 1 of the 2 columns of the model is missing (found no rooms); is 'rooms' meant by 'romms'?\n")
    write("bare.csv", [(50, 2), (60, 3)])
    assert "the table has no names" in said("predict", "m.json", "bare.csv", code=65)
    assert "3 columns" in said("predict", "m.json", "g/A.npy", code=65)
    assert "not a model that polyak has written" in said("predict", "r.json", "new.csv", code=65)
    assert "not a model" in said("score", "houses.csv", "new.csv", code=65)
    said("predict", "none.json", "new.csv", code=66)
    said("predict", "m.json", "none.csv", code=66)
    said("predict", "m.json", code=2)
    before = open("m.json").read()
    said("predict", "m.json", "new.csv", "--output", "new.csv", code=2)
    said(*fit, "--model", "houses.csv", code=2)
    said(*fit, "--model", "same.json", "--report", "same.json", code=2)
    assert "--fitted" in said(*fit, "--storage", "stream", "--fitted", "f.csv", code=2)
    assert open("m.json").read() == before and not os.path.exists("f.csv")


def a_stream_leaves_a_model_without_ranges():
    polyak(*fit, "--storage", "stream", "--model", "s.json")
    streamed, model = json.load(open("s.json")), json.load(open("m.json"))
    assert "lowest" not in streamed["columns"][0], streamed
    for one, other in zip(streamed["columns"], model["columns"], strict=True):
        assert abs(one["coefficients"][0] - other["coefficients"][0]) < 1e-9
    assert "beyond" not in polyak("predict", "s.json", "far.csv").stderr


fitted_values_and_residuals_add_up_to_b()
predictions_are_those_of_the_fit()
columns_may_stand_anywhere()
what_lies_beyond_the_fit_is_told()
missing_values_keep_their_row()
a_model_of_a_run_that_did_not_converge_is_told()
scores()
arrays_without_names()
what_cannot_be_done_is_said()
a_stream_leaves_a_model_without_ranges()
