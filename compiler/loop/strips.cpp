// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/loop/strips.h"
#include "compiler/loop/walk.h"
#include <map>

namespace pbc::loop {

namespace {

/// How often each matrix is accessed, and how often in ways that allow any strides.
class Count : public Visitor {
public:
  void expr(const Expr &e) override {
    if (const auto *element = as<Element>(e))
      ++all[element->buffer];
    if (const auto *vector = as<CellVector>(e); vector && inBlock_ && vector->apart.parts.empty())
      ++any[as<Element>(vector->cell)->buffer];
    Visitor::expr(e);
  }

  void node(const NodePtr &n) override {
    const auto *block = as<BlockOfPoints>(n);
    if (!block || !block->depth)
      return Visitor::node(n);
    for (const BlockOfPoints::Strip &strip : block->depth->strips) {
      const int buffer = as<Element>(strip.first)->buffer;
      ++any[buffer];
      if (strip.isOutput) // vectors of its cells are put into it
        ++all[buffer];
    }
    inBlock_ = true;
    Visitor::node(n);
    inBlock_ = false;
  }

  std::map<int, int> all, any;

private:
  bool inBlock_ = false;
};

} // namespace

std::set<int> ofAnyStrides(const NodePtr &lowered, const std::vector<Matrix> &matrices) {
  Count count;
  count.node(lowered);
  std::set<int> found;
  for (const auto &[buffer, times] : count.any)
    if (times == count.all[buffer] && !matrices[static_cast<std::size_t>(buffer)].isOwn)
      found.insert(buffer);
  return found;
}

} // namespace pbc::loop
