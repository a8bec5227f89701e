// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/device_groups.h"
#include "compiler/emit/kernel/nodes.h"
#include "compiler/kernel/footprint.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/ast.h>

namespace pbc::emit {

using kernel::Buffer;
using kernel::Operation;
using kernel::Scalar;

namespace {

/// The neutral element of the operation.
std::string neutral(const Operation &o) {
  const bool isReal = o.element == Scalar::F64 || o.element == Scalar::F32;
  const std::string type = body::cxxType(o.element);
  const auto extreme = [&](bool isLeast) -> std::string {
    if (isReal)
      return isLeast ? "-INFINITY" : "INFINITY";
    switch (o.element) {
    case Scalar::I64:
      return isLeast ? "-9223372036854775807L - 1" : "9223372036854775807L";
    case Scalar::I32:
      return isLeast ? "-2147483647 - 1" : "2147483647";
    case Scalar::U8:
      return isLeast ? "0" : "255";
    default:
      return isLeast ? "0" : "1";
    }
  };
  const std::string value = o.symbol == "min"                              ? extreme(false)
                            : o.symbol == "max"                            ? extreme(true)
                            : o.symbol == "*" || o.symbol == "&&"          ? "1"
                            : o.symbol == "&" && o.element == Scalar::Bool ? "1"
                            : o.symbol == "&"                              ? "-1"
                                                                           : "0";
  return fmt::format("({})({})", type, value);
}

/// Both arguments must be names or elements.
std::string folded(const Operation &o, const std::string &a, const std::string &b) {
  if (o.symbol == "min")
    return fmt::format("{1} < {0} ? {1} : {0}", a, b);
  if (o.symbol == "max")
    return fmt::format("{0} < {1} ? {1} : {0}", a, b);
  return fmt::format("({})({} {} {})", body::cxxType(o.element), a, o.symbol, b);
}

class GroupPrinter {
public:
  GroupPrinter(const kernel::Items &items, const kernel::Cooperation &cooperation, Used &used)
      : kernel_(items.item), how_(cooperation), used_(used) {
    for (std::size_t k = items.inRounds() ? 1 : 0; k < kernel_.schedule.taskDimensions.size(); ++k)
      functions_.push_back("low" + std::to_string(k));
    for (std::size_t s = 0; s < kernel_.statements.size(); ++s)
      statements_.emplace_back(kernel_, static_cast<int>(s), used);
  }

  std::optional<DeviceGroups> print(const isl::ast_node &nest) {
    out_.statements = node(nest, "  ");
    if (!count_)
      return std::nullopt;
    // Steps of a cell can be divided into parts if only one loop, which is always reached, needs what all
    // parts have.
    if (count_ == 1 && isWide_)
      out_.values = how_.scan ? 1 : static_cast<int>(how_.loops.front().accumulators.size());
    std::string locals;
    for (const std::string &local : locals_)
      for (const Buffer &b : kernel_.buffers)
        if (b.name == local)
          locals += fmt::format("  {} {}_l;\n", body::cxxType(b.element), local);
    out_.statements = locals + out_.statements + (opened_ ? "  }\n" : "");
    return out_;
  }

private:
  std::string text(const loop::Expr &e) { return deviceText(e, used_); }
  CallNode leaf(const isl::ast_node &n) { return callNode(kernel_, n); }

  bool isUniform(const loop::Expr &e) const {
    return std::none_of(functions_.begin(), functions_.end(),
                        [&](const std::string &f) { return loop::mentions(e, f); });
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
        locals_.insert(*local);
      return node(belowMark(n), indent);
    }
    case isl_ast_node_if:
      return branch(n, indent);
    case isl_ast_node_for:
      return loop(n, indent);
    case isl_ast_node_user:
      return statement(leaf(n), indent);
    default:
      return "";
    }
  }

  /// Inside, barriers are allowed only if all items of the group go there.
  std::string inside(bool isUniformHere, const isl::ast_node &n, const std::string &indent) {
    ++depth_;
    diverging_ += !isUniformHere;
    const std::string text = node(n, indent);
    diverging_ -= !isUniformHere;
    --depth_;
    return text;
  }

