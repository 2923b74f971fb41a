#pragma once

// Sums of the columns that ranks share, over MPI: polyak::ColumnExchange.
//
// A column belongs to the lowest rank whose rows touch it. Each rank gives its part
// of the columns that belong to others (its ghosts) to those, they add up in the
// order of ranks and give the sums back: two messages between neighbours, and what
// one rank alone touches is not sent at all.

#include <mpi.h>

#include <optional>

#include "polyak/ranks.hpp"

namespace polyak {

enum class Exchange { automatic, all, ghosts };

/// automatic, all or ghosts by the names auto, all and ghosts.
std::optional<Exchange> exchange_named(const std::string& name);

class MpiGhosts : public ColumnExchange {
 public:
  /// Messages bear `tag`, which nobody else uses in this communicator.
  MpiGhosts(MPI_Comm comm, int tag);

  /// Before pays(), alike on every rank; automatic by itself.
  void ask_for(Exchange asked);

  bool pays(const RowMatrix& own) override;
  ColumnRange held() const override { return held_; }
  void add(View g) override;
  void gather(View x) override;
  std::string told() const override { return told_; }

 private:
  // Columns shared with one rank: columns[first .. first + count - 1].
  struct Part {
    int rank;
    std::size_t first, count;
  };
  struct Side {
    std::vector<Part> parts;  // by rank, ascending
    std::vector<Index> columns;
    std::vector<double> values;
  };

  bool worth_counting(const RowMatrix& own);
  void find_owners(Index cols, const std::vector<Index>& touched);
  void find_ghosts(const std::vector<Index>& touched);
  void find_shared();
  void find_held(const std::vector<Index>& touched);
  bool choose();
  void add_rows(View g);
  void pack(Side& side, ConstView g) const;
  template <class Take>
  void unpack(const Side& side, View g, Take take) const;
  void pass(Side& from, Side& to, std::size_t rows);

  MPI_Comm comm_;
  int tag_, rank_ = 0, ranks_ = 1;
  Exchange asked_ = Exchange::automatic;
  std::optional<bool> pays_;
  std::string told_;
  ColumnRange held_;
  std::vector<int> owner_;  // of each column
  std::vector<int> owned_;  // columns of each rank
  Side ghosts_, shared_;    // theirs that rows here touch; ours that their rows touch
  std::vector<MPI_Request> requests_;
  std::vector<double> own_, all_;  // for gather()
};

}  // namespace polyak
