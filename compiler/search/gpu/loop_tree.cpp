// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/gpu/loop_tree.h"
#include <algorithm>
#include <bit>

namespace pbc::search {
namespace {

class TreeMaker {
public:
  TreeMaker(const Space &space, const State &leaf) : space_(space), leaf_(leaf) {
    const int count = int(space.structure().objects.size());
    for (int a = 0; a < count; ++a) {
      bool isFirst = true;
      for (int b = 0; b < a; ++b)
        isFirst = isFirst && !isOrder(b, a, Order::Fused);
      if (isFirst)
        first_.push_back(a);
    }
  }

  LoopTree make(int object) const {
    LoopTree made;
    made.object = object;
    if (object >= 0 && space_.structure().isDimension(object)) {
      made.kind = Kind(std::countr_zero(leaf_.domain(space_.kind(object))));
      for (const int d : space_.dimensions())
        if (d == object || isOrder(object, d, Order::Fused))
          made.dimensions.push_back(d);
    }
    std::vector<int> inside;
    for (const int other : first_)
      if (isInside(other, object) && std::none_of(first_.begin(), first_.end(), [&](int between) {
            return isInside(between, object) && isInside(other, between);
          }))
        inside.push_back(other);
    std::sort(inside.begin(), inside.end(), [&](int a, int b) { return isOrder(a, b, Order::Before); });
    for (const int other : inside)
      made.inside.push_back(make(other));
    return made;
  }

private:
  bool isOrder(int a, int b, Order order) const {
    return a != b && space_.order(leaf_, a, b) == OrderSet(order);
  }
  bool isInside(int a, int b) const {
    return b < 0 || (space_.structure().isDimension(b) && isOrder(a, b, Order::Inside));
  }

  const Space &space_;
  const State &leaf_;
  std::vector<int> first_; // an object of each loop, and the instructions
};

} // namespace

LoopTree loopTree(const Space &space, const State &leaf) { return TreeMaker(space, leaf).make(-1); }

} // namespace pbc::search
