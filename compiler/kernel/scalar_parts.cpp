// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/scalar_parts.h"
#include <set>
#include <utility>

namespace pbc::kernel {
namespace {

class PrivateScalars {
public:
  explicit PrivateScalars(const body::Facts &facts) : isPrivate_(facts.locals.size(), true) {
    list(facts.nodes);
  }
  std::vector<bool> take() { return std::move(isPrivate_); }

private:
  /// Returns what the list assigns, loops in it included.
  std::set<int> list(const std::vector<body::NodePtr> &nodes) {
    std::set<int> known, assigned; // known: behind a plain assignment in this list
    for (const body::NodePtr &node : nodes) {
      if (node->kind == body::Node::Kind::Loop) {
        for (const body::ValuePtr &bound : {node->lower, node->upper})
          read(*bound, {});
        for (const int local : list(node->body)) {
          known.erase(local);
          assigned.insert(local);
        }
        continue;
      }
      read(*node->value, known);
      for (const body::ValuePtr &index : node->target.indices)
        read(*index, known);
      if (!node->target.isLocal)
        continue;
      const int local = node->target.index;
      if (!node->op.empty())
        isPrivate_[static_cast<std::size_t>(local)] = false;
      known.insert(local);
      assigned.insert(local);
    }
    return assigned;
  }

  void read(const body::Value &value, const std::set<int> &known) {
    if (value.kind == body::Value::Kind::Local && !known.contains(value.index))
      isPrivate_[static_cast<std::size_t>(value.index)] = false;
    for (const body::ValuePtr &operand : value.operands)
      read(*operand, known);
  }

  std::vector<bool> isPrivate_;
};

} // namespace

ScalarParts::ScalarParts(const body::Facts &facts)
    : isPrivate_(PrivateScalars(facts).take()), parts_(facts.locals.size()) {}

} // namespace pbc::kernel
