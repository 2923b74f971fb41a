#pragma once

// The ways a claim can be checked, by name.
// Sentences about a figure, held against its numbers.

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/figure.hpp"

namespace polyak::experiments {

/// Thrown by a check whose premise does not hold.
struct NotApplicable {
  std::string reason;
};

struct Verdict {
  std::string expected, measured;
  bool pass = false;
};

/// The series of all panels that share one problem.
class Pool {
 public:
  void add(const PanelResult& panel);
  const ProblemFacts& facts() const { return panels_[0]->facts; }
  const std::string& title() const { return panels_[0]->spec->title; }
  Index k() const { return panels_[0]->k; }

  /// By label; a batch that had to be cut to n is not the one the claim is about.
  const Series& find(const std::string& label) const;
  /// The same, nothing where the batch was cut.
  const Series* fitting(const std::string& label) const;

 private:
  const Series& named(const std::string& label) const;

  std::vector<const PanelResult*> panels_;
  std::vector<const Series*> series_;
};

using Check = std::function<Verdict(const ClaimSpec&, const Pool&)>;
const std::map<std::string, Check>& checks();

/// One result for each problem of the figure that the claim is about, and for
/// each c it names; those whose premise does not hold say why.
std::vector<Claim> check_claims(const Figure& figure);

}  // namespace polyak::experiments
