// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/tile_text.h"
#include "compiler/emit/kernel/nodes.h"
#include "compiler/kernel/along.h"
#include "compiler/poly/expression.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/ast.h>
#include <map>

namespace pbc::emit {

using kernel::Buffer;

namespace {

/// A loop that counts up in steps of one.
struct Loop {
  std::string iterator, begin, end;
  isl::ast_node body;
};

class TilePrinter {
public:
  TilePrinter(const kernel::Scheduled &kernel, const std::string &name, const Place &place, Used &outer)
      : kernel_(kernel), tile_(*kernel.schedule.registerTile), name_(name), place_(place), outer_(outer) {
    for (std::size_t s = 0; s < kernel.statements.size(); ++s)
      statements_.emplace_back(kernel, static_cast<int>(s), true, false, used_);
  }

  std::optional<TileText> print(const isl::ast_node &node) {
    const auto y = loop(node);
    if (!y)
      return std::nullopt;
    y_ = y->iterator;
    const auto x = loop(y->body);
    if (!x)
      return std::nullopt;
    x_ = x->iterator;
    isl::ast_node body = x->body;
    std::string locals;
    while (isl_ast_node_get_type(body.get()) == isl_ast_node_mark) {
      if (const auto local = declaredLocal(body))
        locals += declaration(*local);
      body = belowMark(body);
    }
    const std::vector<isl::ast_node> parts = sequence(body);
    if (!findLoops(parts) && (tile_.moves || tile_.behind || needsPanels()))
      return std::nullopt;
    std::string cells = loops_.empty() ? "" : deep(parts);
    for (std::size_t k = 0; loops_.empty() && k < parts.size(); ++k)
      cells += print(parts[k], "    ");
    if (!isRegular_)
      return std::nullopt;
    return TileText{type(*x, locals + cells), call(*y)};
  }

private:
  static ExpressionText textFor(Used &used) {
    return [&used](const isl::ast_expr &e) {
      return poly::cxx(e, [&](const std::string &name) { return emittedName(name, used); });
    };
  }

  std::optional<Loop> loop(const isl::ast_node &node) {
    if (isl_ast_node_get_type(node.get()) != isl_ast_node_for)
      return std::nullopt;
    // The limits of the first loop are in the call.
    LoopNode l = loopNode(node, textFor(y_.empty() ? outer_ : used_));
    if (l.isSingle())
      return Loop{l.iterator, l.begin, l.begin + " + 1", l.body};
    if (!l.isCounting())
      return std::nullopt;
    return Loop{l.iterator, l.begin, l.end, l.body};
  }

  std::string declaration(const std::string &local) const {
    for (const Buffer &b : kernel_.buffers)
      if (b.name == local)
        return fmt::format("    pb::Vector<{}, W> {}_l[R][V];\n", body::cxxType(b.element), b.name);
    return "";
  }

  /// Whether the body consists of statements and loops over statements, as the kernel says; fills `loops_`,
  /// by part.
  bool findLoops(const std::vector<isl::ast_node> &parts) {
    if (!tile_.isDeep || tile_.panels.empty())
      return false;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      if (isl_ast_node_get_type(parts[k].get()) == isl_ast_node_user)
        continue;
      auto l = loop(parts[k]);
      const auto isStatement = [](const isl::ast_node &n) {
        return isl_ast_node_get_type(n.get()) == isl_ast_node_user;
      };
      const std::vector<isl::ast_node> inner = l ? sequence(l->body) : std::vector<isl::ast_node>{};
      if (!l || !std::all_of(inner.begin(), inner.end(), isStatement)) {
        loops_.clear();
        return false;
      }
      loops_.emplace(k, std::move(*l));
    }
    return !loops_.empty();
  }

  /// Whether some read can be loaded as vectors only after copying.
  bool needsPanels() const {
    for (const kernel::RegisterTile::Panel &p : tile_.panels)
      if (p.alongX && along(p, tile_.x) == kernel::Along::Strided)
        return true;
    return false;
  }

  kernel::Along along(const kernel::RegisterTile::Panel &p, int d) const {
    return *kernel::along(kernel_, access(p), d);
  }
  const kernel::Access &access(const kernel::RegisterTile::Panel &p) const {
    return kernel_.statements[p.statement].accesses[p.access];
  }

