// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/device_blocks.h"
#include "compiler/emit/kernel/nodes.h"
#include "compiler/kernel/along.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/ast.h>

namespace pbc::emit {

using kernel::Buffer;

namespace {

constexpr int kSteps = 16; // steps of a loop whose strips are copied together

/// Thrown if the loops cannot be printed in this form.
struct Irregular {};

class BlockPrinter {
public:
  BlockPrinter(const kernel::Items &items, Used &used)
      : kernel_(withArrays(items.item)), used_(used), rounds_(items.inRounds() ? 1 : 0) {
    for (std::size_t k = rounds_; k < kernel_.schedule.taskDimensions.size(); ++k)
      functions_.push_back("low" + std::to_string(k));
    for (std::size_t s = 0; s < kernel_.statements.size(); ++s)
      statements_.emplace_back(kernel_, static_cast<int>(s), used);
  }

  std::optional<DeviceBlocks> print(const isl::ast_node &nest) {
    if (functions_.size() > 3 || !everyFunctionIsAVariable())
      return std::nullopt;
    try {
      out_.statements = node(nest, "  ");
    } catch (const Irregular &) {
      return std::nullopt;
    }
    if (!hasLoop_)
      return std::nullopt;
    out_.statements = locals_ + out_.statements;
    return out_;
  }

private:
  /// The kernel with its Locals as arrays, which StatementPrinter indexes by the lane; here that is the
  /// number of the cell.
  static kernel::Scheduled withArrays(kernel::Scheduled kernel) {
    for (Buffer &b : kernel.buffers)
      if (b.role == Buffer::Role::Local)
        b.lanes = 1;
    return kernel;
  }

  /// Whether there is one rule, whose free variables are the functions of its items.
  bool everyFunctionIsAVariable() const {
    const kernel::Statement &first = kernel_.statements.front();
    for (const kernel::Statement &s : kernel_.statements)
      if (s.rule != first.rule)
        return false;
    for (std::size_t k = rounds_; k < kernel_.schedule.taskDimensions.size(); ++k) {
      const auto at = std::find(first.dimensions.begin(), first.dimensions.begin() + first.freeCount,
                                kernel_.schedule.taskDimensions[k].name);
      if (at == first.dimensions.begin() + first.freeCount)
        return false;
    }
    return true;
  }

  std::string text(const loop::Expr &e) { return deviceText(e, used_); }

  /// The text of what is the same for all items.
  std::string uniform(const loop::Expr &e) {
    for (const std::string &f : functions_)
      if (e && loop::mentions(e, f))
        throw Irregular();
    return e ? text(e) : "";
  }

  std::string node(const isl::ast_node &n, const std::string &indent) {
    switch (isl_ast_node_get_type(n.get())) {
    case isl_ast_node_block: {
      std::string all;
      for (const isl::ast_node &child : sequence(n))
        all += node(child, indent);
      return all;
    }
    case isl_ast_node_mark: {
      if (const auto local = declaredLocal(n))
        declare(*local);
      return node(belowMark(n), indent);
    }
    case isl_ast_node_if:
      return branch(n, indent);
    case isl_ast_node_for:
      return loop(n, indent);
    case isl_ast_node_user:
      return cells(instance(n), indent);
    default:
      throw Irregular();
    }
  }

  void declare(const std::string &local) {
    for (const Buffer &b : kernel_.buffers)
      if (b.name == local && declared_.insert(local).second)
        locals_ += fmt::format("  {} {}_l[PB_C0 * PB_C1];\n", body::cxxType(b.element), b.name);
  }

  std::string branch(const isl::ast_node &n, const std::string &indent) {
    const BranchNode b = branchNode(n);
    std::string all =
        indent + "if (" + uniform(b.condition) + ") {\n" + node(b.then, indent + "  ") + indent + "}";
    if (b.otherwise)
      all += " else {\n" + node(*b.otherwise, indent + "  ") + indent + "}";
    return all + "\n";
  }

  std::string loop(const isl::ast_node &n, const std::string &indent) {
    const LoopNode l = loopNode(n);
    const std::string begin = uniform(l.begin), condition = uniform(l.condition);
    if (l.isSingle())
      return fmt::format("{0}{{\n{0}  const long {1} = {2};\n{3}{0}}}\n", indent, l.iterator, begin,
                         node(l.body, indent + "  "));
    hasLoop_ = true;
    if (l.isCounting())
      if (const auto chunked = inChunks(l, indent))
        return *chunked;
    return fmt::format("{0}for (long {1} = {2}; {3}; {1} += {4}) {{\n{5}{0}}}\n", indent, l.iterator, begin,
                       condition, text(l.step), node(l.body, indent + "  "));
  }

  /// A statement at a leaf with its dimensions there; `strips`: by access, the text that replaces the read.
  struct Instance : CallNode {
    std::map<int, std::string> strips;
  };

  Instance instance(const isl::ast_node &n) { return {callNode(kernel_, n), {}}; }

  /// Prints the statement for all cells of the item; cells of a matrix that do not exist are not written.
  std::string cells(const Instance &i, const std::string &indent) {
    const kernel::Statement &s = kernel_.statements[static_cast<std::size_t>(i.statement)];
    StatementPrinter printer = statements_[static_cast<std::size_t>(i.statement)];
    printer.replaceReads(i.strips);
    const bool stores =
        kernel_.buffers[static_cast<std::size_t>(s.accesses[static_cast<std::size_t>(s.write)].buffer)]
            .role != Buffer::Role::Local;
    std::string text = indent + "PB_EACH_CELL {\n" + indent + "  PB_CELL\n";
    text += stores ? indent + "  if (inside)\n" : "";
    return text + printer.print(i.dimensions, "cell", indent + (stores ? "    " : "  ")) + indent + "}\n";
  }

