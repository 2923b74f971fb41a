#pragma once

// Tails of Student's and Fisher's distributions, by the regularised incomplete beta function.

namespace polyak {

/// P(|T| ≥ |t|) of Student's t.
double student_two_sided(double t, double degrees_of_freedom);
/// P(F ≥ f) of Fisher's F; f ≥ 0.
double fisher_upper(double f, double of_numerator, double of_denominator);
/// I_x(a, b), where y = 1 − x is given as well: one of them may be close to 0. a, b > 0.
double incomplete_beta(double a, double b, double x, double y);

}  // namespace polyak