  std::string branch(const isl::ast_node &n, const std::string &indent) {
    const BranchNode b = branchNode(n);
    const bool same = isUniform(b.condition);
    std::string all =
        indent + "if (" + text(b.condition) + ") {\n" + inside(same, b.then, indent + "  ") + indent + "}";
    if (b.otherwise)
      all += " else {\n" + inside(same, *b.otherwise, indent + "  ") + indent + "}";
    return all + "\n";
  }

  std::vector<CallNode> leaves(const isl::ast_node &n) {
    struct Gather {
      GroupPrinter &self;
      std::vector<CallNode> all;
    } gather{*this, {}};
    isl_ast_node_foreach_descendant_top_down(
        n.get(),
        [](isl_ast_node *one, void *user) {
          auto &g = *static_cast<Gather *>(user);
          if (isl_ast_node_get_type(one) == isl_ast_node_user)
            g.all.push_back(g.self.leaf(isl::manage_copy(one)));
          return isl_bool_true;
        },
        &gather);
    return gather.all;
  }

  std::string loop(const isl::ast_node &n, const std::string &indent) {
    const LoopNode l = loopNode(n);
    if (l.isSingle())
      return fmt::format("{0}{{\n{0}  const long {1} = {2};\n{3}{0}}}\n", indent, l.iterator, text(l.begin),
                         differing(!isUniform(l.begin), l, indent));
    const std::vector<CallNode> all = leaves(l.body);
    if (shared_) {
      if (!isDealt_ && runsOver(l, all, shared_->dealt))
        return dealt(l, indent);
    } else if (!diverging_ && how_.scan) {
      if (auto text = scan(l, all, indent))
        return *text;
    } else if (!diverging_) {
      for (const kernel::SharedLoop &s : how_.loops)
        if (runsOver(l, all, s.outer) && std::all_of(all.begin(), all.end(), [&](const CallNode &k) {
              return std::binary_search(s.statements.begin(), s.statements.end(), k.statement);
            }))
          return shared(s, n, indent);
    }
    return plain(l, text(l.begin), text(l.step), indent);
  }

  /// The body of a loop whose iterator may differ between items that reach the same barriers.
  std::string differing(bool differs, const LoopNode &l, const std::string &indent) {
    if (differs)
      functions_.push_back(l.iterator);
    std::string text = inside(true, l.body, indent + "  ");
    if (differs)
      functions_.pop_back();
    return text;
  }

  std::string plain(const LoopNode &l, const std::string &begin, const std::string &step,
                    const std::string &indent) {
    return fmt::format("{0}for (long {1} = {2}; {3}; {1} += {4}) {{\n{5}{0}}}\n", indent, l.iterator, begin,
                       text(l.condition), step,
                       inside(isUniform(l.begin) && isUniform(l.condition), l.body, indent + "  "));
  }

  /// Whether the loop is the one over that dimension of all these statements.
  static bool runsOver(const LoopNode &l, const std::vector<CallNode> &all, int dimension) {
    return !all.empty() && std::all_of(all.begin(), all.end(), [&](const CallNode &k) {
      if (dimension >= static_cast<int>(k.dimensions.size()))
        return false;
      const auto own = k.dimensions.begin() + dimension;
      const auto names = [&](const loop::Expr &d) { return loop::mentions(d, l.iterator); };
      return names(*own) && std::none_of(k.dimensions.begin(), own, names);
    });
  }

  /// Only the first item writes matrices; in a loop whose steps are not dealt to items yet, it executes
  /// everything.
  std::string statement(const CallNode &l, const std::string &indent) {
    const kernel::Statement &s = kernel_.statements[static_cast<std::size_t>(l.statement)];
    const bool stores = bufferOf(s).role != Buffer::Role::Local;
    isWide_ &= !stores || !how_.scan;
    std::string condition;
    if (stores)
      condition = "inside && lane == 0";
    else if (shared_ && !isDealt_)
      condition = "lane == 0 && part == 0";
    const std::string text = statements_[static_cast<std::size_t>(l.statement)].print(
        l.dimensions, "0", indent + (condition.empty() ? "" : "  "));
    return condition.empty() ? text : fmt::format("{}if ({})\n{}", indent, condition, text);
  }

