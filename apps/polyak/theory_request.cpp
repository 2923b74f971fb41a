#include "theory_request.hpp"

#include "suggest.hpp"

namespace polyak::cli {
namespace {

using Names = std::vector<std::string>;

struct Way {
  Names marks;  // any of these chooses it
  Names needs;  // and then all of these must be there
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

std::set<std::string> known(const TheoryRequest& r) {
  std::set<std::string> out;
  const auto add = [&](const char* name, bool there) {
    if (there) out.insert(name);
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

// Those of the names that are there, or that are not.
Names among(const Names& names, const std::set<std::string>& there, bool wanted) {
  Names out;
  for (const std::string& name : names)
    if (there.contains(name) == wanted) out.push_back(name);
  return out;
}

[[noreturn]] void refuse(std::string where, std::string what, std::string expected,
                         std::string hint = {}) {
  throw Error(ErrorCode::usage, {.what = std::move(what),
                                 .where = std::move(where),
                                 .found = {},
                                 .expected = std::move(expected),
                                 .hint = std::move(hint)});
}

void check_ways(const std::set<std::string>& there) {
  const Way* chosen = nullptr;
  std::string first;
  for (const Way& way : ways()) {
    const Names marks = among(way.marks, there, true);
    if (marks.empty()) continue;
    if (chosen != nullptr)
      refuse(first + ", " + marks[0], "A is described in two ways",
             "one of: a decay, the ends of the spectrum, a matrix");
    chosen = &way;
    first = marks[0];
  }
  if (chosen == nullptr)
    refuse("theory", "nothing says what A is like",
           "--decay, --rho, --kappa and --cols; or --lambda-min, --lambda-max, --frobenius2 and "
           "--cols; or --matrix",
           "see polyak theory --help");
  const Names missing = among(chosen->needs, there, false);
  if (!missing.empty())
    refuse(listed(missing), missing.size() == 1 ? "the number is missing" : "numbers are missing",
           listed(chosen->needs) + " together");
}

// What the matrix says itself, and what only a matrix can use.
void check_matrix(const TheoryRequest& request, const std::set<std::string>& there,
                  const std::set<std::string>& given) {
  const Names twice = among({"--cols", "--rows", "--eta"}, there, true);
  if (request.matrix && !twice.empty())
    refuse(twice[0], "the matrix says this itself", "", "leave it out");
  for (const auto& record : reading_options())
    if (!request.matrix && given.contains(record.name))
      refuse("--" + record.name, "there is no file to read", "--matrix FILE", "or leave it out");
}

}  // namespace

void check_theory(const TheoryRequest& request, const std::set<std::string>& given) {
  const std::set<std::string> there = known(request);
  check_ways(there);
  check_matrix(request, there, given);
  if (request.residual_norm && !request.batch)
    refuse("--residual-norm", "how near one gets depends on the batch", "--batch B");
  if (request.residual_sigma && !request.residual_norm)
    refuse("--residual-sigma", "it is part of a residual", "--residual-norm R");
  if (request.decay && *request.cols == 1 && *request.kappa != 1.0)
    refuse("--kappa", "one column has one eigenvalue", "--kappa 1");
  if (request.lambda_min == 0.0)
    refuse("--lambda-min 0", "the strongly convex theory does not apply", "lambda_min above 0",
           "give the smallest eigenvalue that is not zero; a ridge R makes it at least R; lsqr and "
           "cgls need none");
}

}  // namespace polyak::cli
