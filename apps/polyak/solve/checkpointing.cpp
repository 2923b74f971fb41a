#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/files.hpp"
#include "cli/stopping.hpp"
#include "ranks.hpp"
#include "solve/observers.hpp"

namespace polyak::cli {
namespace {

struct Interval {
  std::optional<double> seconds;
  std::optional<Index> iterations;
};

// "90s", "10m", "2h", or a number of iterations.
Interval parse_interval(std::string_view text) {
  Interval out;
  const double unit = text.ends_with('s') ? 1.0 : text.ends_with('m') ? 60.0 : 3600.0;
  if (!text.empty() && std::string_view("smh").find(text.back()) != std::string_view::npos) {
    double number = 0.0;
    if (detail::parse_into(text.substr(0, text.size() - 1), number) && number > 0.0)
      out.seconds = unit * number;
  } else {
    Index number = 0;
    if (detail::parse_into(text, number) && number > 0) out.iterations = number;
  }
  if (!out.seconds && !out.iterations)
    throw Error(ErrorCode::usage,
                {.what = "the value does not fit the option",
                 .where = "--checkpoint-every",
                 .found = "'" + std::string(text) + "'",
                 .expected = "seconds like 60s, or 5m, 2h, or a number of iterations"});
  return out;
}

}  // namespace

const std::vector<OptionRecord<CheckpointOptions>>& checkpoint_options() {
  using C = CheckpointOptions;
  static const std::vector<OptionRecord<C>> table = {
      {.name = "checkpoint",
       .field = &C::checkpoint,
       .value = "FILE",
       .sentence =
           "Save the run to this file regularly, and when it is stopped (then exit code 75).",
       .file = FileUse::written},
      {.name = "checkpoint-every",
       .field = &C::every,
       .value = "TIME",
       .sentence = "Time between saves: 60s, 5m, 2h, or a number of iterations."},
      {.name = "resume",
       .field = &C::resume,
       .value = "FILE",
       .sentence =
           "Continue from this file, to the same bits; auto: from --checkpoint, if it exists.",
       .file = FileUse::read},
  };
  return table;
}

void check_checkpoint(const CheckpointOptions& options) {
  parse_interval(options.every);
  if (options.checkpoint == "-" || options.resume == "-")
    throw Error(ErrorCode::usage, {.what = "a checkpoint needs a file of its own",
                                   .where = options.checkpoint == "-" ? "--checkpoint" : "--resume",
                                   .found = "-"});
  if (options.resume == "auto" && !options.checkpoint)
    throw Error(ErrorCode::usage, {.what = "there is no file to resume from",
                                   .where = "--resume auto",
                                   .found = "no --checkpoint",
                                   .expected = "--checkpoint FILE too"});
  if (!options.checkpoint) return;
  check_output("--checkpoint", *options.checkpoint);
  CheckpointFile(*options.checkpoint, {}).check_place();
}

Checkpointing::Checkpointing(const CheckpointOptions& options,
                             const std::function<Fingerprint()>& fingerprint, Observer& next,
                             Messages& messages)
    : next_(next), messages_(messages), saved_s_(clock_s()) {
  if (!options.checkpoint && !options.resume) return;
  const Fingerprint print = fingerprint();
  const Interval interval = parse_interval(options.every);
  every_s_ = interval.seconds;
  every_iterations_ = interval.iterations;
  if (options.checkpoint) {
    file_.emplace(*options.checkpoint, print);
    catch_snapshot_signal();
  }
  if (!options.resume) return;
  const bool automatic = options.resume == "auto";
  run_collectively(
      [&] { load(automatic ? *options.checkpoint : *options.resume, print, !automatic); });
}

void Checkpointing::load(const std::string& path, const Fingerprint& print, bool must_exist) {
  loaded_ = CheckpointFile(path, print).load();
  if (!loaded_ && must_exist)
    throw Error(ErrorCode::no_input,
                {.what = "there is no checkpoint to resume from", .where = path});
  if (!loaded_) return;
  for (const std::string& warning : loaded_->warnings)
    messages_.warning(fmt::format("{}; resuming from {} instead", warning, loaded_->path));
  saved_ = file_ && file_->path() == path;
  iteration_ = saved_iteration_ = loaded_->snapshot.run.method.iteration;
  messages_.event({{"event", "resume"}, {"file", loaded_->path}, {"iteration", iteration_}});
  messages_.note(fmt::format("resuming from {}, iteration {}", loaded_->path, iteration_));
}

void Checkpointing::progress(Index iteration, Index row_products) {
  iteration_ = iteration;
  next_.progress(iteration, row_products);
}

bool Checkpointing::snapshot_wanted(bool ending) {
  if (!file_) return false;
  ending_ = ending;
  if (ending || snapshot_signal_received()) return true;
  if (every_s_) return clock_s() - saved_s_ >= *every_s_;
  // The absolute value, because each method that auto runs counts from 0.
  return std::abs(iteration_ - saved_iteration_) >= *every_iterations_;
}

void Checkpointing::snapshot(Snapshot&& snapshot) {
  clear_snapshot_signal();
  saved_s_ = clock_s();
  saved_iteration_ = iteration_;
  try {
    if (rank() == 0) file_->save(snapshot);
    failure_.reset();
    saved_ending_ = ending_;
    saved_ = true;
    messages_.event({{"event", "checkpoint"}, {"file", file_->path()}, {"iteration", iteration_}});
  } catch (const Error& error) {
    if (!failure_) messages_.warning(fmt::format("the checkpoint was not saved: {}", error.what()));
    failure_ = error;
  } catch (const std::bad_alloc&) {
    failure_ = Error(ErrorCode::out_of_memory, {.what = "not enough memory to save the run"});
    messages_.warning(failure_->what());
  }
}

int Checkpointing::exit_code(Status status) const {
  if (failure_) return static_cast<int>(failure_->code());
  if (status == Status::interrupted && saved_ending_) return interrupted_and_saved;
  return cli::exit_code(status);
}

int Checkpointing::exit_code_in_step(Status status) const {
  if (failure_) return static_cast<int>(failure_->code());
  return status == Status::interrupted && saved_ ? interrupted_and_saved : cli::exit_code(status);
}

}  // namespace polyak::cli