  std::string deep(const std::vector<isl::ast_node> &parts) {
    std::string text;
    for (std::size_t k = 0; k < parts.size(); ++k) {
      const auto l = loops_.find(k);
      if (l == loops_.end()) {
        text += print(parts[k], "    ");
        continue;
      }
      if (resumed() >= 0)
        text = "    if (pb__isFirst) {\n" + text + "    } else {\n" + each("      ", resume(parts.back())) +
               "    }\n";
      current_ = &l->second;
      if (resumed() >= 0)
        text += steps("    ", "pb__k0", "pb__k1");
      else if (!tile_.moves && !tile_.behind)
        text += steps("    ", l->second.begin, l->second.end);
      else
        text +=
            jointly(std::to_string(k), std::vector(parts.begin() + static_cast<long>(k) + 1, parts.end()));
      current_ = nullptr;
      if (tile_.behind)
        return text; // the rest was printed row by row
    }
    return text;
  }

  /// The current loop from `begin` to `end`.
  std::string steps(const std::string &indent, const std::string &begin, const std::string &end) {
    std::string text = fmt::format("{0}PB_TILE_LOOP for (long {1} = {2}; {1} < {3}; ++{1}) {{\n", indent,
                                   current_->iterator, begin, end);
    for (const isl::ast_node &part : sequence(current_->body))
      text += print(part, indent + "  ");
    return text + indent + "}\n";
  }

  /// The current loop, if its bounds depend on the row: the steps before and after those that all rows of the
  /// block share are executed row by row. If rows wait for each other, so is the code after the loop.
  std::string jointly(const std::string &number, const std::vector<isl::ast_node> &rest) {
    const std::string lo = "pb__lo" + number, hi = "pb__hi" + number;
    std::string text = fmt::format(
        "    long {0} = pb__k0, {1} = pb__k1;\n    for (int r = 0; r < R; ++r) {{\n      [[maybe_unused]] "
        "const long {2} "
        "= pb__y + r;\n      {0} = pb::maximum({0}, {3});\n      {1} = pb::minimum({1}, {4});\n    }}\n",
        lo, hi, y_, current_->begin, current_->end);
    if (tile_.behind)
      text += fmt::format("    {0} = pb::minimum({0}, pb__y + {1});\n", hi, *tile_.behind);
    text += fmt::format("    {1} = pb::maximum({0}, {1});\n", lo, hi);
    const auto movesWithY = [&](const std::string &bound) { return bound.find(y_) != std::string::npos; };
    const std::string row =
        fmt::format("    PB_TILE_EACH(r, R) {{\n      [[maybe_unused]] const long {} = pb__y + r;\n", y_);
    perRow_ = true;
    if (movesWithY(current_->begin))
      text += row + steps("      ", current_->begin, fmt::format("pb::minimum({}, {})", lo, current_->end)) +
              "    }\n";
    perRow_ = false;
    text += steps("    ", lo, hi);
    perRow_ = true;
    if (movesWithY(current_->end) || tile_.behind) {
      text += row + steps("      ", hi, current_->end);
      if (tile_.behind) {
        current_ = nullptr;
        for (const isl::ast_node &part : rest)
          text += print(part, "      ");
      }
      text += "    }\n";
    }
    perRow_ = false;
    return text;
  }

  /// The output's cell has the value that the Local had when the loop was left.
  std::string resume(const isl::ast_node &store) {
    const auto [s, dimensions] = callNode(kernel_, store, textFor(used_));
    return fmt::format(
        "        {}_l[r][v] = pb::load<W, isPart>({}, pb__n - v * W);\n", kernel_.buffers[tile_.resumed].name,
        statements_[static_cast<std::size_t>(s)].address(kernel_.statements[s].write, dimensions));
  }

  /// `body` for each vector of the block, or of the row.
  std::string each(const std::string &indent, const std::string &body) const {
    return fmt::format(
        "{0}{3}PB_TILE_EACH(v, V) {{\n{0}  [[maybe_unused]] const long {4}{1} = pb__x + v * W;\n{2}{0}}}\n",
        indent, x_, body, perRow_ ? "" : "PB_TILE_EACH(r, R) ", perRow_ ? "" : y_ + " = pb__y + r, ");
  }

  std::string print(const isl::ast_node &node, const std::string &indent) {
    switch (isl_ast_node_get_type(node.get())) {
    case isl_ast_node_user:
      return statement(node, indent);
    case isl_ast_node_for: {
      const auto l = loop(node);
      if (!l) {
        isRegular_ = false;
        return "";
      }
      std::string text = fmt::format("{0}PB_TILE_LOOP for (long {1} = {2}; {1} < {3}; ++{1}) {{\n", indent,
                                     l->iterator, l->begin, l->end);
      for (const isl::ast_node &part : sequence(l->body))
        text += print(part, indent + "  ");
      return text + indent + "}\n";
    }
    case isl_ast_node_block: {
      std::string text;
      for (const isl::ast_node &part : sequence(node))
        text += print(part, indent);
      return text;
    }
    default:
      isRegular_ = false;
      return "";
    }
  }

