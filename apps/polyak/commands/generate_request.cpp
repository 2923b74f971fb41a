#include "cli/messages.hpp"
#include "commands/generate.hpp"

namespace polyak::cli {
namespace {

constexpr unsigned shape = 1, spectrum = 2, copies = 4, sparse = 8, noise = 16;

GenerateOptions common(const GenerateRequest& request) {
  return {request.seed, request.noise, static_cast<int>(request.threads)};
}

GeneratedProblem make_spectrum(const GenerateRequest& request) {
  SpectrumProblem problem;
  problem.rows = request.rows;
  problem.cols = request.cols;
  problem.decay = request.decay == "algebraic" ? Decay::algebraic : Decay::exponential;
  problem.kappa = request.kappa;
  problem.rho = request.rho;
  return generate(problem, common(request));
}
GeneratedProblem make_sampling(const GenerateRequest& request) {
  return generate(SamplingProblem{request.rows, request.cols, request.dense}, common(request));
}
GeneratedProblem make_stacked(const GenerateRequest& request) {
  return generate(StackedProblem{request.copies}, common(request));
}
GeneratedProblem make_gaussian(const GenerateRequest& request) {
  return generate(GaussianProblem{request.rows, request.cols}, common(request));
}
GeneratedProblem make_varied(const GenerateRequest& request) {
  return generate_varied(request.seed, static_cast<int>(request.threads));
}

}  // namespace

const std::vector<GenerateKind>& generate_kinds() {
  static const std::vector<GenerateKind> kinds = {
      {"spectrum", "random singular vectors, chosen singular values", shape | spectrum | noise,
       make_spectrum},
      {"sampling", "sparse 0/1 rows, one in ten scaled by 10, so that row norms matter",
       shape | sparse | noise, make_sampling},
      {"stacked", "copies of one 2 x 2 matrix", copies | noise, make_stacked},
      {"gaussian", "independent normal entries", shape | noise, make_gaussian},
      {"varied", "one of twelve kinds; --seed decides kind, sizes and noise", 0, make_varied},
  };
  return kinds;
}

const std::vector<OptionRecord<GenerateRequest>>& generate_options() {
  using G = GenerateRequest;
  static const std::vector<OptionRecord<G>> table = {
      {.name = "output",
       .field = &G::output,
       .value = "DIR",
       .sentence = "The folder to write to; created if necessary."},
      {.name = "rows",
       .field = &G::rows,
       .value = "N",
       .sentence = "Rows of A (not for stacked and varied).",
       .lowest = 1,
       .highest = 0x1p40,
       .needs = shape},
      {.name = "cols",
       .field = &G::cols,
       .value = "D",
       .sentence = "Columns of A (not for stacked and varied).",
       .lowest = 1,
       .highest = 0x1p40,
       .needs = shape},
      {.name = "decay",
       .field = &G::decay,
       .value = "exponential|algebraic",
       .sentence = "How the squared singular values fall from kappa to 1 (spectrum).",
       .needs = spectrum},
      {.name = "rho",
       .field = &G::rho,
       .value = "RHO",
       .sentence = "Speed of that decay: base or exponent (spectrum).",
       .lowest = 0,
       .open_below = true,
       .needs = spectrum},
      {.name = "kappa",
       .field = &G::kappa,
       .value = "K",
       .sentence = "Condition number of A'A (spectrum).",
       .lowest = 1,
       .needs = spectrum},
      {.name = "copies",
       .field = &G::copies,
       .value = "N",
       .sentence = "How often the matrix is repeated (stacked).",
       .lowest = 1,
       .highest = 0x1p40,
       .needs = copies},
      {.name = "dense",
       .field = &G::dense,
       .value = "",
       .sentence = "Write A.npy instead of A.mtx (sampling).",
       .needs = sparse},
      {.name = "noise",
       .field = &G::noise,
       .value = "R",
       .sentence = "Norm of the noise added to b (not for varied).",
       .lowest = 0,
       .needs = noise},
      {.name = "seed",
       .field = &G::seed,
       .value = "N",
       .sentence = "Seed of all random numbers; the same seed gives the same bits."},
      {.name = "threads",
       .field = &G::threads,
       .value = "N",
       .sentence = "Threads; 0 means all cores. The result does not depend on it.",
       .lowest = 0,
       .highest = 4096},
  };
  return table;
}

const GenerateKind& check_generate(const GenerateRequest& request, const OptionSet& options,
                                   const std::set<std::string>& given) {
  std::vector<std::string> names;
  for (const GenerateKind& kind : generate_kinds()) {
    names.push_back(kind.name);
    if (kind.name != request.kind) continue;
    for (const std::string& name : given)
      if ((options.find(name)->needs & ~kind.traits) != 0)
        throw Error(ErrorCode::usage,
                    {.what = "the kind " + kind.name + " does not use this option",
                     .where = "--" + name,
                     .found = {},
                     .expected = {},
                     .hint = "leave it out"});
    if (!request.output)
      throw Error(ErrorCode::usage, {.what = "the folder to write to is missing",
                                     .where = "--output",
                                     .found = {},
                                     .expected = "DIR"});
    return kind;
  }
  const std::string near = nearest(request.kind, names);
  throw Error(ErrorCode::usage, {.what = "there is no such kind of problem",
                                 .where = "generate",
                                 .found = "'" + request.kind + "'",
                                 .expected = listed(names),
                                 .hint = near.empty() ? "" : "did you mean " + near + "?"});
}

}  // namespace polyak::cli
