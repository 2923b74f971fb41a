/* An OpenBLAS that knows no processor: it takes its oldest kernels unless OPENBLAS_CORETYPE names others. */
#include <stdio.h>
#include <stdlib.h>

static char core[64];

__attribute__((constructor)) static void loaded(void) {
  const char *wanted = getenv("OPENBLAS_CORETYPE"), *threads = getenv("OPENBLAS_NUM_THREADS");
  snprintf(core, sizeof core, "%s", wanted ? wanted : "Prescott");
  fprintf(stderr, "loaded with %s and %s thread\n", core, threads ? threads : "any");
}

#ifndef NAME
#define NAME(name) name
#endif
char *NAME(openblas_get_corename)(void) { return core; }
char *NAME(openblas_get_config)(void) { return "OpenBLAS 0.0 for a test"; }
