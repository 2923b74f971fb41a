#include "ksp_polyak.hpp"

namespace polyak {

LogEvents log_events;

namespace {

PetscErrorCode set_up(KSP ksp) {
  return guarded(ksp, [&] {
    use_no_preconditioner(ksp);
    follow_operator(ksp);
  });
}

PetscErrorCode reset(KSP ksp) {
  polyak_of(ksp).A.reset();
  polyak_of(ksp).ghosts.reset();
  return 0;
}

PetscErrorCode destroy(KSP ksp) {
  const PetscErrorCode code = give_back_preconditioner(ksp);
  delete static_cast<KspPolyak*>(ksp->data);
  ksp->data = nullptr;
  return code;
}

}  // namespace

PetscErrorCode create_ksp_polyak(KSP ksp) {
  return guarded(ksp, [&] {
    auto own = std::make_unique<KspPolyak>();
    own->options.method.clear();  // chosen when it is known what else was asked
    checked(KSPSetSupportedNorm(ksp, KSP_NORM_UNPRECONDITIONED, PC_LEFT, 3));
    checked(KSPSetSupportedNorm(ksp, KSP_NORM_NONE, PC_LEFT, 1));
    ksp->data = own.release();
    ksp->ops->setup = set_up;
    ksp->ops->solve = solve_ksp_polyak;
    ksp->ops->reset = reset;
    ksp->ops->destroy = destroy;
    ksp->ops->view = view_ksp_polyak;
    ksp->ops->setfromoptions = read_ksp_options;
    ksp->ops->buildsolution = KSPBuildSolutionDefault;
    ksp->ops->buildresidual = KSPBuildResidualDefault;
  });
}

}  // namespace polyak