  const Buffer &bufferOf(const kernel::Statement &s) const {
    return kernel_.buffers[static_cast<std::size_t>(s.accesses[static_cast<std::size_t>(s.write)].buffer)];
  }

  /// Declares an array with an element for each item.
  std::string array(Scalar element) {
    const std::string name = "team" + std::to_string(arrays_++);
    out_.arrays +=
        fmt::format("  PB_LOCAL_ARRAY({}, {}, PB_G0 * PB_G1 * PB_G2);\n", body::cxxType(element), name);
    out_.localBytes += fmt::format("{}{}L * group[0] * group[1] * group[2]",
                                   out_.localBytes.empty() ? "" : " + ", kernel::bytesOf(element));
    return name;
  }

  /// The place of a part's value `k` as an lvalue.
  static std::string scratch(Scalar element, std::size_t k, const std::string &part) {
    const std::string at = k ? fmt::format("({} * cells + number) * parts + {}", k, part)
                             : fmt::format("number * parts + {}", part);
    if (element == Scalar::F64 || element == Scalar::F32)
      return fmt::format("*(PB_GLOBAL {} *)(scratch + ({}))", body::cxxType(element), at);
    return fmt::format("scratch[{}]", at);
  }

  // ---- reductions

  std::string shared(const kernel::SharedLoop &s, const isl::ast_node &n, const std::string &indent) {
    const bool isTop = depth_ == 0 && how_.loops.size() == 1;
    ++count_;
    isWide_ &= isTop;
    const std::string first = isTop ? "lane > 0 || part > 0 || pass == 2" : "lane > 0";
    std::string text, parts, store;
    std::size_t k = 0;
    for (const auto &[local, operation] : s.accumulators) {
      const std::string name = kernel_.buffers[static_cast<std::size_t>(local)].name + "_l";
      text += fmt::format("{0}if ({1})\n{0}  {2} = {3};\n", indent, first, name, neutral(operation));
      const std::string value = scratch(operation.element, k, "p");
      parts += fmt::format(
          "{0}  for (long p = lane; p < parts; p += team) {{\n{0}    const {1} other = {2};\n{0}    "
          "{3} = {4};\n{0}  }}\n",
          indent, body::cxxType(operation.element), value, name, folded(operation, name, "other"));
      store += fmt::format("{}  {} = {};\n", indent, scratch(operation.element, k, "part"), name);
      ++k;
    }
    shared_ = &s;
    const std::string steps = loop(n, indent + (isTop ? "  " : ""));
    shared_ = nullptr;
    text += isTop ? fmt::format("{0}if (pass == 2) {{\n{1}{0}}} else {{\n{2}{0}}}\n", indent, parts, steps)
                  : steps;
    text += tree(s, indent);
    if (isTop && !opened_) {
      opened_ = true;
      text += fmt::format("{0}if (pass == 1 && inside && lane == 0) {{\n{1}{0}}}\n{0}if (pass != 1) {{\n",
                          indent, store);
    }
    return text;
  }

  std::string dealt(const LoopNode &l, const std::string &indent) {
    isDealt_ = true;
    const std::string step = l.hasUnitStep() ? "" : this->text(l.step) + " * ";
    const std::string text = plain(l, fmt::format("{} + {}(part * team + lane)", this->text(l.begin), step),
                                   fmt::format("{}(here * team)", step), indent);
    isDealt_ = false;
    return text;
  }

