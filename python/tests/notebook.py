#!/usr/bin/env python3
"""notebook.py FILE.ipynb: runs the cells of a notebook and stores what they give in it.

The cells run in this Python, in one namespace: what is printed, the value of the last expression
and the figures of Matplotlib become the outputs. No kernel is needed.
"""

import ast
import base64
import contextlib
import io
import json
import re
import sys


def run(notebook):
    """The outputs of each code cell, as nbformat 4 stores them."""
    import matplotlib

    matplotlib.use("Agg")
    names = {"__name__": "__main__"}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    return [_outputs(_source(cell), names, count) for count, cell in enumerate(cells, 1)]


def texts(outputs):
    """What is compared: all text of a cell, without what changes from run to run."""
    found = []
    for output in outputs:
        text = output.get("text") or output.get("data", {}).get("text/plain") or []
        found.append(re.sub(r"[\d.e+-]+ s\b", "# s", "".join(text)))
    return found


def _source(cell):
    return "".join(cell["source"])


def _outputs(source, names, count):
    tree = ast.parse(source)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    printed, outputs, value = io.StringIO(), [], None
    with contextlib.redirect_stdout(printed):
        exec(compile(tree, f"cell {count}", "exec"), names)
        if last is not None:
            value = eval(compile(ast.Expression(last.value), f"cell {count}", "eval"), names)
    if printed.getvalue():
        outputs.append({"output_type": "stream", "name": "stdout", "text": _lines(printed.getvalue())})
    if value is not None and not source.endswith(";"):
        outputs.append({"output_type": "execute_result", "execution_count": count, "metadata": {},
                        "data": {"text/plain": _lines(repr(value))}})
    return outputs + _figures()


def _figures():
    import matplotlib.pyplot as plt

    outputs = []
    for number in plt.get_fignums():
        image = io.BytesIO()
        plt.figure(number).savefig(image, format="png", dpi=80)
        outputs.append({"output_type": "display_data", "metadata": {},
                        "data": {"image/png": base64.b64encode(image.getvalue()).decode()}})
    plt.close("all")
    return outputs


def _lines(text):
    return text.splitlines(keepends=True)


def main(path):
    with open(path) as file:
        notebook = json.load(file)
    found = run(notebook)
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    for count, (cell, outputs) in enumerate(zip(cells, found), 1):
        cell.update(execution_count=count, outputs=outputs)
    with open(path, "w") as file:
        json.dump(notebook, file, indent=1, ensure_ascii=False)
        file.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
