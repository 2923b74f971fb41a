#include "polyak/communicator.hpp"

namespace polyak {
namespace {

// One process: all operations are the identity.
class Single final : public Communicator {
 public:
  Index rank() const override { return 0; }
  Index size() const override { return 1; }
  void sum(std::span<double>) override {}
  void max(std::span<double>) override {}
  void broadcast(std::span<double>, Index) override {}
  void exchange(std::span<const std::vector<std::uint64_t>> words,
                std::vector<std::uint64_t>& received) override {
    received = words[0];
  }
};

}  // namespace

Communicator& Communicator::single() {
  static Single one;
  return one;
}

}  // namespace polyak
