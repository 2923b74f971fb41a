#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "bench/contests.hpp"
#include "polyak/bench.hpp"

// The results as text, and as JSON for tools/bench_compare.py.

namespace polyak::bench {
using namespace polyak::bench::internal;

namespace {

struct Unit {
  const char* name;
  double seconds;
};

// The largest unit in which the number is at least 1.
Unit unit_for(double seconds) {
  constexpr std::array<Unit, 4> units{{{"s", 1.0}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
  for (const Unit& unit : units)
    if (seconds >= unit.seconds) return unit;
  return units.back();
}

std::string shown(const Figure& figure) {
  const double v = figure.value.median;
  const std::string name = figure.name.empty() ? "" : " " + figure.name;
  if (figure.unit == "%") return fmt::format("{:.0f} %{}", v, name);
  if (figure.unit.empty()) return fmt::format("{} {:.1e}", figure.name, v);
  if (figure.unit == "ns") return fmt::format("{:.0f} ns{}", v, name);
  return fmt::format("{:.3g} {}{}", v, figure.unit, name);
}

std::string figures(const Line& line) {
  std::string out;
  for (const Figure& figure : line.figures) out += (out.empty() ? "  " : ", ") + shown(figure);
  return out;
}

std::string line_text(const Line& line) {
  const Unit unit = unit_for(line.seconds.median);
  const auto in_unit = [&](double seconds) {
    return fmt::format("{:.3g}", seconds / unit.seconds);
  };
  const std::string rate =
      line.bytes > 0.0 ? fmt::format("{:.1f}", 1e-9 * line.bytes / line.seconds.median) : "";
  std::string out = fmt::format(
      "  {:<30} {:>7} {:<2} {:>18} {:>6}{}", line.name, in_unit(line.seconds.median), unit.name,
      in_unit(line.seconds.low) + " .. " + in_unit(line.seconds.high), rate, figures(line));
  return out.substr(0, out.find_last_not_of(' ') + 1) + "\n";
}

std::string table_text(const Table& table) {
  std::string out =
      fmt::format("\n{}\n{:>43} {:>18} {:>6}\n", table.title, "median", "quartiles", "GB/s");
  for (const Line& line : table.lines) out += line_text(line);
  for (const std::string& note : table.notes) out += "  " + note + "\n";
  return out;
}

std::string gigabytes(Index bytes) {
  return fmt::format("{:.1f} GB", 1e-9 * static_cast<double>(bytes));
}

std::string heading(const Results& results) {
  const Machine& m = results.machine;
  std::string out = fmt::format("{}\n{}\n", m.build, m.date);
  out += fmt::format("{}, {} threads on {} cores, {}, {}\n", m.cpu, m.threads, m.cores, m.simd,
                     m.blas);
  out += fmt::format("{} memory, {} last cache, pages of {} bytes, huge pages: {} ({} in them)\n",
                     gigabytes(m.memory_bytes), gigabytes(m.cache_bytes), m.page_bytes,
                     m.huge_pages, gigabytes(m.huge_bytes));
  out += fmt::format("matrix of {} x {}{}{}\n", results.options.rows, results.options.cols,
                     m.peers.empty() ? "" : "; peers: ", m.peers);
  for (const std::string& note : results.notes) out += note + "\n";
  return out;
}

std::string rival_text(const std::optional<Rival>& rival) {
  return rival ? fmt::format("{:.3g} of {}", rival->times.median, rival->name) : "-";
}

std::string solved_text(const std::vector<SolvedCase>& cases) {
  if (cases.empty()) return "";
  std::string out = fmt::format("\nAUTO\n  {:<40} {:>9} {:>22} {:>22} {:>9} {:>8} {:>8}  {}\n", "",
                                "seconds", "of the best method", "of the best peer", "predicted",
                                "error", "backward", "took");
  for (const SolvedCase& one : cases)
    out += fmt::format(
        "  {:<40} {:>9.3g} {:>22} {:>22} {:>9} {:>8.1e} {:>8.1e}  {}{}\n", one.name, one.seconds,
        rival_text(one.best_fixed), rival_text(one.best_peer),
        one.predicted_seconds ? fmt::format("{:.2f} x", *one.predicted_seconds / one.seconds) : "-",
        one.error, one.backward_error, one.method, one.converged ? "" : " (did not converge)");
  return out;
}

std::string goals_text(const std::vector<Goal>& goals) {
  if (goals.empty()) return "";
  std::string out = fmt::format("\nGOALS\n{:<40} {:>9} {:>17} {:>9} {:>9}\n", "", "measured",
                                "quartiles", "goal", "aim");
  for (const Goal& goal : goals) {
    out += fmt::format("  {:<38} {:>9.3g} {:>17} {:>7} {:>7.3g} {:>9.3g}  {}\n", goal.what,
                       goal.measured.median,
                       fmt::format("{:.3g} .. {:.3g}", goal.measured.low, goal.measured.high),
                       goal.smaller_is_better ? "at most" : "at least", goal.at_least, goal.aim,
                       goal.met() ? goal.unit : goal.unit + "  missed");
  }
  return out;
}

using Json = nlohmann::ordered_json;

Json as_json(const Spread& s) { return {{"median", s.median}, {"low", s.low}, {"high", s.high}}; }

Json as_json(const Figure& figure) {
  Json out{{"name", figure.name}, {"unit", figure.unit}};
  out.update(as_json(figure.value));
  return out;
}

Json as_json(const Line& line) {
  Json out{{"name", line.name}, {"seconds", as_json(line.seconds)}, {"rounds", line.rounds}};
  if (line.bytes > 0.0) {
    out["bytes"] = line.bytes;
    out["bytes_per_second"] = line.bytes / line.seconds.median;
  }
  if (!line.figures.empty()) out["figures"] = Json::array();
  for (const Figure& figure : line.figures) out["figures"].push_back(as_json(figure));
  return out;
}

Json as_json(const Table& table) {
  Json out{{"subject", table.subject}, {"title", table.title}, {"lines", Json::array()}};
  for (const Line& line : table.lines) out["lines"].push_back(as_json(line));
  if (!table.notes.empty()) out["notes"] = table.notes;
  return out;
}

Json as_json(const Machine& m) {
  Json out{{"cpu", m.cpu},
           {"cores", m.cores},
           {"threads", m.threads},
           {"simd", m.simd},
           {"blas", m.blas},
           {"memory_bytes", m.memory_bytes},
           {"cache_bytes", m.cache_bytes},
           {"page_bytes", m.page_bytes},
           {"huge_pages", m.huge_pages},
           {"huge_bytes", m.huge_bytes}};
  if (!m.peers.empty()) out["peers"] = m.peers;
  return out;
}

Json as_json(const Goal& goal) {
  return {{"what", goal.what},
          {"unit", goal.unit},
          {"measured", as_json(goal.measured)},
          {goal.smaller_is_better ? "at_most" : "at_least", goal.at_least},
          {"aim", goal.aim},
          {"met", goal.met()}};
}

Json as_json(const Options& options) {
  Json out{{"rows", options.rows},
           {"cols", options.cols},
           {"seconds", options.seconds},
           {"seed", options.seed},
           {"quick", options.quick}};
  if (options.cases) out["cases"] = *options.cases;
  return out;
}

Json as_json(const Rival& rival) {
  Json out{{"name", rival.name}};
  out["auto_takes"] = as_json(rival.times);
  return out;
}

Json as_json(const FromFile& file) {
  Json out{{"seconds", file.seconds},
           {"rows_share", file.rows_share},
           {"bytes_read", file.bytes_read},
           {"error", file.error}};
  if (file.pages_read) out["pages_read"] = *file.pages_read;
  if (file.faster) out["faster_than_numpy"] = as_json(*file.faster);
  return out;
}

Json as_json(const SolvedCase& one) {
  Json out{{"case", one.name},       {"took", one.method}, {"converged", one.converged},
           {"seconds", one.seconds}, {"error", one.error}, {"backward_error", one.backward_error}};
  if (one.predicted_seconds) {
    out["predicted_seconds"] = *one.predicted_seconds;
    out["predicted_over_measured"] = *one.predicted_seconds / one.seconds;
  }
  if (one.best_fixed) out["best_fixed"] = as_json(*one.best_fixed);
  if (one.best_peer) out["best_peer"] = as_json(*one.best_peer);
  if (one.from_file) out["from_file"] = as_json(*one.from_file);
  return out;
}

Json as_json(const Trial& trial) {
  Json out{{"method", trial.method},
           {"outcome", trial.outcome},
           {"good", trial.good},
           {"raced", trial.raced}};
  if (trial.seconds) out["seconds"] = *trial.seconds;
  if (trial.error) out["error"] = *trial.error;
  return out;
}

Json as_json(const VariedCase& one) {
  Json out{{"seed", one.seed},
           {"kind", one.kind},
           {"text", one.text},
           {"matrix", one.matrix},
           {"rows", one.rows},
           {"cols", one.cols},
           {"nonzeros", one.nonzeros},
           {"noise", one.noise},
           {"unique", one.unique},
           {"good", one.good},
           {"allowed_error", one.allowed_error}};
  out["auto"] = as_json(one.solved);
  out["auto"]["least_seconds"] = one.least_seconds;
  if (one.least_times) out["auto"]["least_times"] = *one.least_times;
  out["stages"] = one.stages;
  out["trials"] = Json::array();
  for (const Trial& trial : one.trials) out["trials"].push_back(as_json(trial));
  return out;
}

Json as_json(const Promise& one) {
  Json out{{"seed", one.seed},       {"problem", one.text},      {"what", one.what},
           {"kind", one.kind},       {"promised", one.promised}, {"measured", one.measured},
           {"allowed", one.allowed}, {"kept", one.kept()}};
  if (one.unfinished) out["unfinished"] = one.outcome;
  return out;
}

template <class Value>
Json list_of(const std::vector<Value>& values) {
  Json out = Json::array();
  for (const Value& value : values) out.push_back(as_json(value));
  return out;
}

}  // namespace

std::string to_text(const Results& results) {
  std::string out = heading(results), subject;
  for (const Table& table : results.tables) {
    if (table.subject == "auto") continue;  // one line per problem, in varied_text
    if (table.subject != subject) {
      subject = table.subject;
      out += fmt::format("\n== {} ==\n", subject);
    }
    out += table_text(table);
  }
  return out + solved_text(results.solved) + varied_text(results.varied) +
         promise_text(results.promises) + goals_text(results.goals);
}

std::string to_json(const Results& results) {
  Json out{{"schema", 1},
           {"date", results.machine.date},
           {"build", results.machine.build},
           {"machine", as_json(results.machine)},
           {"options", as_json(results.options)},
           {"tables", list_of(results.tables)}};
  if (!results.solved.empty()) out["solved"] = list_of(results.solved);
  if (!results.varied.empty() || !results.promises.empty()) {
    out["options"]["seeds"] = results.options.seeds;
    out["options"]["parity"] = results.options.parity;
  }
  if (!results.varied.empty()) out["varied"] = list_of(results.varied);
  if (!results.promises.empty()) out["promises"] = list_of(results.promises);
  out["goals"] = list_of(results.goals);
  out["notes"] = results.notes;
  return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace polyak::bench
