// A scan as an experiment: its problem, its step, its images.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "experiments/lab.hpp"
#include "files.hpp"
#include "polyak/error.hpp"
#include "polyak/experiments.hpp"
#include "polyak/tomography_reconstruct.hpp"

namespace polyak::experiments {
using namespace polyak::experiments::internal;

namespace {

namespace fs = std::filesystem;

std::size_t count(const std::string& text, const std::string& word) {
  std::size_t found = 0;
  for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) ++found;
  return found;
}

ProblemSpec scan_of(Index size, Index views) {
  ProblemSpec out;
  out.kind = "tomography";
  out.scan.size = size;
  out.scan.views = views;
  out.scan.detectors = 2 * size;
  return out;
}

TEST(scan, the_planted_image_fits_the_data) {
  const Workbench bench(scan_of(16, 20), 1);
  EXPECT_EQ(bench.problem().rows(), 640);
  EXPECT_EQ(bench.problem().cols(), 256);
  EXPECT_LE(bench.residual_norm(bench.problem().reference()), 1e-12 * bench.facts().b_norm);
}

TEST(scan, views_go_once_around_in_equal_steps) {
  const auto geometry = geometry_of(scan_of(16, 720).scan);
  EXPECT_EQ(geometry.views(), 720);
  EXPECT_NEAR(geometry.angles[1], 3.14159265358979324 / 360.0, 1e-17);
  EXPECT_NEAR(geometry.angles[719], 3.14159265358979324 * 719.0 / 360.0, 1e-14);
}

TEST(scan, every_phantom_is_another_image) {
  ProblemSpec spec = scan_of(24, 4);
  std::vector<std::vector<double>> images;
  for (const char* name : {"walnut", "shepp-logan", "disc", "rectangle"}) {
    spec.scan.phantom = name;
    images.push_back(planted_image(spec));
    EXPECT_GT(*std::max_element(images.back().begin(), images.back().end()), 0.0) << name;
    for (std::size_t i = 0; i + 1 < images.size(); ++i) EXPECT_NE(images[i], images.back()) << name;
  }
}

// The paper's scan with few of its views: too many columns for all eigenvalues.
TEST(scan, a_large_one_has_a_sharp_lambda_max_and_no_lambda_min) {
  const Workbench bench(scan_of(64, 12), 1);
  const ProblemFacts facts = bench.facts();
  ASSERT_FALSE(bench.spectrum().exact);
  EXPECT_EQ(facts.lambda_min, 0.0);
  EXPECT_EQ(facts.heuristic, 0.0);
  const auto bounds = tomography::norm_bounds(bench.problem().A(), {}, 60, 1);
  EXPECT_GE(facts.lambda_max, bounds.lower * (1.0 - 1e-9));
  EXPECT_LE(facts.lambda_max, bounds.lower * 1.01);
}

class ScanFigure : public testing::Test {
 protected:
  ScanFigure() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    folder_ = fs::temp_directory_path() / (std::string("polyak-scan-") + test->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
    write("");
  }
  ~ScanFigure() override { fs::remove_all(folder_); }

  void write(const std::string& more) const {
    std::ofstream(folder_ / "nut.toml") << R"(
name = "nut"
trials = 3
iterations = 60
[[panel]]
title = "small scan"
problem = { kind = "tomography", size = 20, detectors = 40, views = 30 }
[[series]]
label = "HBM"
method = "hbm"
for_batch = 50
momentum = 0.9
image = true
[[series]]
label = "B = {c} B*"
method = "minibatch-hbm"
sampling = "uniform"
for_batch = 50
momentum = 0.9
times_heuristic = [1, 0.1]
image = true
[[series]]
label = "free"
method = "hbm"
coverage = 50
[[claim]]
text = "a tenth does worse"
check = "better"
series = "B = 1 B*"
than = "B = 0.1 B*"
)" << more;
  }
  Outcome run(const std::string& name, Index threads, std::optional<Index> rows = {}) const {
    Options options;
    options.out = (folder_ / name).string();
    options.threads = threads;
    options.rows = rows;
    Watcher watcher;
    return reproduce((folder_ / "nut.toml").string(), options, watcher);
  }
  std::string file(const std::string& run, const std::string& name) const {
    return contents(folder_ / run / name);
  }

