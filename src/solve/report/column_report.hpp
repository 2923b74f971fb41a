#pragma once

// What a report says about the columns of A: scaling, rank, columns that depend on others.

#include <string>

#include "linalg/factor.hpp"
#include "matrix/column_map.hpp"
#include "polyak/report.hpp"

namespace polyak {

/// "columns times 2^-3 to 2^5, centred".
std::string scaling_text(const ColumnMap& map);

/// A dependence between mapped columns, as one between the columns of A. `constant`: the column
/// has one value beside an intercept. Null where there is no map.
DependentColumn in_user_columns(const Dependence& one, const ColumnMap* map, bool constant);

/// What is known of the unknowns of a problem.
struct Unknowns {
  Index count = 0;  ///< including the intercept, which is the last
  bool intercept = false, ridge = false, bounds = false;
};

/// A warning where the rank is too low or the condition large. `nearest`: x is the solution of
/// least norm.
void warn_of_rank(const Unknowns& unknowns, const Used& used, bool nearest, Report& report);

}  // namespace polyak
