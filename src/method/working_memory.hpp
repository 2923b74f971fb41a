#pragma once

// What the parts of a run allocate, from sizes alone, in numbers of eight bytes. Each
// function names the file whose allocations it follows; a method's record adds them up.
// What grows with neither n nor d² (stacks, the program) is left out.

#include "polyak/options.hpp"
#include "polyak/shape.hpp"
#include "spectrum/extremes.hpp"

namespace polyak {

class WorkingMemory {
 public:
  /// `spectrum`: what --spectrum asks for.
  WorkingMemory(const ProblemShape& shape, const SolveOptions& options, SpectrumBy spectrum);

  double n() const { return n_; }
  double d() const { return d_; }
  double c() const { return c_; }  ///< right-hand sides
  double own_rows() const;         ///< rows of one rank
  const ProblemShape& shape() const { return shape_; }
  const SolveOptions& options() const { return options_; }

  double every_run() const;
  double sampler() const;
  double spectrum() const;
  /// R of so many rows and columns.
  double factor(double rows, double cols) const;
  /// AᵀA with so many columns.
  double gram(double cols) const;

 private:
  double threads() const;
  double gram_of_panels(double cols) const;
  double sketched_spectrum() const;

  double n_, d_, c_, entries_;
  const ProblemShape& shape_;
  const SolveOptions& options_;
  SpectrumBy spectrum_;
};

}  // namespace polyak
