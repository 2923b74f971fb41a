#include "theory.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "beside.hpp"
#include "inputs.hpp"
#include "polyak/error.hpp"
#include "polyak/spectrum.hpp"
#include "polyak/theory.hpp"

namespace polyak::python {
namespace {

using namespace theory;

Method method_named(const std::string& name) {
  if (name == "heavy_ball") return Method::heavy_ball;
  if (name == "nesterov") return Method::nesterov;
  throw Error(ErrorCode::usage, {.what = "there is no such method",
                                 .where = "method",
                                 .found = "'" + name + "'",
                                 .expected = "heavy_ball or nesterov"});
}

Sampling law_named(const std::string& name) {
  if (name == "row-norm") return Sampling::row_norm;
  if (name == "uniform") return Sampling::uniform;
  if (name == "mixed") return Sampling::mixed;
  throw Error(ErrorCode::usage, {.what = "there is no such sampling law",
                                 .where = "sampling",
                                 .found = "'" + name + "'",
                                 .expected = "row-norm, uniform or mixed"});
}

nb::object pair(const Parameters& p) { return nb::make_tuple(p.alpha, p.beta()); }

nb::object number(const std::optional<double>& value) {
  return value ? nb::cast(*value) : nb::object(nb::none());
}

nb::dict tuned(const Tuned& t) {
  nb::dict out;
  out["step_size"] = t.parameters.alpha;
  out["momentum"] = t.parameters.beta();
  out["rate"] = t.rate;
  out["batch"] = t.batch;
  return out;
}

nb::object parameters(double lambda_min, double lambda_max, double gamma,
                      const std::string& method) {
  return pair(method_named(method) == Method::heavy_ball
                  ? heavy_ball_parameters(lambda_min, lambda_max, gamma)
                  : nesterov_parameters(lambda_min, lambda_max, gamma));
}

nb::dict heavy_ball(double lambda_min, double lambda_max, double frobenius2, Index cols, double eta,
                    double gamma, std::optional<double> k_star) {
  const HeavyBallTheory t =
      heavy_ball_theory({lambda_min, lambda_max, frobenius2, cols, eta}, gamma, k_star);
  nb::dict out;
  out["step_size"] = t.parameters.alpha;
  out["momentum"] = t.parameters.beta();
  out["M"] = t.M;
  out["M_bound"] = t.M_bound;
  out["batch_heuristic"] = number(t.batch_heuristic);
  out["k_star"] = number(t.k_star);
  out["theta"] = t.theta;
  out["delta"] = t.delta;
  out["rate_theorem"] = t.rate_theorem;
  out["batch_theorem"] = t.batch_theorem;
  out["batch_theorem_bound"] = t.batch_theorem_bound;
  out["batch_vector"] = t.batch_vector;
  out["batch_certified_stability"] = t.batch_certified_stability;
  return out;
}

nb::dict nesterov(double lambda_min, double lambda_max, double frobenius2, Index cols, double eta,
                  double gamma, std::optional<double> k_star) {
  const NesterovTheory t =
      nesterov_theory({lambda_min, lambda_max, frobenius2, cols, eta}, gamma, k_star);
  nb::dict out;
  out["step_size"] = t.parameters.alpha;
  out["momentum"] = t.parameters.beta();
  out["M"] = t.M;
  out["M_bound"] = t.M_bound;
  out["rate"] = t.rate;
  out["rate_theorem"] = t.rate_theorem;
  out["batch_theorem"] = t.batch_theorem;
  return out;
}

nb::list table(double lambda_min, double lambda_max, double frobenius2, Index cols, Index rows,
               std::optional<double> nu) {
  nb::list out;
  for (const TableRow& row :
       iteration_table({lambda_min, lambda_max, frobenius2, cols, 1.0}, rows, nu)) {
    nb::dict line;
    line["method"] = row.method;
    line["iterations"] = row.iterations;
    line["rows_per_iteration"] = row.rows_per_iteration;
    out.append(line);
  }
  return out;
}

Model worst_case(const Numbers& eigenvalues, double energy) {
  return worst_case_model(vector_of(eigenvalues), energy);
}

nb::dict facts(const Input& input, const std::string& sampling, int threads, std::uint64_t seed) {
  const Sampling law = law_named(sampling);
  const SpectrumFacts found = beside([A = input.A, law, threads, seed](const std::atomic<bool>&) {
    return spectrum_facts(A, law, threads, seed);
  });
  nb::dict out;
  out["rows"] = found.rows;
  out["cols"] = found.cols;
  out["zero_rows"] = found.zero_rows;
  out["frobenius2"] = found.frobenius2;
  out["lambda_min"] = found.lambda_min;
  out["lambda_max"] = found.lambda_max;
  out["exact"] = found.exact;
  out["eigenvalues"] = new_array(found.eigenvalues.data(), {found.eigenvalues.size()});
  out["probabilities"] = new_array(found.probabilities.data(), {found.probabilities.size()});
  out["eta"] = found.eta;
  out["eta_effective"] = found.eta_effective;
  return out;
}

}  // namespace

void define_theory(nb::module_& parent) {
  nb::module_ module = parent.def_submodule("theory");
  module.def("parameters", &parameters);
  module.def("contraction",
             [](double alpha, double beta, double l, double L, const std::string& method) {
               return contraction(method_named(method), Parameters::of(alpha, beta), l, L);
             });
  module.def("heavy_ball", &heavy_ball, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg().none());
  module.def("nesterov", &nesterov, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg(), nb::arg().none());
  module.def("iteration_table", &table, nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg(),
             nb::arg().none());
  module.def("recipe", [](double l, double L, double energy, double batch, double constant) {
    return pair(recipe(l, L, energy, batch, constant));
  });
  module.def("stability_number", [](double alpha, double beta, double L, double energy, double B) {
    return stability_number(Parameters::of(alpha, beta), L, energy, B);
  });
  module.def("rate_for_batch", [](double alpha, double beta, double batch, const Numbers& values,
                                  double energy, const std::string& method) {
    return rate_for_batch(worst_case(values, energy), method_named(method),
                          Parameters::of(alpha, beta), batch);
  });
  module.def("batch_for_rate", [](double alpha, double beta, double rate, const Numbers& values,
                                  double energy, const std::string& method) {
    return batch_for_rate(worst_case(values, energy), method_named(method),
                          Parameters::of(alpha, beta), rate);
  });
  module.def("tune",
             [](double batch, const Numbers& values, double energy, const std::string& method) {
               return tuned(tune(worst_case(values, energy), method_named(method), batch));
             });
  module.def("smallest_batch",
             [](double rate, const Numbers& values, double energy,
                const std::string& method) -> nb::object {
               const auto found =
                   smallest_batch(worst_case(values, energy), method_named(method), rate);
               return found ? nb::object(tuned(*found)) : nb::none();
             });
  module.def("facts", &facts);
}

}  // namespace polyak::python
