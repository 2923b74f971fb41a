// What is said about whole solves, on times and errors made up for it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "bench/contests.hpp"

namespace polyak::bench {
using namespace polyak::bench::internal;

namespace {

using Kind = Entrant::Kind;

Entrant entrant(const std::string& name, Kind kind, double seconds, double error = 1e-12) {
  return {name, kind, true, error, error, {seconds, seconds, seconds}};
}

Outcome outcome(std::vector<Entrant> entrants) {
  Outcome out;
  out.name = "case";
  out.cols = 100;
  out.entrants = std::move(entrants);
  out.stages = {{"subset-direct", "", 0.4, 0.5, ""}, {"check", "", 0.6, 0.5, ""}};
  return out;
}

const Goal* goal(const std::vector<Goal>& goals, const std::string& what) {
  for (const Goal& one : goals)
    if (one.what == what) return &one;
  return nullptr;
}

TEST(SolveSummary, ComparesAutoWithTheFastestMethodAndTheFastestPeer) {
  const SolvedCase s =
      summary(outcome({entrant("auto", Kind::automatic, 1.0), entrant("rk", Kind::fixed, 0.8),
                       entrant("lsqr", Kind::fixed, 4.0), entrant("normal", Kind::peer, 2.0),
                       entrant("lsqr", Kind::peer, 50.0)}));
  ASSERT_TRUE(s.best_fixed && s.best_peer);
  EXPECT_EQ(s.best_fixed->name, "rk");
  EXPECT_DOUBLE_EQ(s.best_fixed->times.median, 1.25);
  EXPECT_EQ(s.best_peer->name, "normal");
  EXPECT_DOUBLE_EQ(s.best_peer->times.median, 0.5);
  EXPECT_EQ(s.method, "subset-direct, check");
  EXPECT_DOUBLE_EQ(*s.predicted_seconds, 1.0);
}

TEST(SolveSummary, DoesNotTakeAFastWrongAnswerForTheBest) {
  Entrant gave_up = entrant("minibatch-hbm", Kind::fixed, 0.01);
  gave_up.converged = false;
  const SolvedCase s = summary(
      outcome({entrant("auto", Kind::automatic, 1.0, 1e-3), gave_up,
               entrant("normal", Kind::peer, 0.1, 0.9), entrant("gels", Kind::peer, 3.0, 2e-3),
               entrant("direct", Kind::fixed, 2.0, 2e-3)}));
  EXPECT_EQ(s.best_peer->name, "gels");
  EXPECT_EQ(s.best_fixed->name, "direct");
}

TEST(SolveSummary, ComparesWithinARound) {
  Outcome o = outcome({entrant("auto", Kind::automatic, 1.0), entrant("rk", Kind::fixed, 1.0)});
  o.entrants[0].seconds = {1.0, 1000.0, 1.0};
  o.entrants[1].seconds = {2.0, 2000.0, 2.0};
  EXPECT_EQ(summary(o).best_fixed->times.high, 0.5);
}

TEST(SolveSummary, HasNoPredictionWhereAStageHasNone) {
  Outcome o = outcome({entrant("auto", Kind::automatic, 1.0)});
  o.stages[1].predicted_seconds.reset();
  EXPECT_FALSE(summary(o).predicted_seconds);
  EXPECT_EQ(goal(verdict({o}), "predicted within a factor 2, of cases"), nullptr);
}

TEST(SolveVerdict, CountsCasesAndNamesTheWorst) {
  std::vector<Outcome> all;
  for (int i = 0; i < 9; ++i)
    all.push_back(
        outcome({entrant("auto", Kind::automatic, 1.0), entrant("rk", Kind::fixed, 0.9)}));
  all.push_back(outcome({entrant("auto", Kind::automatic, 1.0), entrant("rk", Kind::fixed, 0.25)}));
  const auto goals = verdict(all);
  const Goal* within = goal(goals, "within 1.25 of best method, of cases");
  ASSERT_NE(within, nullptr);
  EXPECT_DOUBLE_EQ(within->measured.median, 90.0);
  EXPECT_TRUE(within->met());
  const Goal* worst = goal(goals, "auto over best method, worst");
  ASSERT_NE(worst, nullptr);
  EXPECT_DOUBLE_EQ(worst->measured.median, 4.0);
  EXPECT_FALSE(worst->met());
}

TEST(SolveVerdict, JudgesPredictionsInBothDirections) {
  std::vector<Outcome> all;
  for (const double seconds : {0.4, 0.6, 1.9, 2.1})  // 1 s was predicted
    all.push_back(outcome({entrant("auto", Kind::automatic, seconds)}));
  const auto goals = verdict(all);
  EXPECT_DOUBLE_EQ(goal(goals, "predicted within a factor 2, of cases")->measured.median, 50.0);
}

TEST(SolveVerdict, AsksForSpeedBySamplesWhereSamplingWins) {
  Outcome o =
      outcome({entrant("auto", Kind::automatic, 1.0), entrant("auto, s", Kind::sampled, 0.1),
               entrant("normal", Kind::peer, 0.6), entrant("lsqr", Kind::peer, 1.5)});
  EXPECT_EQ(goal(verdict({o}), "sampled against SciPy lsqr, worst"), nullptr);
  o.sampling_wins = true;
  const auto goals = verdict({o});
  EXPECT_FALSE(goal(goals, "sampled against SciPy lsqr, worst")->met());
  EXPECT_DOUBLE_EQ(goal(goals, "sampled against SciPy lsqr, worst")->measured.median, 15.0);
  EXPECT_TRUE(goal(goals, "sampled against normal eq., worst")->met());
}

TEST(SolveVerdict, ComparesNoisyCasesAloneWithThePeers) {
  Outcome noisy =
      outcome({entrant("auto", Kind::automatic, 1.3), entrant("gels", Kind::peer, 1.0)});
  Outcome consistent = noisy;
  consistent.consistent = true;
  EXPECT_EQ(goal(verdict({consistent}), "auto over best peer, noisy, worst"), nullptr);
  EXPECT_FALSE(goal(verdict({noisy}), "auto over best peer, noisy, worst")->met());
}

TEST(SolveVerdict, LooksAtStablePeersWhereColumnsAreMany) {
  Outcome o = outcome({entrant("auto", Kind::automatic, 1.0), entrant("normal", Kind::peer, 0.9),
                       entrant("gels", Kind::peer, 3.0), entrant("lstsq", Kind::peer, 2.5)});
  EXPECT_EQ(goal(verdict({o}), "stable peers at 2000 columns, worst"), nullptr);
  o.cols = 2000;
  EXPECT_DOUBLE_EQ(goal(verdict({o}), "stable peers at 2000 columns, worst")->measured.median, 2.5);
}

TEST(SolveVerdict, AsksForTheErrorOfQrWhereTheProblemIsHard) {
  Outcome o = outcome(
      {entrant("auto", Kind::automatic, 1.0, 9e-3), entrant("gels", Kind::peer, 1.0, 1e-3)});
  EXPECT_TRUE(goal(verdict({o}), "error at most 10 times QR's, of cases")->met());
  o.entrants[0].error = 2e-2;
  EXPECT_FALSE(goal(verdict({o}), "error at most 10 times QR's, of cases")->met());
}

TEST(SolveVerdict, HasAPlaceForFiles) {
  Outcome o = outcome({entrant("auto", Kind::automatic, 1.0)});
  EXPECT_EQ(goal(verdict({o}), "rows touched of a file, most"), nullptr);
  o.from_file = FromFile{0.1, 0.2, 1e6, 300.0, 1e-12, Spread{9.0, 8.0, 10.0}};
  const auto goals = verdict({o});
  EXPECT_DOUBLE_EQ(goal(goals, "rows touched of a file, most")->measured.median, 20.0);
  EXPECT_FALSE(goal(goals, "rows touched of a file, most")->met());
  EXPECT_FALSE(goal(goals, "from a file against NumPy, worst")->met());
}

TEST(SolveVerdict, OfNothingIsNothing) { EXPECT_TRUE(verdict({}).empty()); }

TEST(SolveResults, AreInTheJsonAndInTheText) {
  Outcome o = outcome({entrant("auto", Kind::automatic, 2.5), entrant("rk", Kind::fixed, 1.0)});
  o.from_file = FromFile{0.1, 0.2, 1e6, 300.0, 1e-12, Spread{9.0, 8.0, 10.0}};
  Results results;
  results.solved = {summary(o)};
  results.goals = verdict({o});
  results.tables = {{"solve", "case", {}, {"peer: lstsq: skipped: it took more than 60 s"}}};
  const auto json = nlohmann::json::parse(to_json(results));
  const auto& one = json.at("solved").at(0);
  EXPECT_EQ(one.at("took"), "subset-direct, check");
  EXPECT_EQ(one.at("best_fixed").at("auto_takes").at("median"), 2.5);
  EXPECT_EQ(one.at("predicted_over_measured"), 0.4);
  EXPECT_EQ(one.at("from_file").at("pages_read"), 300.0);
  EXPECT_EQ(json.at("tables").at(0).at("notes").size(), 1u);
  const std::string text = to_text(results);
  EXPECT_NE(text.find("2.5 of rk"), std::string::npos) << text;
  EXPECT_NE(text.find("skipped"), std::string::npos);
  EXPECT_NE(text.find("missed"), std::string::npos);
}

}  // namespace
}  // namespace polyak::bench
