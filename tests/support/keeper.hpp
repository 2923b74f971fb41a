#pragma once

// An observer that takes every snapshot it can get.

#include "polyak/solve.hpp"

namespace polyak::test {

struct Keeper final : Observer {
  std::vector<Snapshot> kept;
  int stop_after = -1;  ///< asks to stop after so many questions
  int calls = 0;

  bool stop_requested() override { return stop_after >= 0 && calls++ >= stop_after; }
  bool snapshot_wanted(bool) override { return true; }
  void snapshot(Snapshot&& snapshot) override { kept.push_back(std::move(snapshot)); }
};

}  // namespace polyak::test
