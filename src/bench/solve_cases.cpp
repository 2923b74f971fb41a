#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numbers>
#include <numeric>
#include <optional>

#include "bench/contests.hpp"
#include "core/random.hpp"
#include "core/thread_team.hpp"
#include "polyak/error.hpp"
#include "polyak/io.hpp"
#include "polyak/tomography_phantom.hpp"
#include "problem/least_squares.hpp"

// The problems and cases of the subject solve: built in, or from files, for matrices of
// collections that may not be distributed with polyak.

namespace polyak::bench::internal {
using namespace polyak::internal;

namespace {

Problem problem_of(MatrixPtr A, Array b, Array reference) {
  ProblemData parts;
  parts.A = std::move(A);
  parts.b = std::move(b);
  parts.reference = std::move(reference);
  return Problem(std::move(parts));
}

Problem problem_of(GeneratedProblem made) {
  return problem_of(std::move(made.A), std::move(made.b), std::move(made.x_least_squares));
}

using Names = std::vector<std::string>;

const Names sampled = {"rk", "minibatch-hbm", "normal", "cg", "lsqr"};
const Names full = {"normal", "sketch-hbm", "direct", "cg", "lsqr"};
const Names stable = {"normal", "sketch-hbm", "direct"};
const Names all_peers = {"normal", "gels", "lstsq", "lsqr", "lsmr"};

// The twelve problems of the paper's figures 3 and 4, without noise, all with the same x.
void add_paper(std::vector<SolveCase>& out, const Problems& make) {
  struct Spectrum {
    Decay decay;
    double rho;
  };
  for (const double kappa : {10.0, 30.0, 100.0})
    for (const auto [decay, rho] :
         {Spectrum{Decay::exponential, 0.1}, Spectrum{Decay::exponential, 0.8},
          Spectrum{Decay::algebraic, 2.0}, Spectrum{Decay::algebraic, 1.0}}) {
      const bool algebraic = decay == Decay::algebraic;
      out.push_back({fmt::format("{} rho={:g} kappa={:g}", algebraic ? "algebraic" : "exponential",
                                 rho, kappa),
                     [=, decay = decay, rho = rho] { return make.paper(decay, rho, kappa); },
                     sampled,
                     {"normal", "lsqr", "lsmr"},
                     true,
                     algebraic && kappa >= 30.0,
                     true});
    }
}

void add_noisy(std::vector<SolveCase>& out, const Problems& make) {
  out.push_back({"paper inconsistent",
                 [=] { return make.paper(Decay::exponential, 0.5, 50.0, 1e-5); }, full, all_peers});
  out.push_back({"10 % noise algebraic rho=1 kappa=100",
                 [=] { return make.noisy(Decay::algebraic, 1.0, 100.0); }, full, all_peers});
  out.push_back({"10 % noise exponential rho=0.8 kappa=100",
                 [=] { return make.noisy(Decay::exponential, 0.8, 100.0); }, full, all_peers});
  for (const double condition : {1e6, 1e10})
    out.push_back({fmt::format("condition {:.0e}", condition),
                   [=] { return make.graded(condition); },
                   stable,
                   {"normal", "gels", "lstsq"}});
  out.push_back({"heavy rows", [=] { return make.heavy(); }, full, all_peers});
}

void add_shapes(std::vector<SolveCase>& out, const Problems& make) {
  const std::string columns = fmt::format("{} columns", make.gaussian_columns());
  out.push_back({columns + " noise",
                 [=] { return make.gaussian(10.0); },
                 {"normal", "sketch-hbm", "cg", "lsqr"},
                 all_peers});
  out.push_back({columns + " consistent",
                 [=] { return make.gaussian(0.0); },
                 {"rk", "normal", "cg", "lsqr"},
                 {"normal", "gels", "lsqr"},
                 true});
  out.push_back({"sparse",
                 [=] { return make.sparse(); },
                 {"rk", "cg", "lsqr"},
                 {"sparse_lsqr", "sparse_lsmr"},
                 true});
  out.push_back({"tomography",
                 [=] { return make.scan(); },
                 {"rk", "normal", "cg", "lsqr"},
                 {"sparse_lsqr", "sparse_lsmr"},
                 true});
  out.push_back({"equal columns",
                 [=] { return make.repeated(); },
                 {"direct", "cg", "lsqr"},
                 {"lstsq", "lsqr", "lsmr"}});
  out.push_back({"wide",
                 [=] { return make.wide(); },
                 {"direct", "cg", "lsqr"},
                 {"lstsq", "lsqr", "lsmr"},
                 true});
}

std::vector<std::string> split(const std::string& texts) {
  std::vector<std::string> out(1);
  for (const char ch : texts)
    if (ch == ',')
      out.emplace_back();
    else
      out.back() += ch;
  std::erase(out, "");
  return out;
}

[[noreturn]] void refuse(const std::string& text, const std::vector<SolveCase>& all) {
  std::string names;
  for (const SolveCase& one : all) names += (names.empty() ? "" : ", ") + one.name;
  throw Error(ErrorCode::usage, {.what = "there is no such case",
                                 .where = "--cases",
                                 .found = "'" + text + "'",
                                 .expected = "a part of one of: " + names});
}

namespace fs = std::filesystem;

// "well1033" of "well1033.mtx.gz"; nothing for other formats.
std::optional<std::string> stem_of(const fs::path& path) {
  std::string name = path.filename().string();
  for (const char* ending : {".mtx.gz", ".mtx"})
    if (name.ends_with(ending)) return name.substr(0, name.size() - std::string(ending).size());
  return std::nullopt;
}

bool is_right_hand_side(const std::string& stem) {
  return stem.ends_with("_rhs1") || stem.ends_with("_b");
}

std::optional<std::string> right_hand_side(const fs::path& folder, const std::string& stem) {
  for (const char* more : {"_rhs1", "_b"})
    for (const char* ending : {".mtx", ".mtx.gz"}) {
      const fs::path path = folder / (stem + more + ending);
      if (fs::exists(path)) return path.string();
    }
  return std::nullopt;
}

[[noreturn]] void refuse_folder(const std::string& what, const std::string& folder) {
  throw Error(ErrorCode::no_input, {.what = what,
                                    .where = "--data " + folder,
                                    .found = {},
                                    .expected = "a folder with NAME.mtx and NAME_rhs1.mtx",
                                    .hint = {}});
}

}  // namespace

Problem with_reference(MatrixPtr A, Array b, int threads) {
  ThreadTeam team(threads);
  auto answer = qr_least_squares(*A, b.view(), {}, {}, team);
  const Index d = A->cols();
  return problem_of(std::move(A), std::move(b), Array(std::move(answer.x), d));
}

GenerateOptions Problems::options(double noise) const {
  return {.seed = seed, .noise = noise, .threads = threads};
}

std::vector<double> Problems::normals(Index count, std::uint64_t which) const {
  std::vector<double> out(to_size(count));
  Random(seed, stream::entries).normals(which, static_cast<std::uint64_t>(count), out.data());
  return out;
}

Problem Problems::solved(MatrixPtr A, std::vector<double> b) const {
  const Index n = A->rows();
  return with_reference(std::move(A), Array(std::move(b), n), threads);
}

SpectrumProblem Problems::shape(Decay decay, double rho, double kappa) const {
  SpectrumProblem out;
  out.rows = rows;
  out.cols = rows >= 100'000 ? 100 : 20;
  out.decay = decay;
  out.rho = rho;
  out.kappa = kappa;
  return out;
}

Problem Problems::paper(Decay decay, double rho, double kappa, double noise) const {
  return problem_of(generate(shape(decay, rho, kappa), options(noise)));
}

// |b| is about √(Σ lambda_j), as x is N(0, 1).
Problem Problems::noisy(Decay decay, double rho, double kappa) const {
  const auto values = squared_singular_values(shape(decay, rho, kappa));
  const double b2 = std::accumulate(values.begin(), values.end(), 0.0);
  return paper(decay, rho, kappa, 0.1 * std::sqrt(b2));
}

Problem Problems::graded(double condition) const {
  SpectrumProblem out;
  out.rows = rows / 5;
  out.cols = std::min<Index>(200, rows / 20);
  out.decay = Decay::given;
  for (Index j = 0; j < out.cols; ++j)
    out.squared_singular_values.push_back(
        std::pow(condition, -2.0 * static_cast<double>(j) / static_cast<double>(out.cols - 1)));
  return problem_of(generate(out, options(1e-3)));
}

Index Problems::gaussian_columns() const { return std::clamp<Index>(rows / 500, 20, 2000); }

Problem Problems::gaussian(double noise) const {
  return problem_of(generate(GaussianProblem{rows / 5, gaussian_columns()}, options(noise)));
}

Problem Problems::heavy() const {
  const Index n = rows / 5, d = 50;
  std::vector<double> A = normals(n * d, 1);
  for (Index k = 0; k < 20; ++k)
    for (Index j = 0; j < d; ++j) A[to_size(k * (n / 20) * d + j)] *= 1000.0;
  return solved(dense_matrix(std::move(A), n, d), normals(n, 2));
}

Problem Problems::repeated() const {
  const Index n = rows / 10, d = 60;
  std::vector<double> A = normals(n * d, 3);
  for (Index i = 0; i < n; ++i) A[to_size(i * d + 7)] = A[to_size(i * d + 50)];
  return solved(dense_matrix(std::move(A), n, d), normals(n, 4));
}

Problem Problems::wide() const {
  const Index n = std::min<Index>(400, rows / 100), d = 10 * n;
  return solved(dense_matrix(normals(n * d, 5), n, d), normals(n, 6));
}

// One entry in each twentieth of the columns.
Problem Problems::sparse() const {
  constexpr Index entries = 20;
  const Index d = std::max<Index>(entries, rows / 100);
  const Random places(seed, stream::entries + 1);
  const std::vector<double> x = normals(d, 7);
  Csr<double, std::int32_t> csr{{0}, {}, normals(rows * entries, 8), d};
  std::vector<double> b(to_size(rows), 0.0);
  for (Index i = 0; i < rows; ++i) {
    for (Index t = 0; t < entries; ++t) {
      const double u = places.uniform(static_cast<std::uint64_t>(i), static_cast<std::uint64_t>(t));
      const Index from = d * t / entries, to = d * (t + 1) / entries;
      const Index j = from + static_cast<Index>(u * static_cast<double>(to - from));
      b[to_size(i)] += csr.values[csr.columns.size()] * x[to_size(j)];
      csr.columns.push_back(static_cast<std::int32_t>(j));
    }
    csr.row_start.push_back(std::ssize(csr.columns));
  }
  return problem_of(csr_matrix(std::move(csr)), Array(std::move(b), rows), Array(x, d));
}

Problem Problems::scan() const {
  using namespace tomography;
  const bool large = rows >= 100'000;
  Geometry g;
  const Index side = large ? 64 : 12, views = large ? 720 : 60;
  for (Index k = 0; k < views; ++k)
    g.angles.push_back(std::numbers::pi * static_cast<double>(k) / static_cast<double>(views));
  g.detectors = 2 * side;
  g.image = {side, side, 1.0};
  MatrixPtr A = system_matrix(g, RayModel::line, threads);
  std::vector<double> image = draw(shepp_logan(), g.image);
  std::vector<double> b = projections(*A, image, threads);
  const Index n = A->rows(), d = A->cols();
  return problem_of(std::move(A), Array(std::move(b), n), Array(std::move(image), d));
}

std::vector<SolveCase> solve_cases(const Options& options) {
  const Problems make{options.rows, options.seed, static_cast<int>(options.threads)};
  std::vector<SolveCase> out;
  add_paper(out, make);
  add_noisy(out, make);
  add_shapes(out, make);
  return out;
}

std::vector<SolveCase> chosen_cases(std::vector<SolveCase> all, const std::string& texts) {
  std::vector<char> chosen(all.size(), 0);
  const std::vector<std::string> wanted = split(texts);
  if (wanted.empty()) refuse(texts, all);
  for (const std::string& text : wanted) {
    const bool whole =
        std::any_of(all.begin(), all.end(), [&](const SolveCase& one) { return one.name == text; });
    bool any = false;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (whole ? all[i].name != text : all[i].name.find(text) == std::string::npos) continue;
      chosen[i] = any = true;
    }
    if (!any) refuse(text, all);
  }
  std::vector<SolveCase> out;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (chosen[i]) out.push_back(std::move(all[i]));
  return out;
}

std::vector<SolveCase> given_cases(const std::string& folder, int threads,
                                   const std::function<void(const std::string&)>& note) {
  if (!fs::is_directory(folder)) refuse_folder("there is no such folder", folder);
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder)) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  std::vector<SolveCase> out;
  for (const fs::path& path : paths) {
    const auto stem = stem_of(path);
    if (!stem || is_right_hand_side(*stem)) continue;
    const auto b = right_hand_side(folder, *stem);
    if (!b) {
      note(path.string() + ": left out, there is no " + *stem + "_rhs1.mtx or _b.mtx beside it");
      continue;
    }
    out.push_back(
        {*stem,
         [=] { return with_reference(read_table(path.string()).A, read_array(*b), threads); },
         {"normal", "direct", "cg", "lsqr"},
         {"sparse_lsqr", "sparse_lsmr", "dense_lstsq"}});
  }
  if (out.empty()) refuse_folder("the folder holds no matrix with a right-hand side", folder);
  return out;
}

}  // namespace polyak::bench::internal
