#pragma once

// Ranks over MPI: polyak::Communicator, and polyak::ColumnExchange for rows with few columns in
// common. Used by polyak-mpi and by the PETSc plugins.

#include <mpi.h>

#include <optional>

#include "polyak/communicator.hpp"
#include "polyak/ranks.hpp"

namespace polyak::mpi {

/// A sum of up to this many numbers per rank goes through rank 0: there the latency of the
/// messages dominates.
constexpr Index max_numbers_by_root = 256;

class MpiCommunicator : public Communicator {
 public:
  /// Uses `comm`, which must stay valid as long as this.
  explicit MpiCommunicator(MPI_Comm comm);

  Index rank() const override { return rank_; }
  Index size() const override { return size_; }

  /// Each number is added up on one rank, in an order that follows from the number of ranks
  /// alone, and sent out from there, so that every rank has the same bits. (MPI_Allreduce may
  /// leave different bits on different ranks: the standard only recommends equal ones.)
  void sum(std::span<double> values) override;
  void max(std::span<double> values) override;
  void broadcast(std::span<double> values, Index root) override;
  void exchange(std::span<const std::vector<std::uint64_t>> words,
                std::vector<std::uint64_t>& received) override;

 private:
  void sum_by_root(std::span<double> values);
  void sum_by_parts(std::span<double> values);

  MPI_Comm comm_;
  Index rank_ = 0, size_ = 1;
  std::vector<double> sent_, parts_;  // buffers of sum_by_parts
};

/// How gradients are summed over ranks.
enum class Exchange { automatic, all, ghosts };

/// By the names auto, all and ghosts.
std::optional<Exchange> exchange_named(const std::string& name);

/// Sums of the columns that ranks share. A column is owned by the lowest rank whose rows have
/// entries in it. The columns of a rank that others own are its ghosts: the rank sends its sums
/// of them to the owners, which add in the order of ranks and send the results back. That is
/// two messages between neighbours; a column that only one rank uses is not sent at all.
class MpiGhosts : public ColumnExchange {
 public:
  /// `tag` must not be used by other messages of this communicator.
  MpiGhosts(MPI_Comm comm, int tag);

  /// Before pays(); the same on every rank. The default is automatic.
  void ask_for(Exchange asked);

  bool sends_less(const RowMatrix& own) override;
  ColumnRange held() const override { return held_; }
  void add(View g) override;
  void gather(View x) override;
  std::string description() const override { return description_; }

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

  bool should_count(const RowMatrix& own);
  void find_owners(Index cols, const std::vector<Index>& touched);
  void find_ghosts(const std::vector<Index>& touched);
  void find_shared();
  void find_held(const std::vector<Index>& touched);
  bool choose();
  void add_rows(View g);
  void pack(Side& side, ConstView g) const;
  template <class Use>
  void unpack(const Side& side, View g, Use use) const;
  void send(Side& from, Side& to, std::size_t rows);

  MPI_Comm comm_;
  int tag_, rank_ = 0, ranks_ = 1;
  Exchange asked_ = Exchange::automatic;
  std::optional<bool> pays_;
  std::string description_;
  ColumnRange held_;
  std::vector<int> owner_;  // of each column
  std::vector<int> owned_;  // number of columns of each rank
  Side ghosts_;             // columns of other ranks that rows stored here use
  Side shared_;             // columns of this rank that rows of other ranks use
  std::vector<MPI_Request> requests_;
  std::vector<double> own_, all_;  // buffers of gather()
};

}  // namespace polyak::mpi
