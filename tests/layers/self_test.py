"""The scripts of this folder accept a tree that keeps to the rules and name each offence."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).with_name("layers.py")
NAMES = Path(__file__).with_name("method_names.py")
NAMESPACES = Path(__file__).with_name("namespaces.py")
TABLE = """
polyak_room(core PUBLIC types USES Threads::Threads)
polyak_room(matrix DEPENDS core
  PUBLIC matrices)
polyak_room(solve DEPENDS matrix PUBLIC solve)
"""
GOOD = {
    "src/CMakeLists.txt": TABLE,
    "include/polyak/types.hpp": "#include <vector>\n",
    "include/polyak/matrices.hpp": '#include "polyak/types.hpp"\n',
    "include/polyak/solve.hpp": '#include "polyak/matrices.hpp"\n',
    "src/core/team.cpp": '#include "core/team.hpp"\n#include <zlib.h>\n',
    "src/matrix/dense.cpp": '#include "polyak/matrices.hpp"\n#include "core/team.hpp"\n',
    "src/solve/driver.cpp": '#include "core/team.hpp"\n  #  include "matrix/dense.hpp"\n',
    "apps/polyak/main.cpp": '#include <polyak/solve.hpp>\n#include "cli/options.hpp"\n',
    "apps/polyak/cli/options.hpp": '#include "program.hpp"\n',
    "apps/polyak/program.hpp": "",
    "apps/viewer/window.hpp": "",
    "mpi/sums.hpp": '#include "polyak/types.hpp"\n',
    "mpi/main.cpp": '#include "sums.hpp"\n#include "program.hpp"\n',
    "petsc/ksp.cpp": '#include "sums.hpp"\n#include <polyak/solve.hpp>\n',
}


def check(changes={}, script=SCRIPT):
    """Exit code and output of a script on GOOD with some files changed."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in {**GOOD, **changes}.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        done = subprocess.run([sys.executable, script, folder], capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr


class Layers(unittest.TestCase):
    def refuses(self, file, text, *words):
        code, output = check({file: text})
        self.assertEqual(code, 1, output)
        for word in words:
            self.assertIn(word, output)

    def test_accepts_a_tree_that_keeps_to_the_table(self):
        self.assertEqual(check()[0], 0, check()[1])

    def test_refuses_an_upward_include(self):
        self.refuses("src/core/up.cpp", '\n#include "solve/driver.hpp"\n',
                     "src/core/up.cpp:2: core may not use solve", "src/CMakeLists.txt")

    def test_refuses_an_upward_include_through_a_public_header(self):
        self.refuses("src/core/up.cpp", "#include <polyak/solve.hpp>\n", "src/core/up.cpp:1:")
        self.refuses("include/polyak/types.hpp", '#include "polyak/solve.hpp"\n',
                     "include/polyak/types.hpp:1: core may not use solve")

    def test_refuses_what_is_in_no_room(self):
        self.refuses("src/attic/old.cpp", "", "src/attic/old.cpp:1: this file is in no room")
        self.refuses("include/polyak/new.hpp", "", "new.hpp:1: this file is in no room")
        self.refuses("src/core/a.cpp", '#include "polyak/new.hpp"\n', '"polyak/new.hpp" is in no room')
        self.refuses("src/core/a.cpp", '#include "team.hpp"\n', '"team.hpp" is in no room')

    def test_keeps_the_inside_out_of_public_headers_and_programs(self):
        self.refuses("include/polyak/solve.hpp", '#include "core/team.hpp"\n', "not installed")
        self.refuses("apps/polyak/main.cpp", '#include "core/team.hpp"\n', "not public")

    def test_keeps_a_program_to_its_own_folder(self):
        self.refuses("apps/polyak/main.cpp", '#include "window.hpp"\n', "not public")
        self.refuses("apps/polyak/main.cpp", '#include "../viewer/window.hpp"\n', "not public")
        self.refuses("apps/polyak/cli/help.cpp", '#include "options.hpp"\n',
                     "apps/polyak/cli/help.cpp:1:", "relative to apps/PROGRAM")

    def test_keeps_the_inside_out_of_mpi_and_petsc(self):
        self.refuses("mpi/main.cpp", '#include "core/team.hpp"\n', "mpi/main.cpp:1:", "not public")
        self.refuses("petsc/ksp.cpp", '#include "matrix/dense.hpp"\n', "not public")
        self.refuses("petsc/ksp.cpp", '#include "program.hpp"\n', "not public")

    def test_refuses_a_table_that_points_up(self):
        self.refuses("src/CMakeLists.txt", "polyak_room(core DEPENDS solve)\n", "does not stand above")

    def test_refuses_an_empty_tree(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "src").mkdir()
            Path(folder, "src/CMakeLists.txt").write_text(TABLE)
            self.assertEqual(subprocess.run([sys.executable, SCRIPT, folder],
                                            stdout=subprocess.DEVNULL).returncode, 1)


