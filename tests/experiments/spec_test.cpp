// A spec that cannot be carried out is refused with file, line and reason.

#include "experiments/spec.hpp"

#include <gtest/gtest.h>

#include "polyak/error.hpp"

namespace polyak::experiments {
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
  const std::vector<std::string> wanted = {"fig1", "fig2", "fig3", "fig4", "fig5", "table1"};
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
                 "mine.toml:1: name: files are named after this (found 'a/b'");
  expect_refusal(head + series, "mine.toml: the spec has no panel");
  expect_refusal(head + panel, "mine.toml: the spec has no series");
  expect_refusal(head + "trails = 5\n" + panel + series,
                 "mine.toml:2: trails: a spec has no such key here");
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
  expect_refusal(head + panel + series + "seed = 3\n", "mine.toml:8: seed: a spec has no such key");
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

}  // namespace
}  // namespace polyak::experiments