  std::string statement(const isl::ast_node &node, const std::string &indent) {
    const auto [s, dimensions] = callNode(kernel_, node, textFor(used_));
    // The dimensions x and y must be those loops' iterators, and no other dimension may depend on them.
    isRegular_ &= dimensions[tile_.x] == x_ && dimensions[tile_.y] == y_;
    places_[s] = dimensions;
    std::vector<std::string> panels(kernel_.statements[s].accesses.size());
    for (std::size_t p = 0; current_ && p < tile_.panels.size(); ++p) {
      if (tile_.panels[p].statement != s || (perRow_ && isOutput(tile_.panels[p])))
        continue; // what this block writes is in no panel yet
      const std::string at = fmt::format("pb__panels[{}].at", p),
                        step = fmt::format("({} - pb__k0) * pb__panels[{}].step", current_->iterator, p);
      panels[tile_.panels[p].access] =
          tile_.panels[p].alongX
              ? fmt::format("pb::load<W, isPart>({} + {} + v * W, pb__n - v * W)", at, step)
              : fmt::format("{}[r * pb__panels[{}].row + {}]", at, p, step);
    }
    return each(indent, statements_[s].printBlock(dimensions, panels, indent + "  "));
  }

  /// If a point may overwrite what it reads, its result is stored only at the end.
  int resumed() const { return place_.mayShareViews ? -1 : tile_.resumed; }

  bool isOutput(const kernel::RegisterTile::Panel &p) const {
    return kernel_.buffers[access(p).buffer].role == Buffer::Role::Output;
  }

  /// The members that the runtime needs if the loop over k can be cut and its operands copied.
  std::string depthMembers() {
    std::string alongX, isOutput, cases;
    for (std::size_t p = 0; p < tile_.panels.size(); ++p) {
      const auto &panel = tile_.panels[p];
      const kernel::Statement &s = kernel_.statements[panel.statement];
      alongX += std::string(p ? ", " : "") + (panel.alongX ? "true" : "false");
      isOutput += std::string(p ? ", " : "") + (this->isOutput(panel) ? "true" : "false");
      std::vector<std::string> place = places_.at(panel.statement);
      place[tile_.x] = "pb__x", place[tile_.y] = "pb__y", place[s.freeCount] = "pb__k";
      cases += fmt::format("    case {}:\n      return {{{}, {}, {}}};\n", p,
                           statements_[panel.statement].address(panel.access, place),
                           distance(panel, panel.alongX ? tile_.x : tile_.y), distance(panel, s.freeCount));
    }
    std::string begin, end;
    for (const auto &[part, l] : loops_) {
      begin = begin.empty() ? l.begin : fmt::format("pb::minimum({}, {})", begin, l.begin);
      end = end.empty() ? l.end : fmt::format("pb::maximum({}, {})", end, l.end);
    }
    return fmt::format(
        "  [[maybe_unused]] static constexpr bool kAlongX[] = {{{0}}}, kIsOutput[] = "
        "{{{5}}}, kMoves = {6}, kStrided = {9};\n"
        "  [[maybe_unused]] static constexpr long kBehind = {7};\n"
        "  [[gnu::always_inline]] long depthBegin([[maybe_unused]] long {8}) const {{\n{1}    return {2};\n  "
        "}}\n"
        "  [[gnu::always_inline]] long depthEnd([[maybe_unused]] long {8}) const {{\n{1}    return {3};\n  "
        "}}\n"
        "  [[gnu::always_inline]] pb::Panel<Cell> panel(int pb__p, [[maybe_unused]] long pb__y, "
        "[[maybe_unused]] long pb__x, [[maybe_unused]] long pb__k) const {{\n{1}"
        "    switch (pb__p) {{\n{4}    }}\n    __builtin_unreachable();\n  }}\n",
        alongX, kDefinitions, begin, end, cases, isOutput, tile_.moves || tile_.behind || loops_.size() > 1,
        tile_.behind.value_or(0), y_, needsPanels());
  }

  /// The distance in elements between neighbouring cells along dimension `d`.
  std::string distance(const kernel::RegisterTile::Panel &p, int d) {
    std::string sum;
    const Buffer &b = kernel_.buffers[access(p).buffer];
    for (int c = 0; c < b.rank; ++c) {
      const long n = kernel::coefficient(access(p), c, d);
      if (!n)
        continue;
      sum += (sum.empty() ? "" : " + ") + std::to_string(n);
      if (c == 0)
        continue;
      used_.strides.insert({access(p).buffer, c});
      sum += fmt::format(" * {}_s{}", b.name, c);
    }
    return sum.empty() ? "0" : sum;
  }

