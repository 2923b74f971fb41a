#include "cli/messages.hpp"
#include "theory/theory.hpp"

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
       .sentence = "Speed of that decay: base or exponent.",
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
       .sentence = "Rows of A, if known; auto means very many.",
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
       .sentence = "Rows in a batch: print its rate, and the best step and momentum for it.",
       .lowest = 1},
      {.name = "sampling",
       .field = &T::sampling,
       .value = "row-norm|uniform",
       .sentence = "Probability of a row: by its squared norm, or equal."},
      {.name = "gamma",
       .field = &T::gamma,
       .value = "G",
       .sentence = "Widen the spectrum by G lambda_min for the paper's parameters.",
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
       .sentence = "|Ax - b| at the solution: print how near to the solution a batch gets.",
       .lowest = 0},
      {.name = "residual-sigma",
       .field = &T::residual_sigma,
       .value = "S",
       .sentence =
           "Largest |r_i|/|a_i| at the solution, for the paper's horizon; auto omits its term.",
       .lowest = 0},
  };
  return table;
}

const Records& theory_output_options() {
  static const Records table = {
      {.name = "json", .field = &T::json, .value = "", .sentence = "Print one JSON object."},
  };
  return table;
}

using Names = std::vector<std::string>;

// A way to describe A.
struct Way {
  Names marks;  // any of these options chooses it
  Names needs;  // and then all of these are required
};

const std::vector<Way>& ways() {
  static const std::vector<Way> table = {
      {{"--decay", "--rho", "--kappa"}, {"--decay", "--rho", "--kappa", "--cols"}},
      {{"--lambda-min", "--lambda-max", "--frobenius2"},
       {"--lambda-min", "--lambda-max", "--frobenius2", "--cols"}},
      {{"--matrix"}, {"--matrix"}},
  };
  return table;
}

// The options about A that were given.
std::set<std::string> given_about_A(const TheoryRequest& r) {
  std::set<std::string> out;
  const auto add = [&](const char* name, bool given) {
    if (given) out.insert(name);
  };
  add("--decay", r.decay.has_value());
  add("--rho", r.rho.has_value());
  add("--kappa", r.kappa.has_value());
  add("--lambda-min", r.lambda_min.has_value());
  add("--lambda-max", r.lambda_max.has_value());
  add("--frobenius2", r.frobenius2.has_value());
  add("--matrix", r.matrix.has_value());
  add("--cols", r.cols.has_value());
  add("--rows", r.rows.has_value());
  add("--eta", r.eta.has_value());
  return out;
}

// The names that are in the set, or (`wanted` false) that are not.
Names among(const Names& names, const std::set<std::string>& about_A, bool wanted) {
  Names out;
  for (const std::string& name : names)
    if (about_A.contains(name) == wanted) out.push_back(name);
  return out;
}

void check_ways(const std::set<std::string>& about_A) {
  const Way* chosen = nullptr;
  std::string first;
  for (const Way& way : ways()) {
    const Names marks = among(way.marks, about_A, true);
    if (marks.empty()) continue;
    if (chosen != nullptr)
      refuse_usage(first + ", " + marks[0], "A is described in two ways",
                   "one of: a decay, the ends of the spectrum, a matrix");
    chosen = &way;
    first = marks[0];
  }
  if (chosen == nullptr)
    refuse_usage(
        "theory", "A is not described",
        "--decay, --rho, --kappa and --cols; or --lambda-min, --lambda-max, --frobenius2 and "
        "--cols; or --matrix",
        "see polyak theory --help");
  const Names missing = among(chosen->needs, about_A, false);
  if (!missing.empty())
    refuse_usage(listed(missing),
                 missing.size() == 1 ? "the number is missing" : "numbers are missing",
                 listed(chosen->needs) + " together");
}

// Options that repeat what the matrix file holds, and options that need a file.
void check_matrix(const TheoryRequest& request, const std::set<std::string>& about_A,
                  const std::set<std::string>& given) {
  const Names twice = among({"--cols", "--rows", "--eta"}, about_A, true);
  if (request.matrix && !twice.empty())
    refuse_usage(twice[0], "this number is taken from the matrix", "", "leave it out");
  for (const auto& record : reading_options())
    if (!request.matrix && given.contains(record.name))
      refuse_usage("--" + record.name, "there is no file to read", "--matrix FILE",
                   "or leave it out");
}

}  // namespace

OptionSet theory_option_set(TheoryRequest& request, MessageOptions& messages) {
  OptionSet set;
  set.add("A by a formula for its spectrum", formula_options(), request);
  set.add("A by the ends of its spectrum", end_options(), request);
  set.add("With a formula or the ends", shape_options(), request);
  set.add("A from a file", matrix_options(), request);
  set.add("Reading the file", reading_options(), request.data);
  set.add("The method", run_options(), request);
  set.add("Output", theory_output_options(), request);
  set.add("Messages", message_options(), messages);
  return set;
}

void check_theory(const TheoryRequest& request, const std::set<std::string>& given) {
  const std::set<std::string> about_A = given_about_A(request);
  check_ways(about_A);
  check_matrix(request, about_A, given);
  if (request.residual_norm && !request.batch)
    refuse_usage("--residual-norm", "the distance to the solution depends on the batch",
                 "--batch B");
  if (request.residual_sigma && !request.residual_norm)
    refuse_usage("--residual-sigma", "this option needs a residual norm", "--residual-norm R");
  if (request.decay && *request.cols == 1 && *request.kappa != 1.0)
    refuse_usage("--kappa", "one column has one eigenvalue", "--kappa 1");
  if (request.lambda_min == 0.0)
    refuse_usage(
        "--lambda-min 0", "the strongly convex theory does not apply", "lambda_min above 0",
        "give the smallest eigenvalue that is not zero; a ridge R makes it at least R; lsqr and "
        "cgls need none");
}

}  // namespace polyak::cli
