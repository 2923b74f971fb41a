/*
   Several cases in one start of a program: starting processes takes longer than solving.

   run_cases(run) calls run() once, or with -cases FILE once per line of that file, each time
   with the options of the command line and those of the line. It first prints the line after
   "== ", so that a script finds the output of each case.
*/

#include <petscsys.h>

static PetscErrorCode run_with(const char *common, const char *line, PetscErrorCode (*run)(void)) {
  PetscOptions options;
  PetscCall(PetscPrintf(PETSC_COMM_WORLD, "== %s\n", line));
  PetscCall(PetscOptionsCreate(&options));
  PetscCall(PetscOptionsInsertString(options, common));
  PetscCall(PetscOptionsInsertString(options, line));
  PetscCall(PetscOptionsPush(options));
  PetscCall(run());
  PetscCall(PetscOptionsPop());
  return PetscOptionsDestroy(&options);
}

static PetscErrorCode run_cases(PetscErrorCode (*run)(void)) {
  char      file[PETSC_MAX_PATH_LEN], line[1024], *common;
  PetscBool given;
  FILE     *lines;
  PetscCall(PetscOptionsGetString(NULL, NULL, "-cases", file, sizeof file, &given));
  if (!given) return run();
  PetscCall(PetscOptionsGetAll(NULL, &common));
  lines = fopen(file, "r");
  PetscCheck(lines, PETSC_COMM_SELF, PETSC_ERR_FILE_OPEN, "cannot read %s", file);
  while (fgets(line, sizeof line, lines)) {
    line[strcspn(line, "\n")] = '\0';
    PetscCall(run_with(common, line, run));
  }
  fclose(lines);
  return PetscFree(common);
}
