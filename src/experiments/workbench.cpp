#include <algorithm>
#include <cmath>
#include <numbers>

#include "core/clock.hpp"
#include "experiments/lab.hpp"
#include "polyak/error.hpp"
#include "polyak/generate.hpp"
#include "polyak/io.hpp"
#include "polyak/solve.hpp"
#include "polyak/theory.hpp"
#include "polyak/tomography_phantom.hpp"

namespace polyak::experiments::internal {
using namespace polyak::internal;

namespace {

GeneratedProblem generated(const ProblemSpec& spec, int threads) {
  const GenerateOptions options{spec.seed, spec.noise, threads};
  if (spec.kind == "stacked") return generate(StackedProblem{spec.copies}, options);
  if (spec.kind == "gaussian") return generate(GaussianProblem{spec.rows, spec.cols}, options);
  if (spec.kind == "sampling") {
    SamplingProblem shape;
    shape.rows = spec.rows;
    shape.cols = spec.cols;
    return generate(shape, options);
  }
  SpectrumProblem shape;
  shape.rows = spec.rows;
  shape.cols = spec.cols;
  shape.decay = spec.decay == "algebraic" ? Decay::algebraic : Decay::exponential;
  shape.kappa = spec.kappa;
  shape.rho = spec.rho;
  return generate(shape, options);
}

Array start_vector(const ProblemSpec& spec, Index cols) {
  if (spec.x0.empty()) return {};
  if (std::ssize(spec.x0) == cols) return Array(spec.x0, cols);
  throw Error(ErrorCode::bad_data, {.what = "x0 does not fit the problem",
                                    .found = std::to_string(spec.x0.size()) + " numbers",
                                    .expected = std::to_string(cols)});
}

// The least squares solution, by the method that auto chooses (QR if it is affordable).
Report best_fit(const Problem& problem, int threads) {
  SolveOptions options;
  options.tol = 1e-14;
  options.threads = threads;
  return solve(problem, options);
}

}  // namespace

Workbench::Workbench(const ProblemSpec& spec, int threads) {
  timed(seconds_, [&] {
    if (spec.kind == "file")
      load(spec, threads);
    else if (spec.kind == "tomography")
      scan(spec, threads);
    else
      make(spec, threads);
    spectrum_ = spectrum_facts(problem_->matrix(), Sampling::row_norm, threads, spec.seed);
    if (spec.kind == "tomography" && !spectrum_.exact) bound_spectrum(threads);
  });
}

void Workbench::make(const ProblemSpec& spec, int threads) {
  GeneratedProblem made = generated(spec, threads);
  ProblemData data;
  data.x0 = start_vector(spec, made.A->cols());
  data.A = std::move(made.A);
  data.b = std::move(made.b);
  data.reference = std::move(made.x_least_squares);
  residual_norm_ = made.residual_norm;
  problem_ = std::make_unique<Problem>(std::move(data));
}

void Workbench::scan(const ProblemSpec& spec, int threads) {
  Scan made = make_scan(spec, threads);
  ProblemData data;
  data.x0 = start_vector(spec, made.A->cols());
  data.A = std::move(made.A);
  const Index rows = std::ssize(made.b), cols = std::ssize(made.image);
  data.b = Array(std::move(made.b), rows);
  data.reference = Array(std::move(made.image), cols);
  problem_ = std::make_unique<Problem>(std::move(data));
}

// The eigenvalues of a scan decrease to almost zero, so the smallest Ritz value of Lanczos is not
// lambda_min. For lambda_max there is a much better bound, because A has no negative entries.
void Workbench::bound_spectrum(int threads) {
  spectrum_.lambda_min = 0.0;
  spectrum_.lambda_max = tomography::norm_bounds(problem_->A(), {}, 15, threads).upper;
}

void Workbench::load(const ProblemSpec& spec, int threads) {
  Table table = read_table(spec.matrix);
  ProblemData data;
  data.A = table.A;
  data.b = spec.rhs.empty() ? table.b : read_array(spec.rhs);
  if (data.b.empty())
    throw Error(ErrorCode::bad_data, {.what = "the matrix has no right-hand side",
                                      .where = spec.matrix,
                                      .found = {},
                                      .expected = {},
                                      .hint = "name its file in the spec: rhs = \"b.npy\""});
  data.x0 = start_vector(spec, data.A->cols());
  const Report best = best_fit(Problem(data), threads);
  data.reference = best.x;
  residual_norm_ = best.residual_norm.value_or(0.0);
  problem_ = std::make_unique<Problem>(std::move(data));
}

ProblemFacts Workbench::facts() const {
  ProblemFacts out;
  out.rows = problem_->rows();
  out.cols = problem_->cols();
  out.nonzeros = problem_->A().nonzeros();
  out.matrix = problem_->A().kind();
  out.lambda_min = spectrum_.lambda_min;
  out.lambda_max = spectrum_.lambda_max;
  out.frobenius2 = spectrum_.frobenius2;
  const auto& norms2 = spectrum_.norms2;
  const double largest = *std::max_element(norms2.begin(), norms2.end());
  out.eta_uniform = static_cast<double>(out.rows - spectrum_.zero_rows) * largest / out.frobenius2;
  out.residual_norm = residual_norm_;
  double b2 = 0.0;
  const ConstView b = problem_->b();
  for (Index i = 0; i < b.rows; ++i)
    for (Index c = 0; c < b.cols; ++c) b2 += b(i, c) * b(i, c);
  out.b_norm = std::sqrt(b2);
  if (out.cols == 2 && has_basis())  // eigenvalues are in ascending order
    out.slow_axis.assign(spectrum_.eigenvectors.begin(), spectrum_.eigenvectors.begin() + 2);
  theory::MatrixNumbers numbers{out.lambda_min, out.lambda_max, out.frobenius2, out.cols, 1.0};
  if (out.lambda_min > 0.0)
    out.heuristic = theory::heavy_ball_theory(numbers, 1e-3).batch_heuristic.value_or(0.0);
  out.seconds = seconds_;
  return out;
}

double Workbench::along(std::size_t j, ConstView x, Index row) const {
  const ConstView best = problem_->reference();
  const double* v = spectrum_.eigenvectors.data() + j * to_size(x.cols);
  double sum = 0.0;
  for (Index i = 0; i < x.cols; ++i) sum += v[i] * (x(row, i) - best(row, i));
  return sum;
}

double Workbench::residual_norm(ConstView x) const {
  double sum = residual_norm_ * residual_norm_;
  for (Index c = 0; c < x.rows; ++c)
    for (std::size_t j = 0; j < spectrum_.eigenvalues.size(); ++j) {
      const double e = along(j, x, c);
      sum += spectrum_.eigenvalues[j] * e * e;
    }
  return std::sqrt(sum);
}

std::vector<double> Workbench::start() const {
  std::vector<double> out;
  for (std::size_t j = 0; j < spectrum_.eigenvalues.size(); ++j)
    out.push_back(along(j, problem_->x0(), 0));
  return out;
}

tomography::Geometry geometry_of(const ScanSpec& scan) {
  tomography::Geometry out;
  const double step = scan.turn * std::numbers::pi / 180.0 / static_cast<double>(scan.views);
  for (Index v = 0; v < scan.views; ++v) out.angles.push_back(step * static_cast<double>(v));
  out.detectors = scan.detectors;
  out.spacing = scan.spacing;
  out.image = {scan.size, scan.size, 1.0};
  return out;
}

std::vector<double> planted_image(const ProblemSpec& problem) {
  const tomography::ImageGrid grid{problem.scan.size, problem.scan.size, 1.0};
  const std::string& name = problem.scan.phantom;
  if (name == "shepp-logan") return draw(tomography::shepp_logan(), grid);
  if (name == "disc") return draw(tomography::disc(), grid);
  if (name == "rectangle") return draw(tomography::rectangle(), grid);
  return draw_walnut(grid, problem.seed);
}

Scan make_scan(const ProblemSpec& problem, int threads) {
  Scan out;
  const auto model = tomography::ray_model_named(problem.scan.projector);
  out.A = system_matrix(geometry_of(problem.scan), model, threads);
  out.image = planted_image(problem);
  const Index n = out.A->rows(), d = out.A->cols();
  out.b.resize(to_size(n));
  out.A->multiply(0, n, {out.image.data(), 1, d, d}, {out.b.data(), n, 1, 1});
  return out;
}

}  // namespace polyak::experiments::internal
