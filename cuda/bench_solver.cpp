// bench_gpu_solver FILE.json: passes over A on the device beside its read ceiling, and whole
// solves on device and CPU. Medians, timed on the host; what is timed ends with a number that
// the host reads.

#include <algorithm>
#include <chrono>
#include <fstream>
#include <functional>
#include <iostream>
#include <nlohmann/json.hpp>

#include "backend/backend.hpp"
#include "backend/device_library.hpp"
#include "core/random.hpp"
#include "cuda/read_ceiling.hpp"
#include "polyak/devices.hpp"
#include "polyak/generate.hpp"
#include "polyak/matrices.hpp"
#include "polyak/solve.hpp"

namespace polyak {
using namespace polyak::internal;

namespace {

using Json = nlohmann::ordered_json;

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

double median(std::vector<double> times) {
  std::nth_element(times.begin(), times.begin() + std::ssize(times) / 2, times.end());
  return times[times.size() / 2];
}

double median_seconds(int repeats, const std::function<void()>& body) {
  std::vector<double> times;
  for (int i = 0; i < repeats + 2; ++i) {
    const double start = seconds();
    body();
    if (i >= 2) times.push_back(seconds() - start);
  }
  return median(times);
}

template <class Value>
std::shared_ptr<device::Problem> empty_dense(Index n, Index d) {
  device::Problem* made = nullptr;
  check(cuda_library().make(0,
                            {.n = n,
                             .d = d,
                             .stored_columns = d,
                             .sparse = false,
                             .single = sizeof(Value) == 4,
                             .entries = 0,
                             .right_hand_sides = 1,
                             .weighted = false,
                             .bounded = false,
                             .shifted = false,
                             .scale_a = 1.0,
                             .scale_b = 1.0},
                            &made));
  return {made, [](device::Problem* p) { p->destroy(); }};
}

/// Random numbers in (−1, 1): a block of them again and again.
template <class Value>
std::shared_ptr<device::Problem> random_dense(Index n, Index d) {
  const auto made = empty_dense<Value>(n, d);
  const Random random(1, 2);
  const Index block = std::min(n, Index{8000000} / d);
  std::vector<Value> values(to_size(block * d));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<Value>(2.0 * random.uniform(0, i) - 1.0);
  for (Index first = 0; first < n; first += block)
    check(made->write_rows(first, std::min(block, n - first), values.data(), d));
  std::vector<double> b(to_size(n));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = random.uniform(1, i);
  check(made->write_rhs(b.data()));
  return made;
}

template <class Value>
Json passes(Index n, Index d, double ceiling) {
  const auto problem = random_dense<Value>(n, d);
  double *x = nullptr, *g = nullptr, *y = nullptr, number = 0.0;
  check(problem->allocate(d, &x));
  check(problem->allocate(d, &g));
  check(problem->allocate(n, &y));
  const std::vector<double> start(to_size(d), 0.25);
  check(problem->write(start.data(), x, d));
  const double bytes = static_cast<double>(n) * static_cast<double>(d) * sizeof(Value);
  Json out{{"n", n}, {"d", d}, {"bits", 8 * sizeof(Value)}};
  const auto time = [&](const char* name, const std::function<void()>& body) {
    const double s = median_seconds(9, body);
    out[name] = {{"us", s * 1e6}, {"share_of_ceiling", bytes / s / ceiling}};
  };
  time("full_gradient", [&] { check(problem->gradient({n, nullptr, nullptr, 0}, x, g, &number)); });
  time("multiply", [&] {
    check(problem->multiply(x, y));
    check(problem->read(y, &number, 1));
  });
  time("multiply_transposed", [&] {
    check(problem->multiply_transposed(y, g));
    check(problem->read(g, &number, 1));
  });
  std::vector<double> H(to_size((d + 1) * (d + 1))), norms(to_size(n)), columns(to_size(d));
  Index additions = 0;
  time("gram", [&] { check(problem->gram(1.0, nullptr, true, H.data(), &additions)); });
  out["gram"]["tflops"] = static_cast<double>(n) * static_cast<double>((d + 1) * (d + 1)) /
                          out["gram"]["us"].get<double>() * 1e-6;
  time("norms", [&] { check(problem->norms(1.0, nullptr, 64, norms.data(), columns.data())); });
  std::vector<Index> rows(8192);
  for (std::size_t t = 0; t < rows.size(); ++t) rows[t] = static_cast<Index>(t * 7919) % n;
  const std::vector<double> steps(rows.size(), 1e-3);
  const double s = median_seconds(5, [&] {
    check(problem->row_steps(std::ssize(rows), rows.data(), steps.data(), 0, x));
    check(problem->read(x, &number, 1));
  });
  out["row_step_ns"] = s * 1e9 / static_cast<double>(rows.size());
  for (double* p : {x, g, y}) problem->release(p);
  std::cout << out.dump() << std::endl;
  return out;
}

/// Parts of the copy of an A of n × 100 to the device, in milliseconds.
Json copies(Index n) {
  constexpr Index d = 100, block = 20000;
  const std::vector<double> values(to_size(n * d), 0.375), b(to_size(n), 1.0);
  const MatrixPtr A = dense_view({values.data(), n, d, d});
  ThreadTeam team(0);
  const BackendProblem problem{*A, {b.data(), n, 1, 1}, {}, {}, {}, {}, team};
  Json out{{"n", n}, {"d", d}};
  const auto time = [&](const char* name, const std::function<void()>& body) {
    out[name] = 1e3 * median_seconds(5, body);
  };
  time("rows", [&] { (void)copied_rows("cuda", problem); });
  time("rows_and_vectors", [&] { (void)make_backend("cuda", problem); });
  time("memory", [&] { (void)empty_dense<double>(n, d); });
  const auto made = empty_dense<double>(n, d);
  void* host = nullptr;
  check(made->staging(0, block * d * 8, &host));
  time("bus", [&] {
    for (Index first = 0; first < n; first += block)
      check(made->write_rows(first, std::min(block, n - first), host, d));
    double number = 0.0;
    double* x = nullptr;
    check(made->allocate(1, &x));
    check(made->read(x, &number, 1));
    made->release(x);
  });
  time("b", [&] { check(made->write_rhs(b.data())); });
  std::cout << out.dump() << std::endl;
  return out;
}

Json rates() {
  const double start = seconds();
  const DeviceRates found = *device_rates("cuda");
  Json out{{"measured_in_ms", 1e3 * (seconds() - start)},
           {"read_bytes", found.read_bytes},
           {"bus_bytes", found.bus_bytes},
           {"gram_products", found.gram_products},
           {"start_us", 1e6 * found.start_seconds}};
  std::cout << out.dump() << std::endl;
  return out;
}

/// Median seconds of whole solves by one method on one device.
Json solved(const Problem& problem, const char* method, const char* device, double tol) {
  SolveOptions options;
  options.method = method;
  options.device = device;
  options.tol = tol;
  std::vector<Report> reports;
  for (int i = 0; i < 4; ++i) reports.push_back(solve(problem, options));
  const auto of = [&](auto part) {
    std::vector<double> times;
    for (std::size_t i = 1; i < reports.size(); ++i) times.push_back(part(reports[i].seconds));
    return median(times) * 1e3;
  };
  Json out{{"n", problem.rows()},
           {"d", problem.cols()},
           {"method", method},
           {"device", reports[0].used.device.value_or("")},
           {"status", to_string(reports[0].status)},
           {"by", reports[0].method},
           {"iterations", reports[0].iterations},
           {"setup_ms", of([](const Seconds& s) { return s.setup; })},
           {"norms_ms", of([](const Seconds& s) { return s.norms; })},
           {"table_ms", of([](const Seconds& s) { return s.table; })},
           {"spectrum_ms", of([](const Seconds& s) { return s.spectrum; })},
           {"iterations_ms", of([](const Seconds& s) { return s.solve; })},
           {"measurements_ms", of([](const Seconds& s) { return s.measure; })},
           {"total_ms", of([](const Seconds& s) { return s.total; })}};
  std::cout << out.dump() << std::endl;
  return out;
}

/// The paper's problem.
void add_solves(Index n, Index d, Json& out) {
  SpectrumProblem shape;
  shape.rows = n;
  shape.cols = d;
  shape.decay = Decay::algebraic;
  shape.rho = 1.0;
  shape.kappa = 100.0;
  const GeneratedProblem made = generate(shape, {});
  ProblemData data;
  data.A = made.A;
  data.b = made.b;
  const Problem problem(data);
  for (const char* method : {"minibatch-hbm", "cg", "lsqr", "hbm", "normal", "auto"})
    for (const char* device : {"cpu", "cuda"}) out.push_back(solved(problem, method, device, 1e-6));
}

/// Rows of a stationary sequence, neighbours correlated by `rho`, condition about
/// (1 + rho)/(1 − rho); a block of rows again and again, and b with independent noise.
Problem correlated(Index n, Index d, double rho, double noise, bool single) {
  const Random random(1, 3);
  const Index block = std::min(n, Index{4000000} / d);
  std::vector<double> A(to_size(n * d)), b(to_size(n));
  for (Index i = 0; i < n; ++i) {
    double* row = A.data() + i * d;
    if (i >= block) std::copy_n(A.data() + i % block * d, d, row);
    double sum = noise * (2.0 * random.uniform(1, static_cast<std::uint64_t>(i)) - 1.0);
    for (Index j = 0; j < d; ++j) {
      if (i < block)
        row[j] = 2.0 * random.uniform(0, static_cast<std::uint64_t>(i * d + j)) - 1.0 +
                 (j > 0 ? rho * row[j - 1] : 0.0);
      sum += row[j] * (j % 2 == 0 ? 1.0 : -0.5);
    }
    b[to_size(i)] = sum;
  }
  ProblemData data;
  data.A = dense_matrix(std::move(A), n, d);
  if (single) data.A = to_single(data.A);
  data.b = Array(std::move(b), n, 1);
  return Problem(std::move(data));
}

/// auto beside the methods it chooses from.
Json choices() {
  struct Case {
    Index n, d;
    double rho, noise;
    bool single;
  };
  Json out = Json::array();
  for (const auto& [n, d, rho, noise, single] :
       {Case{1000000, 100, 0.9, 0.0, false}, Case{1000000, 100, 0.9, 0.1, false},
        Case{2000000, 20, 0.5, 0.1, false}, Case{400000, 300, 0.9, 0.1, false},
        Case{300000, 1000, 0.5, 0.1, false}, Case{300000, 1000, 0.98, 0.1, false},
        Case{1000000, 100, 0.9, 0.1, true}}) {
    const Problem problem = correlated(n, d, rho, noise, single);
    for (const char* method : {"cg", "normal", "auto"}) {
      Json one = solved(problem, method, "cuda", 1e-8);
      one["rho"] = rho;
      one["noise"] = noise;
      one["single"] = single;
      out.push_back(one);
    }
    out.push_back(solved(problem, "auto", "cpu", 1e-8));
  }
  return out;
}

Json run() {
  const DeviceList list = list_devices();
  const double ceiling = cuda::read_ceiling(0, std::size_t{6400000000});
  Json out{{"device", list.devices[1].description}, {"read_ceiling_bytes_per_s", ceiling}};
  std::cout << out.dump() << std::endl;
  out["rates"] = rates();
  out["copies"] = copies(1000000);
  out["passes"].push_back(passes<double>(1000000, 100, ceiling));
  out["passes"].push_back(passes<double>(8000000, 100, ceiling));
  for (const Index d : {32, 200, 500, 1000})
    out["passes"].push_back(passes<double>(800000000 / d, d, ceiling));
  out["passes"].push_back(passes<float>(8000000, 100, ceiling));
  out["solves"] = Json::array();
  add_solves(1000000, 100, out["solves"]);
  add_solves(300000, 1000, out["solves"]);
  out["choices"] = choices();
  return out;
}

}  // namespace
}  // namespace polyak

int main(int argc, char** argv) {
  try {
    if (const std::string why = polyak::list_devices().no_cuda; !why.empty()) {
      std::cerr << "bench_gpu_solver: " << why << "\n";
      return 77;
    }
    const std::string text = polyak::run().dump(1) + "\n";
    if (argc > 1) std::ofstream(argv[1]) << text;
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "bench_gpu_solver: " << error.what() << "\n";
    return 70;
  }
}
