// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/prove/nest_model.h"
#include <fmt/format.h>
#include <utility>

namespace pbc::search {

NestModel::NestModel(const kernel::Scheduled &lifted, const NestOptions &options, const Rates &rates,
                     Times &times, const std::optional<Rates> &ofAllCores)
    : rates_(rates), ofAllCores_(ofAllCores), times_(times) {
  NestSpaces made = nestSpaces(lifted, options);
  if (made.spaces.empty())
    throw Unsearchable(made.why);
  spaces_ = std::move(made.spaces);
  bounds_.reserve(spaces_.size());
  for (const NestSpace &nest : spaces_)
    bounds_.emplace_back(nest, *nest.work, rates_, ofAllCores_ ? &*ofAllCores_ : nullptr);
}

RegionBound NestModel::bound(std::size_t root, const State &state) const {
  const Bound bound = bounds_[root].of(state);
  return {bound.seconds, bound.term};
}

std::vector<std::string_view> NestModel::limitNames() const {
  std::vector<std::string_view> names;
  for (const Term &term : terms())
    names.push_back(term.name);
  return names;
}

LeafTime NestModel::measure(std::size_t root, const State &leaf, double most) {
  const Measurement made = times_.of(scriptOf(spaces_[root], leaf), most);
  return {made.fate == Fate::Measured, made.seconds, made.why};
}

bool NestModel::refute(std::size_t root, const State &leaf, double seconds) {
  bool isAny = false;
  for (int term = 0; term < int(terms().size()); ++term) {
    const TermValue value = bounds_[root].term(term, leaf);
    if (bounds_[root].isOff(term) || value.seconds <= seconds)
      continue;
    refutations_.push_back(
        fmt::format("{} took {:.4g} s, less than the {:.4g} s of the bound ({})",
                    leaf.isComplete() ? script::line(scriptOf(spaces_[root], leaf)) : "the default", seconds,
                    value.seconds, bounds_[root].explain({value.seconds, term, value})));
    for (Bounds &bounds : bounds_)
      bounds.switchOff(term);
    isAny = true;
  }
  return isAny;
}

script::Script NestModel::script(std::size_t root, const std::vector<Domain> &leaf) const {
  State state(problem(root));
  state.take(leaf);
  return scriptOf(spaces_[root], state);
}

std::string NestModel::lineOf(std::size_t root, const State &leaf) const {
  return script::line(scriptOf(spaces_[root], leaf));
}

std::string NestModel::explain(std::size_t root, const State &state) const {
  return bounds_[root].explain(bounds_[root].of(state));
}

} // namespace pbc::search
