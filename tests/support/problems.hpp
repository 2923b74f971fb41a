#pragma once

// Small problems that several tests share.

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "polyak/error.hpp"
#include "polyak/generate.hpp"
#include "polyak/methods.hpp"
#include "polyak/solve.hpp"

namespace polyak::test {

using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

inline MatrixPtr matrix(const Rows& A) {
  return dense_matrix(std::vector<double>(A.data(), A.data() + A.size()), A.rows(), A.cols());
}
inline Array array(const Rows& v) {
  return Array(std::vector<double>(v.data(), v.data() + v.size()), v.rows(), v.cols());
}

/// The parts of a problem, to be completed by the test.
inline ProblemData data(const Rows& A, const Rows& b) {
  ProblemData out;
  out.A = matrix(A);
  out.b = array(b);
  return out;
}

/// x of a report, d × c.
inline Rows solution(const Report& report) {
  const ConstView x = report.x.view();
  return Eigen::Map<const Rows>(x.data, x.rows, x.cols);
}

/// Entries uniform in (-1, 1), from Eigen's generator with a fixed seed.
inline Rows random(Index rows, Index cols, unsigned seed) {
  std::srand(seed);
  return Rows::Random(rows, cols);
}

/// A consistent problem.
inline ProblemData consistent(Index rows = 300, Index cols = 8, unsigned seed = 1,
                              double kappa = 10.0) {
  SpectrumProblem shape;
  shape.rows = rows;
  shape.cols = cols;
  shape.decay = Decay::algebraic;
  shape.rho = 1.0;
  shape.kappa = kappa;
  GenerateOptions options;
  options.seed = seed;
  const GeneratedProblem made = generate(shape, options);
  ProblemData out;
  out.A = made.A;
  out.b = made.b;
  out.reference = made.x_planted;
  return out;
}

inline SolveOptions with_method(const std::string& method) {
  SolveOptions options;
  options.method = method;
  options.threads = 1;
  return options;
}

/// with_method, and a batch that is ample for the small problems here.
inline SolveOptions ample(const std::string& method) {
  SolveOptions options = with_method(method);
  if (method.starts_with("minibatch")) options.batch_size = 400;
  return options;
}

inline nlohmann::json golden() {
  std::ifstream file(std::string(POLYAK_TEST_DATA) + "/golden.json");
  return nlohmann::json::parse(file);
}

/// tiny_problem of golden.json: 6 × 3, small integers.
struct Tiny {
  Rows A{6, 3};
  Eigen::VectorXd b_consistent{6}, b_inconsistent{6}, x_planted{3}, x_ls{3};
  nlohmann::json numbers;

  Tiny() : numbers(golden()["tiny_problem"]) {
    for (int i = 0; i < 6; ++i) {
      for (int j = 0; j < 3; ++j) A(i, j) = numbers["A"][i][j];
      b_consistent(i) = numbers["b_consistent"][i];
      b_inconsistent(i) = numbers["b_inconsistent"][i];
    }
    for (int j = 0; j < 3; ++j) {
      x_planted(j) = numbers["x_planted"][j];
      x_ls(j) = numbers["x_ls"][j];
    }
  }
};

}  // namespace polyak::test