  /// Folds the upper half of the team onto the lower one, again and again; then all items have the result.
  std::string tree(const kernel::SharedLoop &s, const std::string &indent) {
    std::string put, fold, get;
    for (const auto &[local, operation] : s.accumulators) {
      const std::string name = kernel_.buffers[static_cast<std::size_t>(local)].name + "_l",
                        a = array(operation.element);
      put += fmt::format("{}{}[slot] = {};\n", indent, a, name);
      const std::string own = a + "[slot]", other = a + "[slot + half * apart]";
      fold += fmt::format("{}      {} = {};\n", indent, own, folded(operation, own, other));
      get += fmt::format("{}{} = {}[slot - lane * apart];\n", indent, name, a);
    }
    return put +
           fmt::format(
               "{0}for (int width = team; width > 1;) {{\n{0}  const int half = (width + 1) / 2;\n"
               "{0}  PB_BARRIER();\n{0}  if (lane + half < width) {{\n{1}{0}  }}\n{0}  width = half;\n{0}}}\n"
               "{0}PB_BARRIER();\n{2}",
               indent, fold, get) +
           (depth_ ? indent + "PB_BARRIER();\n" : "");
  }

  // ---- scans

  std::optional<std::string> scan(const LoopNode &l, const std::vector<CallNode> &all,
                                  const std::string &indent) {
    const kernel::Scan &s = *how_.scan;
    const auto at =
        std::find_if(all.begin(), all.end(), [&](const CallNode &k) { return k.statement == s.statement; });
    if (at == all.end() || !runsOver(l, {*at}, s.dimension) || !l.isCounting() || !isUniform(l.begin) ||
        !isUniform(l.end) || !isReached(l.body, s.statement))
      return std::nullopt;
    ++count_;
    isWide_ &= depth_ == 0;
    const Operation &o = s.operation;
    const std::string type = body::cxxType(o.element), none = neutral(o), a = array(o.element),
                      i = l.iterator;
    const std::string total = scratch(o.element, 0, "part"), other = scratch(o.element, 0, i);
    StatementPrinter &printer = statements_[static_cast<std::size_t>(s.statement)];
    const std::string in = indent + "  ", deep = in + "  ", deeper = deep + "  ";
    const std::string body = scanned(l.body, deeper + "  ", none);
    std::string text = indent + "{\n";
    text += in + fmt::format("const long first = {}, last = {};\n", this->text(l.begin), this->text(l.end));
    text += in + "long from = first, upto = last;\n";
    text += in + "if (parts > 1 && pass != 2) {\n" + deep +
            "const long length = ((pb_maximum(last - first, 0) + parts - 1) / parts + team - 1) / team * "
            "team;\n" +
            deep + "from = pb_minimum(first + part * length, last);\n" + deep +
            "upto = pb_minimum(from + length, last);\n" + in + "}\n";
    text += in + "if (pass == 2) {\n" + deep + "from = 0;\n" + deep + "upto = parts;\n" + in + "}\n";
    text += in + fmt::format("{} carry = {};\n", type, none);
    text += in + fmt::format("if (pass == 3)\n{}carry = {};\n", deep, total);
    text += in + "for (long base = from; base < upto; base += team) {\n";
    text += deep + fmt::format("const long {} = base + lane;\n{}{} value = {};\n", i, deep, type, none);
    text +=
        deep +
        fmt::format("if ({} < upto) {{\n{}if (pass == 2) {{\n{}  value = {};\n{}}} else {{\n{}{}}}\n{}}}\n",
                    i, deeper, deeper, other, deeper, body, deeper, deep);
    text += deep + a + "[slot] = value;\n";
    text += deep + "for (int reach = 1; reach < team; reach *= 2) {\n" + deeper + "PB_BARRIER();\n" + deeper +
            fmt::format("const {} before = {}[lane < reach ? slot : slot - reach * apart];\n", type, a) +
            deeper + "PB_BARRIER();\n" + deeper + "if (lane >= reach)\n" + deeper +
            fmt::format("  value = {};\n", folded(o, "before", "value")) + deeper + a + "[slot] = value;\n" +
            deep + "}\n";
    text += deep + "PB_BARRIER();\n";
    text += deep + fmt::format("if (pass == 2 && lane > 0)\n{}value = {}[slot - apart];\n", deeper, a);
    text += deep + fmt::format("if (pass == 2 && lane == 0)\n{}value = {};\n", deeper, none);
    text += deep + fmt::format("const {} sum = {};\n", type, folded(o, "carry", "value"));
    text +=
        deep + fmt::format(
                   "if (inside && {} < upto) {{\n{}if (pass == 2)\n{}  {} = sum;\n{}else if (pass != 1)\n{}  "
                   "{} = sum;\n{}}}\n",
                   i, deeper, deeper, other, deeper, deeper, *printer.written(at->dimensions), deep);
    text += deep + fmt::format("const {} whole = {}[slot + (team - 1 - lane) * apart];\n", type, a);
    text += deep + fmt::format("carry = {};\n", folded(o, "carry", "whole"));
    text += deep + "PB_BARRIER();\n" + in + "}\n";
    text += in + fmt::format("if (pass == 1 && inside && lane == 0)\n{}{} = carry;\n", deep, total);
    return text + indent + "}\n";
  }

