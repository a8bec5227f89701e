// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/prove/chain_model.h"
#include "compiler/search/chain/chain_script.h"
#include <fmt/format.h>
#include <utility>

namespace pbc::search {

ChainModel::ChainModel(const kernel::Scheduled &lifted, const NestOptions &options, const Rates &rates,
                       Times &times)
    : rates_(rates), times_(times) {
  ChainSpaces made = chainSpaces(lifted, options);
  if (made.spaces.empty())
    throw Unsearchable(made.why);
  spaces_ = std::move(made.spaces);
  bounds_.reserve(spaces_.size());
  for (const ChainSpace &chain : spaces_)
    bounds_.emplace_back(chain, rates_);
}

RegionBound ChainModel::bound(std::size_t root, const State &state) const {
  const Bound bound = bounds_[root].of(state);
  return {bound.seconds, bound.term};
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
