// A fitted model as a file, and what it predicts.

#include "polyak/model.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

#include "polyak/error.hpp"
#include "polyak/matrices.hpp"
#include "polyak/solve.hpp"
#include "support/problems.hpp"

namespace polyak::test::models {
namespace {

using Names = std::vector<std::string>;

LinearModel two_targets() {
  LinearModel out;
  out.columns = {"area", "rooms"};
  out.targets = {"price", "rent"};
  out.coefficients = Array({2.0, 0.1, -3.0, 1.0 / 3.0}, 2, 2);
  out.intercepts = {1.0, -1e-300};
  out.lowest = {40.0, 1.0};
  out.highest = {100.0, 4.0};
  out.rows = 5;
  out.method = "normal";
  out.status = "converged";
  return out;
}

MatrixPtr rows(std::vector<double> values, Index cols) {
  const Index n = std::ssize(values) / cols;
  return dense_matrix(std::move(values), n, cols);
}

class ModelFile : public testing::Test {
 protected:
  std::string path() const {
    return (std::filesystem::temp_directory_path() /
            (std::string("polyak-") +
             testing::UnitTest::GetInstance()->current_test_info()->name() + ".json"))
        .string();
  }
  LinearModel through_a_file(const std::string& text) const {
    std::ofstream(path()) << text;
    return read_model(path());
  }
  void TearDown() override { std::filesystem::remove(path()); }
};

TEST_F(ModelFile, keeps_every_bit) {
  const LinearModel made = two_targets(), read = through_a_file(to_json(made));
  EXPECT_EQ(read.columns, made.columns);
  EXPECT_EQ(read.targets, made.targets);
  EXPECT_EQ(read.intercepts, made.intercepts);
  EXPECT_EQ(read.lowest, made.lowest);
  EXPECT_EQ(read.highest, made.highest);
  EXPECT_EQ(read.rows, 5);
  EXPECT_EQ(read.method, "normal");
  for (Index j = 0; j < 2; ++j)
    for (Index k = 0; k < 2; ++k) EXPECT_EQ(read.coefficients(j, k), made.coefficients(j, k));
  EXPECT_EQ(to_json(read), to_json(made));
}

TEST_F(ModelFile, may_lack_names_ranges_intercept_and_columns) {
  LinearModel plain;
  plain.targets = {"y1"};
  plain.coefficients = Array({1.5}, 1, 1);
  const LinearModel read = through_a_file(to_json(plain));
  EXPECT_TRUE(read.columns.empty() && read.lowest.empty() && read.intercepts.empty());
  EXPECT_EQ(read.coefficients(0, 0), 1.5);
  LinearModel none = plain;
  none.coefficients = Array(std::vector<double>(), 0, 1);
  none.intercepts = {7.0};
  const LinearModel level = through_a_file(to_json(none));
  EXPECT_EQ(level.coefficients.rows(), 0);
  EXPECT_EQ(level.intercepts, std::vector<double>{7.0});
}

// Each of them is one line that names the file, never a crash or a guess.
TEST_F(ModelFile, that_is_damaged_is_refused) {
  const std::string good = to_json(two_targets());
  std::vector<std::string> texts{"", "[]", "{}", "7", "{\"polyak_model\": 2}", "\xff\xfe"};
  for (std::size_t length = 0; length < good.size(); length += 7)
    texts.push_back(good.substr(0, length));
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good;
    text.replace(text.find(from), from.size(), to);
    texts.push_back(text);
  };
  with("-3.0", "null");
  with("-3.0", "1e999");
  with("-3.0", "\"-3\"");
  with("-3.0,", "");
  with("\"price\",", "");
  with("\"name\": \"area\",", "");
  with("\"lowest\": 40.0,", "");
  with("\"intercepts\": [", "\"intercepts\": [2.0,");
  with("\"polyak_model\": 1", "\"polyak_model\": 1e400");
  for (const std::string& text : texts) {
    SCOPED_TRACE(text);
    try {
      through_a_file(text);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data) << error.what();
      EXPECT_NE(std::string(error.what()).find(path()), std::string::npos);
    }
  }
  try {
    read_model("/nonexistent/m.json");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::no_input);
  }
}

TEST(predictions, take_columns_by_name_in_any_order) {
  const LinearModel model = two_targets();
  const Array direct = predictions(model, *rows({50, 2, 60, 3}, 2), {"area", "rooms"});
  EXPECT_EQ(direct(0, 0), 1.0 + 2.0 * 50 - 3.0 * 2);
  EXPECT_EQ(direct(1, 0), 1.0 + 2.0 * 60 - 3.0 * 3);
  const Array other = predictions(model, *rows({2, 7, 50, 3, 7, 60}, 3), {"rooms", "zone", "area"});
  const Array unnamed = predictions(model, *rows({50, 2, 60, 3}, 2), {});
  // A column that takes no part may hold anything.
  const double nan = std::nan("");
  const Array beside =
      predictions(model, *rows({2, nan, 50, 3, nan, 60}, 3), {"rooms", "zone", "area"});
  for (Index i = 0; i < 2; ++i)
    for (Index k = 0; k < 2; ++k) {
      EXPECT_EQ(beside(i, k), other(i, k));
      EXPECT_NEAR(other(i, k), direct(i, k), 1e-14 * std::abs(direct(i, k)));
      EXPECT_EQ(unnamed(i, k), direct(i, k));
    }
}

