// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A kernel for the search: its nests as spaces, bounds by the rates of a machine, times of leaves on the machine at hand.
//
//   NestModel model(lifted, {{"n", 1024}}, options, rates, journal);
//   SearchResult r = search(model, {.seconds = 60});
//   script::line(model.script(r.best->root, r.best->domains))
//
// Scripts that several leaves share are measured once. What a journal has is not measured again, so that a search can go
// on where it was ended.
#pragma once
#include "compiler/search/bound/bound.h"
#include "compiler/search/measure/leaf_builder.h"
#include "compiler/search/measure/worker.h"
#include "compiler/search/prove/journal.h"
#include "compiler/search/strategy/model.h"

namespace pbc::search {

class NestModel : public Model {
public:
  /// Throws Unsearchable if the kernel has no space, or cannot run alone.
  NestModel(const kernel::Scheduled &lifted, const NestOptions &, const Rates &, Journal &journal);

  std::size_t roots() const override { return spaces_.size(); }
  const Problem &problem(std::size_t root) const override { return spaces_[root].space->problem(); }
  RegionBound bound(std::size_t root, const State &) const override;
  LeafTime measure(std::size_t root, const State &leaf, double most) override;
  std::vector<std::string_view> limitNames() const override;
  bool refute(std::size_t root, const State &leaf, double seconds) override;

  script::Script script(std::size_t root, const std::vector<Domain> &leaf) const;
  /// The time of any script, which need not be one of the spaces.
  Measurement timeOf(const script::Script &script) { return measured(script, 0); }
  /// Why nothing of this region is faster, in two sentences.
  std::string explain(std::size_t root, const State &) const;
  /// What measurements have refuted, a sentence each.
  const std::vector<std::string> &refutations() const { return refutations_; }

private:
  Measurement measured(const script::Script &, double most);

  kernel::Scheduled lifted_;
  Rates rates_;
  std::vector<NestSpace> spaces_;
  std::vector<Bounds> bounds_;
  Arrays arrays_;
  std::unique_ptr<LeafBuilder> builder_;
  std::unique_ptr<Worker> worker_;
  LeafBuilder::Built reference_;
  Journal &journal_;
  std::vector<std::string> refutations_;
};

/// A kernel that cannot be searched: a sentence.
class Unsearchable : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace pbc::search
