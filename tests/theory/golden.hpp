#pragma once

// The reference numbers, and the spectra they belong to.

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "polyak/generate.hpp"
#include "polyak/theory.hpp"
#include "support/problems.hpp"

namespace polyak::theory {

using nlohmann::json;

constexpr Index golden_cols = 100;
constexpr Index golden_rows = 1'000'000;
constexpr double golden_gamma = 1e-3;

/// Strings carry 17 digits, floats are doubles.
inline double number(const json& value) {
  return value.is_string() ? std::stod(value.get<std::string>()) : value.get<double>();
}

/// "exp_rho0.1_kappa10", or "exp0.1_k10" and anything after it.
struct SpectrumName {
  Decay decay;
  double rho, kappa;

  explicit SpectrumName(const std::string& name) {
    decay = name.starts_with("exp") ? Decay::exponential : Decay::algebraic;
    const auto after = [&](const std::string& word) {
      return std::stod(name.substr(name.find(word) + word.size()));
    };
    const bool is_long = name.find("_rho") != std::string::npos;
    rho = is_long ? after("_rho") : after(decay == Decay::exponential ? "exp" : "alg");
    kappa = is_long ? after("_kappa") : after("_k");
  }

  std::vector<double> eigenvalues() const {
    SpectrumProblem shape;
    shape.rows = golden_rows;
    shape.cols = golden_cols;
    shape.decay = decay;
    shape.rho = rho;
    shape.kappa = kappa;
    return squared_singular_values(shape);
  }
};

/// Everything that has closed forms: the 8 spectra, the inconsistent problem and
/// the sampling problem.
inline std::vector<std::pair<std::string, json>> golden_problems() {
  const json all = test::golden();
  std::vector<std::pair<std::string, json>> out;
  for (const auto& [name, values] : all.at("spectra").items()) out.emplace_back(name, values);
  out.emplace_back("exp_rho0.5_kappa50", all.at("inconsistent_exp_rho0.5_kappa50"));
  out.emplace_back("sampling", all.at("sampling_DG_expectation"));
  return out;
}

inline MatrixNumbers numbers_of(const json& problem) {
  return {number(problem.at("lmin")), number(problem.at("lmax")), number(problem.at("F2")),
          golden_cols, 1.0};
}

inline void expect_relative(double got, double expected, double tolerance,
                            const std::string& what) {
  EXPECT_LE(std::abs(got - expected), tolerance * std::abs(expected))
      << what << ": " << got << " against " << expected << ", off by "
      << (got - expected) / expected;
}
inline void expect_golden(double got, const json& expected, double tolerance,
                          const std::string& what) {
  expect_relative(got, number(expected), tolerance, what);
}

}  // namespace polyak::theory