TEST(predictions, without_the_columns_are_refused_and_all_are_named) {
  const LinearModel model = two_targets();
  const auto said = [&](Index cols, const Names& names) -> std::string {
    try {
      predictions(model, *rows(std::vector<double>(to_size(cols)), cols), names);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::bad_data);
      return error.what();
    }
    return "";
  };
  EXPECT_NE(said(1, {"zone"}).find("2 of the 2 columns of the model are missing"),
            std::string::npos);
  EXPECT_NE(said(1, {"area"}).find("no rooms"), std::string::npos);
  EXPECT_NE(said(3, {"area", "rooms", "area"}).find("two columns have this name"),
            std::string::npos);
  EXPECT_NE(said(3, {}).find("3 columns"), std::string::npos);
}

TEST(predictions, of_no_rows_and_of_many_are_those_of_each_row) {
  const LinearModel model = two_targets();
  EXPECT_EQ(predictions(model, *rows({}, 2), {}).rows(), 0);
  std::vector<double> values;
  for (int i = 0; i < 70000; ++i) values.insert(values.end(), {i * 0.001, i * 0.1 - 3});
  const MatrixPtr A = rows(values, 2);
  const Array one = predictions(model, *A, {}, 1), three = predictions(model, *A, {}, 3);
  for (Index i : {Index{0}, Index{32767}, Index{32768}, Index{69999}}) {
    const double a = values[to_size(2 * i)], b = values[to_size(2 * i + 1)];
    EXPECT_NEAR(one(i, 0), 1.0 + 2.0 * a - 3.0 * b, 1e-12 * (1.0 + 2.0 * a + 3.0 * std::abs(b)));
  }
  for (Index i = 0; i < 70000; ++i) ASSERT_EQ(one(i, 1), three(i, 1));
}

TEST(predictions, beyond_the_fit_are_told_by_column) {
  const LinearModel model = two_targets();
  EXPECT_TRUE(extrapolations(model, *rows({40, 1, 100, 4}, 2), {}).empty());
  const auto beyond = extrapolations(model, *rows({2, 39, 9, 101, 3, 50}, 2), {"rooms", "area"});
  ASSERT_EQ(beyond.size(), 2u);
  EXPECT_EQ(beyond[0].column, "area");
  EXPECT_EQ(beyond[0].rows, 2);
  EXPECT_EQ(beyond[0].lowest, 39.0);
  EXPECT_EQ(beyond[0].highest, 101.0);
  EXPECT_EQ(beyond[0].fitted_highest, 100.0);
  EXPECT_EQ(beyond[1].column, "rooms");
  EXPECT_EQ(beyond[1].rows, 1);
}

TEST(scores, are_those_of_the_definition) {
  const std::vector<double> b{1, 2, 3, 4, 5, 5}, p{1.5, 2, 2.5, 4, 5, 5};
  const auto list = scores({p.data(), 3, 2, 2}, {b.data(), 3, 2, 2});
  ASSERT_EQ(list.size(), 2u);
  EXPECT_NEAR(list[0].root_mean_square, std::sqrt(0.5 / 3.0), 1e-15);
  EXPECT_NEAR(list[0].mean_absolute, 1.0 / 3.0, 1e-15);
  EXPECT_NEAR(*list[0].r_squared, 1.0 - 0.5 / 8.0, 1e-15);
  EXPECT_EQ(list[1].root_mean_square, 0.0);
  EXPECT_EQ(*list[1].r_squared, 1.0);
  const std::vector<double> same{2, 2};
  EXPECT_FALSE(scores({p.data(), 2, 1, 1}, {same.data(), 2, 1, 1})[0].r_squared);
}

// From a solve, with an intercept and without: fitted values are A·x.
TEST(linear_model, of_a_solve_predicts_what_was_fitted) {
  const Rows A = random(200, 3, 1), noise = 0.1 * random(200, 1, 2);
  const Rows b = A * Eigen::Vector3d(1.0, -2.0, 0.5) + noise + Rows::Constant(200, 1, 4.0);
  for (const bool intercept : {false, true}) {
    ProblemData parts = data(A, b);
    parts.intercept = intercept;
    const Problem problem(parts);
    const Report report = solve(problem, {});
    Names names{"u", "v", "w"};
    if (intercept) names.push_back("intercept");
    LinearModel model = linear_model(report, intercept, names, {});
    find_ranges(problem.A(), model);
    EXPECT_EQ(model.columns, (Names{"u", "v", "w"}));
    EXPECT_EQ(model.targets, Names{"y1"});
    EXPECT_EQ(model.intercepts.size(), intercept ? 1u : 0u);
    EXPECT_EQ(model.highest[1], A.col(1).maxCoeff());
    EXPECT_EQ(model.lowest[2], A.col(2).minCoeff());
    const Array fit = predictions(model, *parts.A, {});
    double squares = 0.0;
    for (Index i = 0; i < 200; ++i) squares += std::pow(b(i, 0) - fit(i), 2);
    EXPECT_NEAR(std::sqrt(squares), *report.residual_norm, 1e-10 * *report.residual_norm);
  }
}

}  // namespace
}  // namespace polyak::test::models