  /// Whether every step runs the statement, exactly once.
  bool isReached(const isl::ast_node &n, int statement) {
    switch (isl_ast_node_get_type(n.get())) {
    case isl_ast_node_block: {
      const std::vector<isl::ast_node> all = sequence(n);
      return std::any_of(all.begin(), all.end(),
                         [&](const isl::ast_node &one) { return isReached(one, statement); });
    }
    case isl_ast_node_mark:
      return isReached(belowMark(n), statement);
    case isl_ast_node_user:
      return leaf(n).statement == statement;
    default:
      return false;
    }
  }

  /// The body of one step, in which the scan's statement assigns to `value` instead of writing its cell.
  std::string scanned(const isl::ast_node &n, const std::string &indent, const std::string &none) {
    switch (isl_ast_node_get_type(n.get())) {
    case isl_ast_node_block: {
      std::string all;
      for (const isl::ast_node &child : sequence(n))
        all += scanned(child, indent, none);
      return all;
    }
    case isl_ast_node_mark: {
      if (const auto local = declaredLocal(n))
        locals_.insert(*local);
      return scanned(belowMark(n), indent, none);
    }
    case isl_ast_node_user: {
      const CallNode l = leaf(n);
      const kernel::Scan &s = *how_.scan;
      if (l.statement != s.statement)
        break;
      StatementPrinter printer = statements_[static_cast<std::size_t>(l.statement)];
      const std::string cell = printer.address(*s.previous.begin(), l.dimensions);
      std::map<int, std::string> reads;
      for (const int a : s.previous)
        reads.emplace(a, "previous");
      printer.replaceReads(reads);
      const std::string type = body::cxxType(s.operation.element);
      return fmt::format(
          "{0}{1} previous = {2};\n{0}if (base + lane == first)\n{0}  previous = *({3});\n{0}value = "
          "{4};\n",
          indent, type, none, cell, printer.value(l.dimensions));
    }
    default:
      break;
    }
    ++diverging_; // lanes beyond the end do not come here
    std::string text = node(n, indent);
    --diverging_;
    return text;
  }

  const kernel::Scheduled &kernel_;
  const kernel::Cooperation &how_;
  Used &used_;
  std::vector<std::string> functions_; // "low1": the functions that differ between the teams of a group
  std::vector<StatementPrinter> statements_;
  std::set<std::string> locals_;
  DeviceGroups out_;
  const kernel::SharedLoop *shared_ = nullptr; // inside of which we are
  bool isDealt_ = false, isWide_ = true, opened_ = false;
  int depth_ = 0;     // number of enclosing loops and conditions
  int diverging_ = 0; // of these, how many differ between items
  int count_ = 0, arrays_ = 0;
};

} // namespace

std::optional<DeviceGroups> deviceGroups(const kernel::Items &items, const kernel::Cooperation &cooperation,
                                         const isl::ast_node &nest, Used &used) {
  return GroupPrinter(items, cooperation, used).print(nest);
}

} // namespace pbc::emit
