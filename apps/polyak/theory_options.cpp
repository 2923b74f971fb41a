#include "theory_request.hpp"

namespace polyak::cli {
namespace {

using T = TheoryRequest;
using Records = std::vector<OptionRecord<T>>;

const Records& formula_options() {
  static const Records table = {
      {.name = "decay",
       .field = &T::decay,
       .value = "exponential|algebraic",
       .sentence = "How the eigenvalues of A'A fall from kappa to 1, as in generate."},
      {.name = "rho",
       .field = &T::rho,
       .value = "RHO",
       .sentence = "How fast they do: base or exponent.",
       .lowest = 0,
       .open_below = true},
      {.name = "kappa",
       .field = &T::kappa,
       .value = "K",
       .sentence = "Condition number of A'A.",
       .lowest = 1},
  };
  return table;
}

const Records& end_options() {
  static const Records table = {
      {.name = "lambda-min",
       .field = &T::lambda_min,
       .value = "L",
       .sentence = "Smallest eigenvalue of A'A that is not zero.",
       .lowest = 0},
      {.name = "lambda-max",
       .field = &T::lambda_max,
       .value = "L",
       .sentence = "Largest eigenvalue of A'A.",
       .lowest = 0,
       .open_below = true},
      {.name = "frobenius2",
       .field = &T::frobenius2,
       .value = "F",
       .sentence = "Sum of the squares of A's entries.",
       .lowest = 0,
       .open_below = true},
  };
  return table;
}

const Records& shape_options() {
  static const Records table = {
      {.name = "cols",
       .field = &T::cols,
       .value = "D",
       .sentence = "Columns of A.",
       .lowest = 1,
       .highest = 0x1p40},
      {.name = "rows",
       .field = &T::rows,
       .value = "N",
       .sentence = "Rows of A, where known; auto stands for very many.",
       .lowest = 1,
       .highest = 0x1p40},
      {.name = "eta",
       .field = &T::eta,
       .value = "ETA",
       .sentence = "Largest |a_i|^2/(p_i |A|_F^2) over the rows: 1 for row-norm sampling, "
                   "n max|a_i|^2/|A|_F^2 for uniform.",
       .lowest = 1},
  };
  return table;
}

const Records& matrix_options() {
  static const Records table = {
      {.name = "matrix",
       .field = &T::matrix,
       .value = "FILE",
       .sentence = "A itself: .mtx, .mtx.gz, .npy, .csv, .svm, .h5:/dataset or .mat:variable.",
       .file = FileUse::read},
  };
  return table;
}

const Records& run_options() {
  static const Records table = {
      {.name = "batch",
       .field = &T::batch,
       .value = "B",
       .sentence = "Rows in a batch: asks what they give, and which step and momentum suit them.",
       .lowest = 1},
      {.name = "sampling",
       .field = &T::sampling,
       .value = "row-norm|uniform",
       .sentence = "Probability of a row: by its squared norm, or equal."},
      {.name = "gamma",
       .field = &T::gamma,
       .value = "G",
       .sentence = "Widens the spectrum by G lambda_min for the paper's parameters.",
       .lowest = 0,
       .highest = 1,
       .open_above = true},
      {.name = "k-star",
       .field = &T::k_star,
       .value = "K",
       .sentence = "k* of the paper's theorem; auto solves k*/log k* = sqrt(kappa).",
       .lowest = 1,
       .open_below = true},
      {.name = "residual-norm",
       .field = &T::residual_norm,
       .value = "R",
       .sentence = "|Ax - b| at the best x: asks how near to that x a batch gets.",
       .lowest = 0},
      {.name = "residual-sigma",
       .field = &T::residual_sigma,
       .value = "S",
       .sentence = "Largest |r_i|/|a_i| there, for the paper's horizon; auto leaves its term out.",
       .lowest = 0},
  };
  return table;
}

const Records& output_options() {
  static const Records table = {
      {.name = "json", .field = &T::json, .value = "", .sentence = "Print one JSON object."},
  };
  return table;
}

}  // namespace

OptionSet theory_option_set(TheoryRequest& request, MessageOptions& messages) {
  OptionSet set;
  set.add("A by a formula for its spectrum", formula_options(), request);
  set.add("A by the ends of its spectrum", end_options(), request);
  set.add("With either of them", shape_options(), request);
  set.add("A from a file", matrix_options(), request);
  set.add("Reading the file", reading_options(), request.data);
  set.add("What would be run", run_options(), request);
  set.add("Output", output_options(), request);
  set.add("Messages", message_options(), messages);
  return set;
}

}  // namespace polyak::cli
