// A spec that cannot be carried out is refused with file, line and reason.

#include "experiments/spec.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "polyak/error.hpp"

namespace polyak::experiments {
using namespace polyak::experiments::internal;

namespace {

const std::string head = "name = \"mine\"\n";
const std::string panel = "[[panel]]\ntitle = \"p\"\nproblem = { kind = \"gaussian\" }\n";
const std::string series = "[[series]]\nlabel = \"a\"\nmethod = \"minibatch-hbm\"\n";

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(parse_spec(text, "mine.toml"));
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "accepted";
}

void expect_refusal(const std::string& text, const std::string& start) {
  const std::string line = refusal(text);
  EXPECT_TRUE(line.starts_with(start)) << line;
  EXPECT_EQ(line.find('\n'), std::string::npos) << line;
}

TEST(spec, every_carried_one_can_be_read) {
  std::vector<std::string> names;
  for (const CarriedSpec& carried : carried_specs()) {
    const Spec spec = parse_spec(carried.text, carried.name);
    EXPECT_EQ(spec.name, carried.name);
    EXPECT_FALSE(spec.text.empty()) << spec.name;
    EXPECT_FALSE(spec.claims.empty()) << spec.name;
    EXPECT_EQ(spec.trials, 100) << spec.name;
    names.push_back(spec.name);
  }
  const std::vector<std::string> wanted = {"fig1", "fig2", "fig3",  "fig4",
                                           "fig5", "fig6", "table1"};
  EXPECT_EQ(names, wanted);
}

TEST(spec, holds_what_the_file_says) {
  const Spec spec = parse_spec(head + "trials = 7\niterations = 30\nseed = 5\n" + panel + series +
                                   "batches = [10, 20]\nparameters = \"paper\"\nstep_size = 0.5\n",
                               "folder/mine.toml");
  EXPECT_EQ(spec.trials, 7);
  ASSERT_EQ(spec.panels.size(), 1u);
  EXPECT_EQ(spec.panels[0].iterations, 30);
  EXPECT_EQ(spec.panels[0].problem.seed, 5u);
  ASSERT_EQ(spec.series.size(), 1u);
  EXPECT_EQ(spec.series[0].batches, (std::vector<Index>{10, 20}));
  EXPECT_EQ(spec.series[0].options.parameters, "paper");
  EXPECT_EQ(spec.series[0].options.step_size, 0.5);
}

TEST(spec, files_are_looked_for_beside_it) {
  const Spec spec = parse_spec(head +
                                   "[[panel]]\ntitle = \"p\"\nproblem = { matrix = \"A.npy\", "
                                   "rhs = \"/abs/b.npy\" }\n" +
                                   series,
                               "folder/mine.toml");
  EXPECT_EQ(spec.panels[0].problem.kind, "file");
  EXPECT_EQ(spec.panels[0].problem.matrix, "folder/A.npy");
  EXPECT_EQ(spec.panels[0].problem.rhs, "/abs/b.npy");
}

TEST(spec, faults_name_file_line_and_key) {
  expect_refusal("name = \n", "mine.toml:1: the spec is not valid TOML");
  expect_refusal(panel + series, "mine.toml: the text 'name' is missing");
  expect_refusal("name = \"a/b\"\n" + panel + series,
                 "mine.toml:1: name: the name is used for file names (found 'a/b'");
  expect_refusal(head + series, "mine.toml: the spec has no panel");
  expect_refusal(head + panel, "mine.toml: the spec has no series");
  expect_refusal(head + "trails = 5\n" + panel + series,
                 "mine.toml:2: trails: unknown key in a spec");
  expect_refusal(head + "trials = 0\n" + panel + series,
                 "mine.toml:2: trials: this must be a whole number (found 0, expected a whole "
                 "number of at least 1)");
  expect_refusal(head + "kind = \"pie\"\n" + panel + series,
                 "mine.toml:2: kind: there is no such kind of figure (found 'pie'");
  expect_refusal(head + "y_range = [1, 0]\n" + panel + series, "mine.toml:2: y_range: ");
}

TEST(spec, faults_in_panels_and_series_name_their_line) {
  expect_refusal(head + "[[panel]]\ntitle = \"p\"\nproblem = { kind = \"moon\" }\n" + series,
                 "mine.toml:4: kind: there is no such problem (found 'moon'");
  expect_refusal(head + panel + "[[series]]\nlabel = \"a\"\nmethod = \"sdg\"\n",
                 "mine.toml:7: method: the value does not fit the option (found 'sdg'");
  expect_refusal(head + panel + "[[series]]\nlabel = \"a\"\nmethod = \"direct\"\n",
                 "mine.toml:7: method: a series needs an iterative method (found 'direct'");
  expect_refusal(head + panel + "[[series]]\nlabel = \"a\"\nmethod = \"hbm\"\nbatches = 5\n",
                 "mine.toml:7: method: the method has no batch");
  expect_refusal(head + panel + series + "momentum = 2\n", "mine.toml:8: momentum: ");
  expect_refusal(head + panel + series + "batches = 0\n",
                 "mine.toml:8: batches: a batch has at least one row");
  expect_refusal(head + panel + series + "seed = 3\n", "mine.toml:8: seed: unknown key in a spec");
}

const std::string scan_series = "[[series]]\nlabel = \"a\"\nmethod = \"minibatch-hbm\"\n";
std::string scan_with(const std::string& keys) {
  return head + "[[panel]]\ntitle = \"p\"\nproblem = { kind = \"tomography\"" + keys + " }\n";
}

TEST(spec, a_scan_is_read_with_its_keys) {
  const Spec spec = parse_spec(
      scan_with(", size = 20, detectors = 30, views = 40, turn = 180, spacing = 0.5, projector = "
                "\"strip\", phantom = \"disc\"") +
          scan_series + "for_batch = 50\nmomentum = 0.9\ntimes_heuristic = 2\nimage = true\n",
      "mine.toml");
  const ProblemSpec& problem = spec.panels[0].problem;
  EXPECT_EQ(problem.kind, "tomography");
  EXPECT_EQ(problem.scan.size, 20);
  EXPECT_EQ(problem.scan.turn, 180.0);
  EXPECT_EQ(problem.scan.spacing, 0.5);
  EXPECT_EQ(problem.scan.projector, "strip");
  EXPECT_EQ(problem.scan.phantom, "disc");
  EXPECT_EQ(problem.row_count(), 1200);
  EXPECT_EQ(spec.series[0].for_batch, 50.0);
  EXPECT_TRUE(spec.series[0].image);
}

TEST(spec, fewer_rows_of_a_scan_are_fewer_views_and_never_more) {
  ProblemSpec problem;
  problem.kind = "tomography";
  problem.set_rows(20000);
  EXPECT_EQ(problem.scan.views, 156);
  EXPECT_EQ(problem.row_count(), 156 * 128);
  problem.set_rows(1000000);
  EXPECT_EQ(problem.scan.views, 156);
  problem.set_rows(5);
  EXPECT_EQ(problem.scan.views, 1);
}

TEST(spec, each_number_of_a_scan_is_part_of_its_key) {
  const ProblemSpec one = parse_spec(scan_with("") + scan_series, "f").panels[0].problem;
  for (const char* other :
       {", size = 63", ", detectors = 127", ", views = 719", ", turn = 359", ", spacing = 0.9",
        ", projector = \"linear\"", ", phantom = \"disc\"", ", seed = 7"})
    EXPECT_NE(parse_spec(scan_with(other) + scan_series, "f").panels[0].problem.key(), one.key())
        << other;
}

TEST(spec, faults_in_scans_name_their_line) {
  const auto refused = [](const std::string& keys, const std::string& start) {
    expect_refusal(scan_with(keys) + scan_series, "mine.toml:4: " + start);
  };
  refused(", size = 0", "size: this must be a whole number (found 0, ");
  refused(", size = 5000", "size: this is too large (found 5000, expected 4096 or less)");
  refused(", views = 1.5", "views: this must be a whole number (found 1.5, ");
  refused(", detectors = \"many\"", "detectors: this must be a number (found 'many', ");
  refused(", spacing = 0", "spacing: the detector spacing must be positive (found 0, ");
  refused(", turn = 400", "turn: the views must cover a positive angle (found 400, ");
  refused(", projector = \"spline\"",
          "projector: there is no such projector (found 'spline', expected line, linear or strip)");
  refused(", phantom = \"apple\"", "phantom: there is no such phantom (found 'apple', ");
  refused(", rows = 100", "rows: unknown key in a spec");
}

TEST(spec, steps_that_follow_from_the_matrix_need_their_premises) {
  const std::string start = head + panel + series;
  expect_refusal(start + "for_batch = 0\nmomentum = 0.9\n", "mine.toml:8: for_batch: a batch has");
  expect_refusal(start + "for_batch = 40\n",
                 "mine.toml:8: for_batch: the step follows from the momentum (found 40, ");
  expect_refusal(start + "for_batch = 40\nmomentum = 0\n", "mine.toml:8: for_batch: the step");
  expect_refusal(start + "for_batch = 40\nmomentum = 0.9\nstep_size = 1\n",
                 "mine.toml:8: for_batch: this sets the step size of heavy ball");
  expect_refusal(
      head + panel + "[[series]]\nlabel = \"a\"\nmethod = \"minibatch-sgd\"\nfor_batch = 4\n",
      "mine.toml:8: for_batch: this sets the step size");
  expect_refusal(start + "coverage = 1\n", "mine.toml:8: coverage: this is lambda_max over");
  expect_refusal(start + "coverage = 9\nstep_size = 1\n",
                 "mine.toml:8: coverage: this sets lambda_min");
}

TEST(spec, only_scans_have_images) {
  expect_refusal(head + panel + series + "image = true\n",
                 "mine.toml:5: image: only a scan has an image (found panel 'p', gaussian");
  expect_refusal(head + panel + series + "image = 1\n",
                 "mine.toml:8: image: this must be true or false");
}

TEST(spec, faults_in_claims_name_their_line) {
  const std::string start = head + panel + series + "[[claim]]\ntext = \"t\"\n";
  expect_refusal(start + "check = \"guess\"\n", "mine.toml:10: check: there is no such check");
  expect_refusal(start + "check = \"below\"\n", "mine.toml:8: the claim names no series");
  expect_refusal(start + "check = \"values\"\nseries = \"a\"\nk = [1, 2]\nvalues = 1\n",
                 "mine.toml:13: values: there must be one value for each k");
}

TEST(spec, missing_files_are_told) {
  EXPECT_THROW(static_cast<void>(read_spec("nowhere.toml")), Error);
}

// Results are kept by it: what is in the files is part of the problem, b as well as A.
TEST(problems, of_files_are_others_once_a_file_has_changed) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("polyak-key-" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  ProblemSpec one;
  one.kind = "file";
  one.matrix = folder / "A.csv";
  one.rhs = folder / "b.csv";
  const auto write = [](const std::string& path, const char* text) { std::ofstream(path) << text; };
  write(one.matrix, "1\n2\n");
  write(one.rhs, "1\n2\n");
  const std::string before = one.key();
  EXPECT_EQ(one.key(), before);
  write(one.rhs, "1\n20\n");
  const std::string after = one.key();
  EXPECT_NE(after, before);
  write(one.matrix, "1\n20\n");
  EXPECT_NE(one.key(), after);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace polyak::experiments
