// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/chain/chain_facts.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/kernel/tree.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/val.h>
#include <set>
#include <utility>

namespace pbc::search {
namespace {

using kernel::Access;
using kernel::Scheduled;
using kernel::Statement;

/// More are no chain that a search could divide in any time.
constexpr std::size_t kMostNests = 6;

class ChainFinder {
public:
  ChainFinder(const Scheduled &kernel, std::vector<NestFacts> nests) : kernel_(kernel) {
    made_.nests = std::move(nests);
  }

  ChainFacts made() {
    for (std::size_t second = 0; second < made_.nests.size(); ++second) {
      std::vector<std::size_t> before;
      for (std::size_t first = 0; first < second; ++first)
        if (!between(first, second).is_empty())
          before.push_back(first);
      classify(second, before);
      for (const std::size_t first : before)
        addLink(first, second);
    }
    findShared();
    return std::move(made_);
  }

private:
  isl::union_set instancesOf(const NestFacts &nest) const {
    isl::union_set all = isl::manage(isl_union_set_empty_ctx(isl_set_get_ctx(kernel_.context.get())));
    for (const int s : nest.statements)
      all = all.unite(isl::union_set(kernel_.statements[std::size_t(s)].domain));
    return all;
  }

  isl::union_map between(std::size_t first, std::size_t second) const {
    return kernel_.dependences.intersect_domain(instancesOf(made_.nests[first]))
        .intersect_range(instancesOf(made_.nests[second]));
  }

  isl::union_map functionOf(const NestFacts &nest, std::size_t loop) const {
    const kernel::LoopNode node = *kernel::findLoop(kernel_.schedule.tree, nest.loops[loop].label);
    return kernel::member(node.band, 0).as_union_map();
  }

  /// How far what the first loop's iterations make is from the iterations of the second one that use it; nothing if that has no bound.
  std::optional<ChainFacts::Distance> distance(std::size_t first, std::size_t firstLoop, std::size_t second,
                                               std::size_t secondLoop) const {
    const isl::union_map steps = between(first, second)
                                     .apply_domain(functionOf(made_.nests[first], firstLoop))
                                     .apply_range(functionOf(made_.nests[second], secondLoop));
    if (steps.is_empty())
      return ChainFacts::Distance{};
    const isl::set apart = isl::manage(isl_map_deltas(isl_map_from_union_map(steps.copy())));
    const isl::val least = isl::manage(isl_set_dim_min_val(apart.copy(), 0)),
                   most = isl::manage(isl_set_dim_max_val(apart.copy(), 0));
    if (isl_val_is_int(least.get()) != isl_bool_true)
      return std::nullopt;
    return ChainFacts::Distance{std::max(0L, -least.num_si()),
                                least.num_si() == 0 && isl_val_is_zero(most.get()) == isl_bool_true};
  }

  /// By coordinate of the matrix: the loop of the nest that moves along it by one cell in each iteration, and nothing else does; -1: none.
  std::vector<int> loopsAlong(const NestFacts &nest, int buffer) const {
    const int rank = kernel_.buffers[std::size_t(buffer)].rank;
    std::vector<int> along;
    for (const int s : nest.statements) {
      const Statement &statement = kernel_.statements[std::size_t(s)];
      for (const Access &access : statement.accesses) {
        if (access.buffer != buffer)
          continue;
        std::vector<int> own(std::size_t(rank), -1);
        for (std::size_t l = 0; l < nest.loops.size(); ++l)
          if (const int d = nest.loops[l].dimension[std::size_t(s)];
              d >= 0 && kernel::along(kernel_, access, d))
            for (int c = 0; c < rank; ++c)
              if (kernel::coefficient(access, c, d) == 1)
                own[std::size_t(c)] = int(l);
        if (along.empty())
          along = own;
        for (std::size_t c = 0; c < own.size(); ++c)
          if (own[c] != along[c])
            along[c] = -1;
      }
    }
    return along;
  }

  /// The buffers that both nests use, one of them writing.
  std::vector<int> buffersBetween(std::size_t first, std::size_t second) const {
    std::vector<int> found;
    for (int b = 0; b < int(kernel_.buffers.size()); ++b)
      if (kernel::isMatrix(kernel_.buffers[std::size_t(b)]) && uses(first, b) && uses(second, b) &&
          (writes(first, b) || writes(second, b)))
        found.push_back(b);
    return found;
  }

  template <class Which>
  bool anyAccess(std::size_t nest, int buffer, const Which &which) const {
    const std::vector<int> &all = made_.nests[nest].statements;
    return std::any_of(all.begin(), all.end(), [&](int s) {
      const std::vector<Access> &accesses = kernel_.statements[std::size_t(s)].accesses;
      return std::any_of(accesses.begin(), accesses.end(),
                         [&](const Access &a) { return a.buffer == buffer && which(a); });
    });
  }
  bool uses(std::size_t nest, int buffer) const {
    return anyAccess(nest, buffer, [](const Access &) { return true; });
  }
  bool writes(std::size_t nest, int buffer) const {
    return anyAccess(nest, buffer, [](const Access &a) { return a.isWrite; });
  }

  int classOf(std::size_t nest, std::size_t loop) const { return made_.classes[nest][loop]; }
  /// The nest's loop of the class; -1: it has none.
  int loopOf(std::size_t nest, int number) const {
    const std::vector<int> &all = made_.classes[nest];
    const auto at = std::find(all.begin(), all.end(), number);
    return at == all.end() ? -1 : int(at - all.begin());
  }

