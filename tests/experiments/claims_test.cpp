// Claims against figures made by hand.

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "experiments/figure.hpp"
#include "polyak/error.hpp"

namespace polyak::experiments {
using namespace polyak::experiments::internal;
using namespace polyak::internal;

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

TEST(summary, is_relative_to_the_first_and_survives_divergence) {
  const Curve c = summarise({{2.0, 1.0}, {4.0, 4.0}, {1.0, infinity}});
  EXPECT_EQ(c.median, (std::vector<double>{1.0, 1.0}));
  EXPECT_EQ(c.low[1], 0.5 + 0.1 * 0.5);
  EXPECT_EQ(c.high[1], infinity);
  EXPECT_EQ(c.rms[1], infinity);
  EXPECT_TRUE(summarise({}).empty());
}

TEST(claims, of_other_figures_stay_in_the_file) {
  Claim two, five;
  two.figure = "fig2", two.claim = "as before";
  five.figure = "fig5", five.claim = "anew";
  const std::string first = claims_json({two, five}, {"fig2", "fig5"}, "");
  five.claim = "once more";
  const std::string both = claims_json({five}, {"fig5"}, first);
  EXPECT_NE(both.find("as before"), std::string::npos);
  EXPECT_NE(both.find("once more"), std::string::npos);
  EXPECT_EQ(both.find("anew"), std::string::npos);
  EXPECT_EQ(claims_json({five}, {"fig5"}, "no JSON"), claims_json({five}, {"fig5"}, ""));
}

TEST(summary, starts_at_the_answer_are_not_divided_by_zero) {
  EXPECT_EQ(summarise({{0.0, 0.0}}).median, (std::vector<double>{0.0, 0.0}));
}

// rate^k for k = 0 … 40, of so many rows each.
RunResult falling(double rate, double rows) {
  RunResult out;
  for (Index k = 0; k <= 40; ++k) {
    out.iterations.push_back(k);
    out.error.median.push_back(std::pow(rate, static_cast<double>(k)));
  }
  out.rows_per_iteration = rows;
  return out;
}

class Claims : public testing::Test {
 protected:
  Claims() {
    figure_.spec = parse_spec(
        "name = \"f\"\n[[panel]]\ntitle = \"p\"\nproblem = { kind = \"gaussian\", rows = 1000 }\n"
        "[[series]]\nlabel = \"a\"\nmethod = \"hbm\"\n",
        "f.toml");
    figure_.panels.resize(1);
    figure_.panels[0].spec = &figure_.spec.panels[0];
    figure_.panels[0].facts.rows = 1000;
    add("fast", falling(0.5, 1000.0));
    add("slow", falling(0.8, 1.0));
    add("worse", falling(1.1, 1.0));
  }

  Series& add(const std::string& label, RunResult result) {
    Series s;
    s.spec = &figure_.spec.series[0];
    s.label = label;
    s.result = std::move(result);
    figure_.panels[0].series.push_back(s);
    return figure_.panels[0].series.back();
  }

  Claim check(const std::string& name, std::vector<std::string> series, const std::string& than,
              void (*more)(ClaimSpec&) = nullptr) {
    ClaimSpec claim;
    claim.text = "t";
    claim.check = name;
    claim.series = std::move(series);
    claim.than = than;
    claim.tol = 1e-3;
    if (more != nullptr) more(claim);
    figure_.spec.claims = {claim};
    const auto out = check_claims(figure_);
    EXPECT_EQ(out.size(), 1u);
    return out.at(0);
  }

