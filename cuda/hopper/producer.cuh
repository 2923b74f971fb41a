#pragma once

// Producer warps: which row, its line of the table, its copy into the ring.
//
// Rows do not depend on x, so nothing here waits for an iteration to end: a warp has the
// look-up of its stage after next and the b_i of its next stage under way while it starts
// the copies of its present one, as far ahead as the ring allows.
//
// Bytes moved for a row: 64 of the table, 8 of b, (8 of w,) and the row itself.

#include "cuda/hopper/shape.cuh"

namespace polyak::cuda::hopper {

/// A row whose line has been asked for, and one whose b and weight have.
struct Asked {
  RowLine line;
  std::uint64_t bits;
  bool active;
};
struct Found {
  std::uint64_t row;
  RowFacts facts;
  bool active;
};

/// Rows drawn by the table.
struct DrawnRows {
  template <class S>
  __device__ static Part part(const Task<typename S::Value>& task) {
    return contiguous_part<S>(task.batch);
  }
  template <class Value>
  __device__ static Asked ask(const Task<Value>& task, const Part&, std::int64_t k, std::int64_t t,
                              bool active, std::uint64_t keep) {
    Asked out{};
    out.active = active;
    if (active) {
      out.bits = draw_bits(task.key, static_cast<std::uint64_t>(k), static_cast<std::uint64_t>(t));
      out.line = load_line(task.table.lines + (out.bits >> task.table.shift), keep);
    }
    return out;
  }
  template <class Value>
  __device__ static Found find(const Task<Value>& task, const Asked& asked, std::uint64_t keep) {
    Found out{};
    out.active = asked.active;
    if (asked.active) {
      const Drawn drawn = find_row(task.table, asked.line, asked.bits);
      const double own = task.rows.weights ? load_kept(task.rows.weights + drawn.row, keep) : 1.0;
      out.row = drawn.row;
      out.facts.b = load_kept(task.rows.b + drawn.row, keep);
      out.facts.weight = draw_weight(own, task.factor, drawn.points);
    }
    return out;
  }
};

/// All rows, in order.
struct EveryRow {
  template <class S>
  __device__ static Part part(const Task<typename S::Value>& task) {
    return interleaved_part<S>(task.rows.n);
  }
  template <class Value>
  __device__ static Asked ask(const Task<Value>& task, const Part& part, std::int64_t,
                              std::int64_t t, bool active, std::uint64_t) {
    // b and w are read once a pass, so they come from memory: ask for them in good time.
    const std::int64_t ahead = t + 16 * part.step;
    if (active && ahead < part.end) {
      prefetch(task.rows.b + ahead);
      if (task.rows.weights) prefetch(task.rows.weights + ahead);
    }
    Asked out{};
    out.bits = static_cast<std::uint64_t>(t);
    out.active = active;
    return out;
  }
  template <class Value>
  __device__ static Found find(const Task<Value>& task, const Asked& asked, std::uint64_t keep) {
    Found out{};
    out.row = asked.bits;
    out.active = asked.active;
    if (asked.active) {
      out.facts.b = load_kept(task.rows.b + out.row, keep);
      out.facts.weight = task.rows.weights ? load_kept(task.rows.weights + out.row, keep) : 1.0;
    }
    return out;
  }
};

/// Stage `stage` of iteration k; each producer takes every S::producers-th stage.
struct Place {
  std::int64_t k;
  int stage;

  __device__ __forceinline__ void advance(int by, int stages) {
    stage += by;
    while (stage >= stages) {
      stage -= stages;
      ++k;
    }
  }
};

template <class S, class Source>
__device__ void produce(Shared<S>& shared, const Task<typename S::Value>& task, const Part& part,
                        int producer, int lane) {
  if (part.stages == 0) return;
  const std::uint64_t once = evict_first(), keep = evict_last();
  constexpr int size = static_cast<int>(sizeof(typename S::Value));
  const auto bytes = static_cast<std::uint32_t>((task.rows.d * size + 15) / 16 * 16);
  const auto ask = [&](const Place& at) {
    const std::int64_t item = part.item(at.stage, lane);
    const bool active = at.k < task.last && lane < S::stage_rows && item < part.end;
    return Source::ask(task, part, at.k, item, active, keep);
  };
  Place now{task.first, 0};
  now.advance(producer, part.stages);
  Place next = now;
  next.advance(S::producers, part.stages);
  Place later = next;
  later.advance(S::producers, part.stages);
  Found ready = Source::find(task, ask(now), keep);
  Asked asked = ask(next);
  for (Slot<S> slot{producer, 1}; now.k < task.last; now.advance(S::producers, part.stages)) {
    const Found row = ready;
    ready = Source::find(task, asked, keep);
    asked = ask(later);
    later.advance(S::producers, part.stages);
    const auto rows = static_cast<std::uint32_t>(__popc(__ballot_sync(~0u, row.active)));
    wait(&shared.empty[slot.index], slot.parity);
    if (row.active) shared.facts[slot.index][lane] = row.facts;
    __syncwarp();
    if (lane == 0) arrive_expecting(&shared.full[slot.index], rows * bytes);
    __syncwarp();
    if (row.active)
      bulk_copy(shared.ring[slot.index][lane], task.rows.values + row.row * task.rows.stride, bytes,
                &shared.full[slot.index], once);
    slot.advance(S::producers);
  }
}

}  // namespace polyak::cuda::hopper
