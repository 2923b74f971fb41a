// The options -ksp_polyak_…, and -ksp_view.

#include "ksp_polyak.hpp"

namespace polyak::petsc {
namespace {

constexpr std::size_t max_length = 64;  // of a name

// Reads one option into a field; the field is unchanged if the option is not given.
struct Reader {
  PetscOptionItems* PetscOptionsObject;

  PetscErrorCode word(const char* name, const char* sentence, std::string& field) const {
    char text[max_length] = "";
    PetscBool given = PETSC_FALSE;
    PetscCall(
        PetscOptionsString(name, sentence, "KSPPOLYAK", field.c_str(), text, max_length, &given));
    if (given) field = text;
    return 0;
  }

  PetscErrorCode number(const char* name, const char* sentence,
                        std::optional<double>& field) const {
    PetscReal value = field.value_or(0.0);
    PetscBool given = PETSC_FALSE;
    PetscCall(PetscOptionsReal(name, sentence, "KSPPOLYAK", value, &value, &given));
    if (given) field = value;
    return 0;
  }

  PetscErrorCode count(const char* name, const char* sentence, std::optional<Index>& field) const {
    PetscInt value = static_cast<PetscInt>(field.value_or(0));
    PetscBool given = PETSC_FALSE;
    PetscCall(PetscOptionsInt(name, sentence, "KSPPOLYAK", value, &value, &given));
    if (!given) return 0;
    PetscCheck(value > 0, PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
               "polyak: %s: must be at least 1 (found %" PetscInt_FMT ")", name, value);
    field = value;
    return 0;
  }
};

}  // namespace

PetscErrorCode read_ksp_options(KSP ksp, PetscOptionItems* PetscOptionsObject) {
  KspPolyak& own = polyak_of(ksp);
  SolveOptions& o = own.options;
  const Reader read{PetscOptionsObject};
  std::optional<Index> seed = static_cast<Index>(o.seed);
  std::optional<double> ridge = own.ridge, gamma = o.gamma;
  PetscOptionsHeadBegin(PetscOptionsObject, "KSP polyak options: least squares by row sampling");
  PetscCall(read.word("-ksp_polyak_method",
                      "auto, minibatch-hbm, minibatch-nag, minibatch-sgd, hbm, nag, gd, cg, cgls, "
                      "lsqr, normal, sketch-hbm or direct",
                      o.method));
  PetscCall(read.count("-ksp_polyak_batch", "Rows per step; chosen for the problem unless given",
                       o.batch_size));
  PetscCall(read.number("-ksp_polyak_step", "Step size; chosen unless given", o.step_size));
  PetscCall(read.number("-ksp_polyak_momentum", "Momentum; chosen unless given", o.momentum));
  PetscCall(read.word("-ksp_polyak_sampling", "Probability of a row: row-norm, uniform or mixed",
                      o.sampling));
  PetscCall(read.word("-ksp_polyak_parameters", "tuned for the batch, or the paper's (paper)",
                      o.parameters));
  PetscCall(
      read.number("-ksp_polyak_gamma", "The paper's gamma, as a fraction of lambda_min", gamma));
  PetscCall(read.number("-ksp_polyak_lambda_min",
                        "Smallest eigenvalue of A'A; computed unless given", o.lambda_min));
  PetscCall(read.number("-ksp_polyak_lambda_max",
                        "Largest eigenvalue of A'A; computed unless given", o.lambda_max));
  PetscCall(read.number("-ksp_polyak_ridge", "Add this times |x|^2/2 to the objective", ridge));
  PetscInt number = static_cast<PetscInt>(*seed);
  PetscCall(PetscOptionsInt("-ksp_polyak_seed",
                            "Seed of the random numbers; the same seed gives the same run",
                            "KSPPOLYAK", number, &number, nullptr));
  PetscCall(read.count(
      "-ksp_polyak_check_interval",
      "Iterations between measurements of the residual; chosen by their cost unless given",
      o.measure_every_iterations));
  PetscCall(read.word("-ksp_polyak_norm",
                      "Meaning of -ksp_rtol: petsc (|r|/|b|, or |A'r|/(|A||r|)) or "
                      "backward (the backward error, as in polyak solve)",
                      own.norm));
  PetscCheck(own.norm == "petsc" || own.norm == "backward", PETSC_COMM_SELF,
             PETSC_ERR_ARG_OUTOFRANGE,
             "polyak: -ksp_polyak_norm: there is no norm of that name (found %s, expected petsc or "
             "backward)",
             own.norm.c_str());
  PetscCall(read.word("-ksp_polyak_exchange",
                      "Sums of gradients over ranks: all columns, ghosts (those that rows share), "
                      "or auto: the one that sends less",
                      own.exchange));
  PetscCheck(mpi::exchange_named(own.exchange), PETSC_COMM_SELF, PETSC_ERR_ARG_OUTOFRANGE,
             "polyak: -ksp_polyak_exchange: there is no exchange of that name (found %s, expected "
             "auto, all or ghosts)",
             own.exchange.c_str());
  PetscOptionsHeadEnd();
  o.seed = static_cast<std::uint64_t>(number);
  own.ridge = *ridge;
  o.gamma = *gamma;
  return 0;
}

std::string method_of(KSP ksp) {
  const SolveOptions& asked = polyak_of(ksp).options;
  const MatrixPtr& A = polyak_of(ksp).A;
  const bool by_products = A && A->only_products();
  if (!asked.method.empty() && !(by_products && asked.method == "auto")) return asked.method;
  const SolveOptions defaults;
  const bool sampled = asked.batch_size || asked.step_size || asked.momentum || asked.lambda_min ||
                       asked.lambda_max || asked.measure_every_iterations ||
                       asked.sampling != defaults.sampling ||
                       asked.parameters != defaults.parameters || asked.gamma != defaults.gamma;
  if (by_products && !sampled) return "lsqr";
  return sampled || has_fixed_iterations(ksp) ? "minibatch-hbm" : "auto";
}

PetscErrorCode view_ksp_polyak(KSP ksp, PetscViewer viewer) {
  const KspPolyak& own = polyak_of(ksp);
  PetscBool ascii = PETSC_FALSE;
  PetscCall(
      PetscObjectTypeCompare(reinterpret_cast<PetscObject>(viewer), PETSCVIEWERASCII, &ascii));
  if (!ascii) return 0;
  PetscCall(PetscViewerASCIIPrintf(
      viewer, "  asked: method %s, sampling %s, seed %llu, ridge %g, norm %s\n",
      method_of(ksp).c_str(), own.options.sampling.c_str(),
      static_cast<unsigned long long>(own.options.seed), own.ridge, own.norm.c_str()));
  if (!own.used.empty())
    PetscCall(PetscViewerASCIIPrintf(viewer, "  used: %s\n", own.used.c_str()));
  return 0;
}

}  // namespace polyak::petsc
