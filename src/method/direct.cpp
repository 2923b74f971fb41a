#include <algorithm>
#include <cmath>
#include <limits>

#include "method/record.hpp"
#include "polyak/error.hpp"
#include "problem/least_squares.hpp"

namespace polyak {
namespace {

// Householder QR of A by blocks of rows, then the minimum norm solution of the
// small triangular problem by its singular values. One iteration; without a ridge the driver may
// ask for a second one, a correction by QR with the residual of x, where x does not meet the
// tolerance.
//
// Where the solution is not unique it is the one nearest to x0, as for every other method: the
// correction to x0 has minimum norm, measured in the user's variables also where columns are
// scaled (unless that x would not fit as well: shorten()). A unique solution does not depend on
// x0, whose rounding is therefore kept out of it.
class Direct final : public Method {
 public:
  explicit Direct(const Setting& setting) : Method(setting) {}

  void advance(Index first, Index last) override {
    for (Index k = first; k < std::min(last, iterations()); ++k) k == 0 ? solve() : correct();
    counters_.iteration = last;
  }

  bool finished() const override { return counters_.iteration >= iterations(); }
  const RankFound* rank() const override { return found_.known ? &found_ : nullptr; }
  std::optional<double> condition() const override { return found_.condition; }

 private:
  Index iterations() const { return has_ridge() ? 1 : 2; }

  void solve() {
    std::vector<double> x = read_x();
    const bool from_zero = std::all_of(x.begin(), x.end(), [](double v) { return v == 0.0; });
    std::vector<double> solution =
        factor_and_solve(setting_.problem.b(), std::vector(x.size(), 0.0));
    const Index unique = found_.rank + std::ssize(setting_.facts.zero_columns);
    if (from_zero || has_ridge() || unique == d_)
      set_x(std::move(solution));
    else
      correct();
  }

  void correct() {
    std::vector<double> x = read_x();
    const Array rest = subtract(host_view(x));
    const std::vector<double> correction = factor_and_solve(rest.view(), x);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += correction[i];
    set_x(std::move(x));
  }

  void set_x(std::vector<double> x) {
    const Problem& problem = setting_.problem;
    // Rounding must not move the unknowns of zero columns.
    for (Index j : setting_.facts.zero_columns)
      for (Index c = 0; c < vectors_; ++c)
        host_view(x)(c, j) = problem.ridge(j) > 0.0 ? 0.0 : problem.x0()(c, j);
    write_x(x);
  }

  // b − A·x in the rows stored here.
  Array subtract(ConstView x) const {
    const Problem& problem = setting_.problem;
    const Index n = problem.rows();
    std::vector<double> values(to_size(n * vectors_));
    const View rest{values.data(), n, vectors_, vectors_};
    Products products(problem.A(), {}, {}, setting_.team);
    products.for_row_chunks([&](Index, Index first, Index last) {
      problem.A().multiply(first, last, x, {rest.row(first), last - first, vectors_, vectors_});
      for (Index i = first; i < last; ++i)
        for (Index c = 0; c < vectors_; ++c) rest(i, c) = problem.b()(i, c) - rest(i, c);
    });
    return Array(std::move(values), n, vectors_);
  }

  // The correction to `from` for the residual b.
  std::vector<double> factor_and_solve(ConstView b, const std::vector<double>& from) {
    const Problem& problem = setting_.problem;
    const Ridge ridge{problem.ridge(), problem.data().ridge_factors};
    counters_.row_products += problem.rows();
    auto result = qr_least_squares(problem.A(), b, problem.weights(), ridge, setting_.team,
                                   setting_.facts.scale);
    if (!result.ok)
      throw Error(ErrorCode::internal, {.what = "the singular values of R did not converge"});
    remember(result);
    if (!has_ridge()) {
      const Shortened done = shorten(setting_, std::as_const(result.dependences.null_space).view(),
                                     host_view(from), host_view(result.x));
      found_.nearest = done.all;
      counters_.row_products += done.rows_read;
    }
    return std::move(result.x);
  }

  void remember(const LeastSquaresResult& result) {
    const auto& s = result.singular_values;
    found_ = {.known = true,
              .rank = result.rank,
              .threshold = rank_threshold(setting_.problem.rows(), d_),
              .dependent = result.dependences.columns,
              .condition = {}};
    if (result.rank > 0)
      found_.condition = s.front() / s[to_size(std::min(result.rank, std::ssize(s)) - 1)];
  }

  RankFound found_;
};

// problem/least_squares: R, or all of a wide A; and three square matrices for its singular
// values. A correction needs the residual.
double direct_memory(const WorkingMemory& m) {
  const double small = std::min(m.n(), m.d()), squares = 3.0 * small * small + m.c() * m.d();
  return m.n() < m.d() ? m.n() * (m.d() + m.c()) + squares
                       : std::max(m.factor(m.n(), m.d() + m.c()), squares) + m.n() * m.c();
}

Proposal propose_direct(const CandidateInputs& in) {
  if (!in.can_factor()) return rule_out(candidate::too_large_to_factor());
  const char* why = in.small         ? "small enough to factor at once"
                    : in.dependent() ? "QR by singular values: columns depend on each other"
                                     : "QR, whatever the conditioning";
  return propose({.method = direct_record().info.name,
                  .why = why,
                  .seconds = in.costs.direct(),
                  .reads = 1.0 + Costs::overhead_passes});
}

}  // namespace

const MethodRecord& direct_record() {
  static const MethodRecord record{
      .info = {"direct", "QR factorisation, rank-revealing", trait::ridge, false},
      .make = construct<Direct>,
      .memory = direct_memory,
      .turn = Turn::factorisation,
      .propose = propose_direct,
      .trusted_condition = std::numeric_limits<double>::infinity(),
      .prediction = Prediction::factorisation};
  return record;
}

}  // namespace polyak