  std::string type(const Loop &x, const std::string &cells) {
    const std::string depth = loops_.empty() ? "" : depthMembers();
    std::string members;
    for (const int b : used_.buffers) {
      const Buffer &buffer = kernel_.buffers[b];
      members += fmt::format("  {}{} *{}_p;\n", buffer.role == Buffer::Role::Input ? "const " : "",
                             body::cxxType(buffer.element), buffer.name);
    }
    for (const std::string &outer : place_.iterators)
      members += fmt::format("  long {};\n", outer);
    const bool isBox = x.begin.find(y_) == std::string::npos && x.end.find(y_) == std::string::npos;
    std::string text =
        fmt::format("namespace {{\nstruct {} {{\n  using Cell = {};\n  static constexpr int kScalars = {}, "
                    "kPanels = {};\n"
                    "  [[maybe_unused]] static constexpr bool kResumes = {}, kIsBox = {}, kInPlace = {};\n  "
                    "const {} &f;\n  "
                    "const long *low, *high;\n{}",
                    name_, body::cxxType(tile_.element), std::max(1, tile_.scalars),
                    loops_.empty() ? 0 : tile_.panels.size(), !loops_.empty() && resumed() >= 0, isBox,
                    place_.mayShareViews, place_.frameType, members);
    const kernel::RegisterShape &shape = tile_.shape;
    for (const auto &[member, value] : {std::pair<const char *, long>("kAskedRows", shape.rows),
                                        {"kAskedVectors", shape.vectors},
                                        {"kAskedDepth", shape.depth},
                                        {"kAskedColumns", shape.columns}})
      if (value)
        text += fmt::format("  static constexpr long {} = {};\n", member, value);
    for (const auto &[member, value] : {std::pair("begin", x.begin), std::pair("end", x.end)})
      text += fmt::format(
          "  [[gnu::always_inline]] long {}([[maybe_unused]] long {}) const {{\n{}    return {};\n  }}\n",
          member, y_, kDefinitions, value);
    text += depth;
    const std::string parameters =
        loops_.empty() ? ""
                       : ", [[maybe_unused]] const long pb__k0, [[maybe_unused]] const long pb__k1, "
                         "[[maybe_unused]] const bool pb__isFirst, const pb::Panel<Cell> *pb__panels";
    text += fmt::format(
        "  template <int R, int V, int W, bool isPart>\n  [[gnu::noinline]] void cells(const long "
        "pb__y, const long pb__x, [[maybe_unused]] const long pb__n{}) const {{\n{}{}  }}\n}};\n"
        "}} // namespace\n",
        parameters, kDefinitions, cells);
    // Only now it is known which names the members use.
    const std::string known = definitions(kernel_, true, used_);
    for (std::size_t at; (at = text.find(kDefinitions)) != std::string::npos;)
      text.replace(at, kDefinitions.size(), known);
    return text;
  }

  std::string call(const Loop &y) {
    std::string arguments;
    for (const int b : used_.buffers) {
      arguments += ", " + kernel_.buffers[b].name + "_p";
      outer_.buffers.insert(b);
    }
    for (const std::string &outer : place_.iterators)
      arguments += ", " + outer;
    return fmt::format("pb::runTiles({}{{f, low, high{}}}, {}, {});\n", name_, arguments, y.begin, y.end);
  }

  static inline const std::string kDefinitions = "    //definitions\n";

  const kernel::Scheduled &kernel_;
  const kernel::RegisterTile &tile_;
  const std::string &name_;
  const Place &place_;
  Used &outer_; // of the function that calls
  Used used_;   // of the struct's members
  std::vector<StatementPrinter> statements_;
  std::string y_, x_;
  std::map<std::size_t, Loop> loops_;              // of a deep nest, by their position in the body
  const Loop *current_ = nullptr;                  // the one being printed
  std::map<int, std::vector<std::string>> places_; // dimensions of the statements that were printed
  bool perRow_ = false;                            // r is given
  bool isRegular_ = true;
};

} // namespace

std::optional<TileText> tileText(const kernel::Scheduled &kernel, const isl::ast_node &rows,
                                 const std::string &name, const Place &place, Used &used) {
  return TilePrinter(kernel, name, place, used).print(rows);
}

} // namespace pbc::emit