  /// Whether the loop keeps a bounded distance from those of the class in all nests on which its nest depends.
  bool fits(std::size_t second, std::size_t loop, int number, const std::vector<std::size_t> &before) const {
    return std::all_of(before.begin(), before.end(), [&](std::size_t first) {
      const int other = loopOf(first, number);
      return other < 0 || distance(first, std::size_t(other), second, loop).has_value();
    });
  }

  /// Whether a nest has loops of both classes.
  bool sharesNest(int a, int b) const {
    return std::ranges::any_of(made_.classes, [&](const std::vector<int> &ofNest) {
      return std::ranges::count(ofNest, a) > 0 && std::ranges::count(ofNest, b) > 0;
    });
  }
  /// Whether loops of the one class keep a bounded distance from those of the other: as what `A[2 * i]` makes is used at `i`, a later nest that is
  /// like both does not make these alike.
  bool canBeOne(int a, int b) const {
    if (sharesNest(a, b))
      return false;
    for (std::size_t second = 0; second < made_.classes.size(); ++second)
      for (std::size_t first = 0; first < second; ++first)
        for (const auto &[one, other] : {std::pair{a, b}, std::pair{b, a}})
          if (const int from = loopOf(first, one), to = loopOf(second, other);
              from >= 0 && to >= 0 && !distance(first, std::size_t(from), second, std::size_t(to)))
            return false;
    return true;
  }
  /// Nests that do not depend on each other have loops that are alike because a later nest's loop is like both.
  void merge(int kept, int other) {
    for (std::vector<int> &ofNest : made_.classes)
      std::ranges::replace(ofNest, other, kept);
  }

  /// Gives each loop of the nest the class of a loop that is alike, or a new one.
  void classify(std::size_t second, const std::vector<std::size_t> &before) {
    const NestFacts &nest = made_.nests[second];
    made_.classes.emplace_back(nest.loops.size(), -1);
    std::set<int> taken;
    for (auto first = before.rbegin(); first != before.rend(); ++first)
      for (const int buffer : buffersBetween(*first, second)) {
        const std::vector<int> from = loopsAlong(made_.nests[*first], buffer), to = loopsAlong(nest, buffer);
        for (std::size_t c = 0; c < from.size() && c < to.size(); ++c) {
          if (from[c] < 0 || to[c] < 0)
            continue;
          int &own = made_.classes[second][std::size_t(to[c])];
          const int number = classOf(*first, std::size_t(from[c]));
          if (own == number || taken.contains(number) || !fits(second, std::size_t(to[c]), number, before))
            continue;
          if (own < 0) {
            own = number;
            taken.insert(number);
          } else if (canBeOne(own, number)) {
            merge(own, number);
          }
        }
      }
    for (int &number : made_.classes[second])
      if (number < 0)
        number = made_.numberOfClasses++;
  }

  void addLink(std::size_t first, std::size_t second) {
    ChainFacts::Link link{first, second, {}};
    for (std::size_t loop = 0; loop < made_.classes[second].size(); ++loop)
      if (const int number = classOf(second, loop), other = loopOf(first, number); other >= 0)
        link.byClass[number] = *distance(first, std::size_t(other), second, loop);
    made_.links.push_back(std::move(link));
  }

  void findShared() {
    for (int b = 0; b < int(kernel_.buffers.size()); ++b) {
      const kernel::Buffer &buffer = kernel_.buffers[std::size_t(b)];
      if (!kernel::isMatrix(buffer))
        continue;
      ChainFacts::Shared made{
          kernel::programName(kernel_, b), {}, buffer.isPrivate, long(kernel::bytesOf(buffer.element))};
      bool isWritten = false;
      for (std::size_t n = 0; n < made_.nests.size(); ++n)
        if (uses(n, b)) {
          made.nests.push_back(n);
          isWritten = isWritten || writes(n, b);
        }
      if (isWritten && made.nests.size() > 1)
        made_.shared.push_back(std::move(made));
    }
  }

  const Scheduled &kernel_;
  ChainFacts made_;
};

/// By statement: whether it is in a nest.
std::size_t statementsIn(const std::vector<NestFacts> &nests) {
  std::size_t count = 0;
  for (const NestFacts &nest : nests)
    count += nest.statements.size();
  return count;
}

} // namespace

bool isChain(const Scheduled &lifted) {
  const Scheduled kernel = kernel::withLabels(lifted);
  const std::vector<kernel::LoopNode> loops = kernel::loopsOf(kernel.schedule.tree);
  std::size_t nests = 0, statements = 0;
  for (const kernel::LoopNode &loop : loops) {
    bool isOutermost = true;
    for (isl::schedule_node node = loop.top; isOutermost && node.has_parent();) {
      node = node.parent();
      isOutermost = !kernel::loopAt(node);
    }
    if (!isOutermost)
      continue;
    ++nests;
    statements += kernel::statementsAt(loop.band).size();
  }
  return nests > 1 && statements == kernel.statements.size();
}

ChainFactsOutcome chainFacts(const Scheduled &kernel, const std::map<std::string, long> &values) {
  AllNestFacts all = factsOfNests(kernel, values);
  if (all.nests.empty())
    return {std::nullopt, all.why.empty() ? "it has no loop" : all.why};
  if (all.nests.size() > kMostNests)
    return {std::nullopt, "it has too many nests of loops"};
  if (statementsIn(all.nests) != kernel.statements.size())
    return {std::nullopt, "a statement of it is in no loop"};
  for (const NestFacts &nest : all.nests)
    for (const NestFacts::Loop &loop : nest.loops)
      if (loop.extent <= 0)
        return {std::nullopt, "one of its loops has no iteration at these sizes"};
  return {ChainFinder(kernel, std::move(all.nests)).made(), ""};
}

} // namespace pbc::search
