// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/prove/chain_model.h"
#include "compiler/search/chain/chain_script.h"
#include <fmt/format.h>
#include <utility>

namespace pbc::search {
namespace {

constexpr double kSharedLoop = 2, kTemporary = 1;

std::vector<double> weightsOf(const Space &space) {
  std::vector<double> weights(space.problem().variables().size(), 0);
  const Structure &structure = space.structure();
  for (int c = 0; c < int(structure.communications.size()); ++c) {
    weights[std::size_t(space.place(c))] = kTemporary;
    for (const Communication::Pair &pair : structure.communications[std::size_t(c)].pairs)
      if (!structure.sizes[std::size_t(structure.dimension(pair.source).size)].isConstant)
        weights[std::size_t(space.isOrder(pair.source, pair.target, OrderSet::all()).variable)] = kSharedLoop;
  }
  return weights;
}

} // namespace

ChainModel::ChainModel(const kernel::Scheduled &lifted, const NestOptions &options, const Rates &rates,
                       Times &times)
    : rates_(rates), times_(times) {
  ChainSpaces made = chainSpaces(lifted, options);
  if (made.spaces.empty())
    throw Unsearchable(made.why);
  spaces_ = std::move(made.spaces);
  bounds_.reserve(spaces_.size());
  for (const ChainSpace &chain : spaces_) {
    bounds_.emplace_back(chain, rates_);
    weights_.push_back(weightsOf(*chain.space));
  }
}

RegionBound ChainModel::bound(std::size_t root, const State &state) const {
  const Bound bound = bounds_[root].of(state);
  return {bound.seconds, bound.term, bounds_[root].sumOfTerms(state)};
}

std::vector<std::string_view> ChainModel::limitNames() const {
  std::vector<std::string_view> names;
  for (const Term &term : terms())
    names.push_back(term.name);
  names.emplace_back("nests");
  return names;
}

LeafTime ChainModel::measure(std::size_t root, const State &leaf, double most) {
  const Measurement made = times_.of(scriptOf(spaces_[root], leaf), most);
  return {made.fate == Fate::Measured, made.seconds, made.why};
}

bool ChainModel::refute(std::size_t root, const State &leaf, double seconds) {
  bool isAny = false;
  for (int term = 0; term <= int(terms().size()); ++term) {
    const TermValue value = bounds_[root].term(term, leaf);
    if (bounds_[root].isOff(term) || value.seconds <= seconds)
      continue;
    refutations_.push_back(fmt::format(
        "{} took {:.4g} s, less than the {:.4g} s of the bound ({}: {:.3g} {}, at {:.3g} a second at most)",
        leaf.isComplete() ? lineOf(root, leaf) : "the default", seconds, value.seconds,
        limitNames()[std::size_t(term)], value.amount, value.of, value.rate));
    for (ChainBounds &bounds : bounds_)
      bounds.switchOff(term);
    isAny = true;
  }
  return isAny;
}

std::string ChainModel::lineOf(std::size_t root, const State &leaf) const {
  return script::line(scriptOf(spaces_[root], leaf));
}

std::string ChainModel::explain(std::size_t root, const State &state) const {
  return bounds_[root].explain(state);
}

} // namespace pbc::search
