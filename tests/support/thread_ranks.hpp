#pragma once

// Ranks that are threads of one process: what MPI does for processes, by a
// sum in rank order at a meeting point. Everything but the transport is real.

#include <cmath>
#include <condition_variable>
#include <exception>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

#include "polyak/ranks.hpp"
#include "support/problems.hpp"

namespace polyak::test {

class Meeting {
 public:
  explicit Meeting(Index ranks) : given_(to_size(ranks)), words_(to_size(ranks)) {}

  Index ranks() const { return std::ssize(given_); }

  void sum(Index rank, std::span<double> values) {
    combine(
        rank, values, [](double all, double one) { return all + one; }, 0.0);
  }

  void max(Index rank, std::span<double> values) {
    const auto larger = [](double all, double one) {
      return std::isnan(all) || one <= all ? all : one;
    };
    combine(rank, values, larger, -std::numeric_limits<double>::infinity());
  }

  void broadcast(Index rank, std::span<double> values, Index root) {
    given_[to_size(rank)] = values;
    wait();
    const std::vector<double> of_root(given_[to_size(root)].begin(), given_[to_size(root)].end());
    if (of_root.size() != values.size()) std::terminate();  // calls out of step
    wait();
    std::copy(of_root.begin(), of_root.end(), values.begin());
  }

  void exchange(Index rank, std::span<const std::vector<std::uint64_t>> words,
                std::vector<std::uint64_t>& received) {
    words_[to_size(rank)] = words;
    wait();
    received.clear();
    for (const auto& from : words_) {
      const auto& mine = from[to_size(rank)];
      received.insert(received.end(), mine.begin(), mine.end());
    }
    wait();
  }

  /// Meets the others, before and after something they do to each other's memory.
  void wait() {
    std::unique_lock lock(mutex_);
    const Index round = round_;
    if (++here_ == std::ssize(given_)) {
      here_ = 0;
      ++round_;
      all_here_.notify_all();
    }
    all_here_.wait(lock, [&] { return round_ != round; });
  }

 private:
  template <class Operation>
  void combine(Index rank, std::span<double> values, Operation operation, double neutral) {
    given_[to_size(rank)] = values;
    wait();
    std::vector<double> total(values.size(), neutral);
    for (std::span<double> part : given_) {
      if (part.size() != values.size()) std::terminate();  // calls out of step
      for (std::size_t k = 0; k < total.size(); ++k) total[k] = operation(total[k], part[k]);
    }
    wait();  // all ranks have read
    std::copy(total.begin(), total.end(), values.begin());
  }

  std::vector<std::span<double>> given_;
  std::vector<std::span<const std::vector<std::uint64_t>>> words_;
  std::mutex mutex_;
  std::condition_variable all_here_;
  Index here_ = 0, round_ = 0;
};

/// One rank of a Meeting.
class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(Meeting& meeting, Index rank) : meeting_(meeting), rank_(rank) {}
  Index rank() const override { return rank_; }
  Index size() const override { return meeting_.ranks(); }
  void sum(std::span<double> values) override { meeting_.sum(rank_, values); }
  void max(std::span<double> values) override { meeting_.max(rank_, values); }
  void broadcast(std::span<double> values, Index root) override {
    meeting_.broadcast(rank_, values, root);
  }
  void exchange(std::span<const std::vector<std::uint64_t>> words,
                std::vector<std::uint64_t>& received) override {
    meeting_.exchange(rank_, words, received);
  }

 private:
  Meeting& meeting_;
  Index rank_;
};

/// How the rank of that number exchanges columns; nothing means by sums of all.
using ColumnsOf = std::function<std::shared_ptr<ColumnExchange>(Meeting&, Index)>;

/// body(rank's problem) on `ranks` threads at once, the rows shared out evenly;
/// whatever each throws is its Error.
template <class Result, class Body>
std::vector<Result> on_ranks(Index ranks, const ProblemData& whole, Body body,
                             std::vector<std::exception_ptr>* errors = nullptr,
                             const ColumnsOf& columns = {}) {
  Meeting meeting(ranks);
  std::vector<Result> results(to_size(ranks));
  std::vector<std::exception_ptr> thrown(to_size(ranks));
  std::vector<std::thread> threads;
  for (Index rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        const RowRange range = even_share(whole.A->rows(), rank, ranks);
        ProblemData own = whole;
        own.A = rank_rows(rows_between(whole.A, range), range.first, whole.A->rows(),
                          std::make_shared<ThreadCommunicator>(meeting, rank),
                          columns ? columns(meeting, rank) : nullptr);
        own.b = only_rows(whole.b, range);
        results[to_size(rank)] = body(Problem(std::move(own)));
      } catch (...) {
        thrown[to_size(rank)] = std::current_exception();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  if (errors) *errors = thrown;
  for (const auto& error : thrown)
    if (error && !errors) std::rethrow_exception(error);
  return results;
}

inline std::vector<Report> solve_on_ranks(Index ranks, const ProblemData& whole,
                                          const SolveOptions& options) {
  return on_ranks<Report>(ranks, whole,
                          [&](const Problem& problem) { return solve(problem, options); });
}

/// What each rank was told instead of an answer.
inline std::vector<std::string> refusals_on_ranks(Index ranks, const ProblemData& whole,
                                                  const SolveOptions& options) {
  std::vector<std::exception_ptr> errors;
  on_ranks<Report>(
      ranks, whole, [&](const Problem& problem) { return solve(problem, options); }, &errors);
  std::vector<std::string> out;
  for (const auto& error : errors) {
    try {
      if (error) std::rethrow_exception(error);
      out.emplace_back("no error");
    } catch (const Error& e) {
      out.emplace_back(e.what());
    }
  }
  return out;
}

}  // namespace polyak::test
