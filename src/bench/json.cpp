#include <nlohmann/json.hpp>

#include "polyak/bench.hpp"

// The results as JSON, for tools/bench_compare.py.

namespace polyak::bench {
namespace {

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