  Figure figure_;
};

TEST_F(Claims, below_compares_every_iteration) {
  EXPECT_EQ(check("below", {"fast"}, "slow").pass, true);
  EXPECT_EQ(check("below", {"slow"}, "fast").pass, false);
}

TEST_F(Claims, better_compares_steps_and_then_errors) {
  EXPECT_EQ(check("better", {"fast"}, "slow").pass, true);
  EXPECT_EQ(check("better", {"worse"}, "slow").pass, false);
  const Claim claim = check("better", {"slow"}, "worse", [](ClaimSpec& c) { c.tol = 1e-9; });
  EXPECT_EQ(claim.pass, true);  // neither gets there; the smaller error wins
}

TEST_F(Claims, ordered_wants_steps_that_never_fall) {
  EXPECT_EQ(check("ordered", {"fast", "slow", "worse"}, "").pass, true);
  EXPECT_EQ(check("ordered", {"slow", "fast"}, "").pass, false);
}

TEST_F(Claims, steps_within_needs_the_other_to_arrive) {
  EXPECT_EQ(check("steps_within", {"slow"}, "fast", [](ClaimSpec& c) { c.factor = 4.0; }).pass,
            true);
  EXPECT_EQ(check("steps_within", {"slow"}, "fast", [](ClaimSpec& c) { c.factor = 2.0; }).pass,
            false);
  const Claim none = check("steps_within", {"fast"}, "worse");
  EXPECT_FALSE(none.pass.has_value());
  EXPECT_FALSE(none.reason.empty());
}

TEST_F(Claims, divergence_and_cost_are_seen) {
  EXPECT_EQ(check("diverges", {"worse"}, "").pass, true);
  EXPECT_EQ(check("diverges", {"slow"}, "").pass, false);
  EXPECT_EQ(check("costs", {"slow"}, "fast").pass, true);  // more steps, fewer rows
  EXPECT_EQ(check("costs", {"fast"}, "slow").pass, false);
}

TEST_F(Claims, passes_count_what_was_read) {
  const auto forty = [](ClaimSpec& c) {  // 40 steps of all 1000 rows
    c.expected = 40.0;
    c.within = 0.01;
  };
  EXPECT_EQ(check("passes", {"fast"}, "", forty).pass, true);
  const Claim one_row = check("passes", {"slow"}, "fast", forty);
  EXPECT_EQ(one_row.pass, false);
  EXPECT_EQ(one_row.measured, "0.04 passes against 40 of fast");
}

TEST_F(Claims, values_are_held_within_a_factor) {
  const auto at_two = [](ClaimSpec& c) {
    c.k = {2};
    c.values = {0.3};
    c.factor = 1.3;
  };
  EXPECT_EQ(check("values", {"fast"}, "", at_two).pass, true);
  EXPECT_EQ(check("values", {"slow"}, "", at_two).pass, false);
}

TEST_F(Claims, batches_cut_to_the_rows_there_are_prove_nothing) {
  Series& cut = add("cut", falling(0.5, 1000.0));
  cut.c = 1.0;
  cut.wanted_batch = 5000.0;
  cut.capped = true;
  const Claim claim = check("below", {"cut"}, "slow");
  EXPECT_FALSE(claim.pass.has_value());
  EXPECT_EQ(claim.reason, "B = 1 B* = 5000 is more than the 1000 rows there are");
  EXPECT_EQ(check("ordered", {"cut", "fast", "slow"}, "").pass, true);
  EXPECT_FALSE(check("ordered", {"cut", "fast"}, "").pass.has_value());
}

TEST_F(Claims, claims_about_another_size_are_not_applicable) {
  EXPECT_FALSE(check("below", {"fast"}, "slow", [](ClaimSpec& c) { c.rows = 7; }).pass.has_value());
}

TEST_F(Claims, a_series_that_is_not_there_is_a_fault_of_the_spec) {
  EXPECT_THROW(check("below", {"none"}, "slow"), Error);
}

TEST_F(Claims, one_claim_for_each_c) {
  ClaimSpec claim;
  claim.text = "at {c}";
  claim.check = "diverges";
  claim.series = {"x{c}"};
  claim.c = {0.1, 2.0};
  figure_.spec.claims = {claim};
  add("x0.1", falling(0.5, 1.0));
  add("x2", falling(2.0, 1.0));
  const auto out = check_claims(figure_);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[0].claim, "at 0.1");
  EXPECT_EQ(out[0].pass, false);
  EXPECT_EQ(out[1].pass, true);
}

}  // namespace
}  // namespace polyak::experiments