  /// Prints a loop over statements that reads strips: in chunks, whose strips are copied before.
  std::optional<std::string> inChunks(const LoopNode &l, const std::string &indent) {
    std::string copies, compute;
    for (const isl::ast_node &leaf : sequence(l.body)) {
      if (isl_ast_node_get_type(leaf.get()) != isl_ast_node_user)
        return std::nullopt;
      Instance one = instance(leaf);
      copies += strips(one, l.iterator, indent + "  ");
      compute += cells(one, indent + "    ");
    }
    if (copies.empty())
      return std::nullopt;
    return fmt::format("{0}for (long {1}_c = {2}; {1}_c < {3}; {1}_c += {4}) {{\n"
                       "{0}  const long {1}_e = pb_minimum({1}_c + {4}, {3});\n"
                       "{0}  PB_BARRIER();\n{5}{0}  PB_BARRIER();\n"
                       "{0}  for (long {1} = {1}_c; {1} < {1}_e; ++{1}) {{\n{6}{0}  }}\n{0}}}\n",
                       indent, l.iterator, text(l.begin), text(l.end), kSteps, copies, compute);
  }

  /// Copies the strips that an instance reads in the loop over `i`, and makes the instance read the copies.
  std::string strips(Instance &one, const std::string &i, const std::string &indent) {
    const kernel::Statement &s = kernel_.statements[static_cast<std::size_t>(one.statement)];
    const auto dimensionOf = [&](const std::string &text) {
      const auto at = std::find_if(one.dimensions.begin(), one.dimensions.end(), [&](const loop::Expr &d) {
        const loop::Name *name = loop::as<loop::Name>(d);
        return name && name->name == text;
      });
      return at == one.dimensions.end() ? -1 : static_cast<int>(at - one.dimensions.begin());
    };
    const int k = dimensionOf(i);
    std::string text;
    for (int a = 0; k >= 0 && a < static_cast<int>(s.accesses.size()); ++a) {
      const kernel::Access &access = s.accesses[static_cast<std::size_t>(a)];
      const Buffer &b = kernel_.buffers[static_cast<std::size_t>(access.buffer)];
      if (access.isWrite || b.role != Buffer::Role::Input || !moves(access, k))
        continue;
      int function = -1, count = 0;
      for (std::size_t f = 0; f < functions_.size(); ++f)
        if (const int d = dimensionOf(functions_[f]); d >= 0 && moves(access, d))
          function = static_cast<int>(f), ++count;
      if (count != 1 || function > 1)
        continue;
      text += strip(one, a, b, i, k, function, indent);
    }
    return text;
  }

  bool moves(const kernel::Access &access, int d) const {
    const auto how = kernel::along(kernel_, access, d);
    return !how || *how != kernel::Along::Nowhere;
  }

  std::string strip(Instance &one, int access, const Buffer &b, const std::string &i, int k, int f,
                    const std::string &indent) {
    const std::string name = fmt::format("strip{}", stripCount_++);
    const std::string number = std::to_string(f), extent = fmt::format("(PB_G{0} * PB_C{0})", number);
    const std::string function = functions_[static_cast<std::size_t>(f)];
    const std::string to = "to" + std::to_string(rounds_ + static_cast<std::size_t>(f));
    out_.arrays +=
        fmt::format("  PB_LOCAL_ARRAY({}, {}, {} * {});\n", body::cxxType(b.element), name, kSteps, extent);
    out_.localBytes += fmt::format("{}{}L * {} * group[{}] * cells[{}]", out_.localBytes.empty() ? "" : " + ",
                                   kernel::bytesOf(b.element), kSteps, number, number);
    const StatementPrinter &printer = statements_[static_cast<std::size_t>(one.statement)];
    one.strips[access] = fmt::format("{}[({} - {}_c) * {} + place{}]", name, i, i, extent, number);
    // Neighbouring items copy contiguous cells.
    const kernel::Statement &statement = kernel_.statements[static_cast<std::size_t>(one.statement)];
    const bool alongSteps = kernel::along(kernel_, statement.accesses[static_cast<std::size_t>(access)], k) ==
                            kernel::Along::Contiguous;
    const std::string step =
        fmt::format("pb__n {} {}", alongSteps ? "%" : "/", alongSteps ? std::to_string(kSteps) : extent);
    const std::string place =
        fmt::format("pb__n {} {}", alongSteps ? "/" : "%", alongSteps ? std::to_string(kSteps) : extent);
    return fmt::format(
        "{0}for (int pb__n = PB_LOCAL_INDEX; pb__n < {1} * {2}; pb__n += PB_G0 * PB_G1 * PB_G2) {{\n"
        "{0}  const int step = {3}, place = {4};\n"
        "{0}  const long {5} = first{6} + place, {7} = {7}_c + step;\n"
        "{0}  if ({5} < {8} && {7} < {7}_e)\n{0}    {9}[step * {2} + place] = *({10});\n{0}}}\n",
        indent, kSteps, extent, step, place, function, number, i, to, name,
        printer.address(access, one.dimensions));
  }

  kernel::Scheduled kernel_;
  Used &used_;
  std::size_t rounds_;
  std::vector<std::string> functions_; // "low1": the item's values
  std::vector<StatementPrinter> statements_;
  std::string locals_;
  std::set<std::string> declared_; // in locals_
  DeviceBlocks out_;
  bool hasLoop_ = false;
  int stripCount_ = 0;
};

} // namespace

std::optional<DeviceBlocks> deviceBlocks(const kernel::Items &items, const isl::ast_node &nest, Used &used) {
  return BlockPrinter(items, used).print(nest);
}

} // namespace pbc::emit