class MethodNames(unittest.TestCase):
    RECORD = {"src/method/ball.cpp": 'MethodRecord r{\n    .info = {"ball", "a summary"}};\n'}

    def check(self, changes):
        return check({**self.RECORD, **changes}, NAMES)

    def test_accepts_names_in_records_comments_and_longer_texts(self):
        code, output = self.check({"src/solve/a.cpp": '// "ball"\nauto hint = "try ball";\n'})
        self.assertEqual(code, 0, output)

    def test_refuses_a_name_outside_its_record(self):
        for file in ("src/solve/run/a.cpp", "apps/polyak/a.hpp"):
            code, output = self.check({file: '\nif (method == "ball") return;\n'})
            self.assertEqual(code, 1, output)
            self.assertIn(f'{file}:2: "ball"', output)

    def test_refuses_a_tree_without_records(self):
        self.assertEqual(check(script=NAMES)[0], 1)


class Namespaces(unittest.TestCase):
    PUBLIC = """namespace polyak {

class Solver {
 public:
  struct Impl;
};
class Impulse;
int solve(int);

}  // namespace polyak
"""
    INNER = """namespace polyak::internal {

class ThreadTeam {
};
namespace stream {
constexpr int noise = 1;
}  // namespace stream

}  // namespace polyak::internal

namespace polyak {

class Impulse {
};
/// int comments(are no declarations);
struct Solver::Impl {
};

}  // namespace polyak
"""
    TREE = {"include/polyak/solve.hpp": PUBLIC, "src/core/team.hpp": INNER,
            "mpi/sums.hpp": "namespace polyak::mpi {\nint sum();\n}  // namespace polyak::mpi\n"}

    def check(self, changes):
        return check({**self.TREE, **changes}, NAMESPACES)

    def refuses(self, file, text, *words):
        code, output = self.check({file: text})
        self.assertEqual(code, 1, output)
        for word in words:
            self.assertIn(word, output)

    def test_accepts_a_tree_that_keeps_to_the_rule(self):
        self.assertEqual(self.check({})[0], 0, self.check({})[1])

    def test_refuses_internal_names_in_public_headers(self):
        file = "include/polyak/more.hpp"
        for text in ("namespace polyak::internal {\nclass ThreadTeam;\n}  // namespace polyak::internal\n",
                     "namespace polyak {\nvoid f(internal::ThreadTeam&);\n}  // namespace polyak\n"):
            self.refuses(file, text, "more.hpp:", "knows nothing internal")
        self.refuses(file, "namespace polyak {\nclass ThreadTeam;\n}  // namespace polyak\n",
                     "more.hpp:2: ThreadTeam is a class of polyak::internal too")

    def test_refuses_what_is_not_public_in_a_public_namespace(self):
        for declaration in ("class Buffer;", "void wait();", "template <class T>", "constexpr int two = 2;",
                            "using Rows = int;", "struct Buffer::Part {};"):
            for file in ("src/core/buffer.hpp", "mpi/buffer.hpp"):
                self.refuses(file, f"namespace polyak {{\n\n{declaration}\n\n}}  // namespace polyak\n",
                             f"{file}:3:", "no public header has this")

    def test_refuses_using_directives_in_headers(self):
        line = "using namespace polyak::internal;\n"
        for file in ("src/core/a.hpp", "include/polyak/a.hpp", "petsc/a.hpp"):
            self.refuses(file, line, f"{file}:1:", "in a header")
        self.assertEqual(self.check({"src/core/a.cpp": line})[0], 0)

    def test_refuses_a_tree_without_internal_names(self):
        self.assertEqual(check(self.TREE | {"src/core/team.hpp": ""}, NAMESPACES)[0], 1)


if __name__ == "__main__":
    unittest.main()