  fs::path folder_;
  const std::vector<std::string> images_ = {"nut-1-0-planted.png", "nut-1-1-hbm.png",
                                            "nut-1-2-b-1-b.png", "nut-1-3-b-0.1-b.png"};
};

TEST_F(ScanFigure, images_are_files_and_inside_the_page) {
  const Outcome outcome = run("out", 1);
  EXPECT_EQ(outcome.runs_made, 4);
  ASSERT_EQ(outcome.claims.size(), 1u);
  EXPECT_EQ(outcome.claims[0].pass, true) << outcome.claims[0].measured;
  for (const std::string& name : images_) {
    EXPECT_EQ(file("out", name).substr(1, 3), "PNG") << name;
    EXPECT_TRUE(std::any_of(outcome.files.begin(), outcome.files.end(),
                            [&](const std::string& path) { return path.ends_with("/" + name); }));
  }
  const std::string page = file("out", "index.html");
  EXPECT_EQ(count(page, "src=\"data:image/png;base64,"), 4u);
  EXPECT_NE(page.find("50 rows a step, error 0."), std::string::npos);
  EXPECT_NE(page.find("5 rows a step, error 0."), std::string::npos);
  EXPECT_NE(page.find("B* = 50 at β = 0.9 makes α = "), std::string::npos);
  EXPECT_NE(page.find("κ covered: "), std::string::npos);
}

TEST_F(ScanFigure, the_same_bytes_for_any_number_of_threads) {
  static_cast<void>(run("one", 1));
  static_cast<void>(run("two", 2));
  EXPECT_EQ(file("one", "nut.csv"), file("two", "nut.csv"));
  EXPECT_GT(file("one", "nut.csv").size(), 2000u);
  for (const std::string& name : images_) EXPECT_EQ(file("one", name), file("two", name)) << name;
}

TEST_F(ScanFigure, kept_runs_keep_their_images) {
  static_cast<void>(run("out", 1));
  std::vector<std::string> first;
  for (const std::string& name : images_) {
    first.push_back(file("out", name));
    fs::remove(folder_ / "out" / name);
  }
  EXPECT_EQ(run("out", 1).runs_made, 0);
  for (std::size_t i = 0; i < images_.size(); ++i) EXPECT_EQ(file("out", images_[i]), first[i]);
}

TEST_F(ScanFigure, fewer_rows_leave_the_image_and_take_away_views) {
  static_cast<void>(run("few", 1, 400));
  static_cast<void>(run("out", 1));
  EXPECT_NE(file("few", "index.html").find("400 × 400"), std::string::npos);  // 10 views of 40
  EXPECT_EQ(file("few", images_[0]), file("out", images_[0]));
  EXPECT_NE(file("few", images_[1]), file("out", images_[1]));
}

TEST_F(ScanFigure, the_step_makes_b_star_what_was_asked_for) {
  static_cast<void>(run("out", 1));
  const Workbench bench(
      [] {
        ProblemSpec spec = scan_of(20, 30);
        spec.seed = 1;
        return spec;
      }(),
      1);
  const ProblemFacts f = bench.facts();
  const double step = tomography::step_for(50.0, 0.9, f.frobenius2, f.lambda_max, f.cols);
  EXPECT_NEAR(tomography::batch_for(step, 0.9, f.frobenius2, f.lambda_max, f.cols), 50.0, 1e-10);
  std::ostringstream told;
  told.precision(4);
  told << "makes α = " << step << " = ";
  EXPECT_NE(file("out", "index.html").find(told.str()), std::string::npos) << told.str();
}

TEST_F(ScanFigure, what_needs_lambda_min_is_refused) {
  std::ofstream(folder_ / "nut.toml") << R"(
name = "nut"
[[panel]]
title = "large scan"
problem = { kind = "tomography", size = 60, detectors = 60, views = 2 }
[[series]]
label = "bound"
bound = true
)";
  try {
    static_cast<void>(run("none", 1));
    FAIL() << "accepted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::bad_data);
    EXPECT_NE(std::string(error.what()).find("the bound of HBM needs lambda_min"),
              std::string::npos);
  }
}

}  // namespace
}  // namespace polyak::experiments
