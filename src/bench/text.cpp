#include <fmt/format.h>

#include <array>

#include "bench/seeds.hpp"
#include "polyak/bench.hpp"

// The results as text.

namespace polyak::bench {
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

}  // namespace polyak::bench
