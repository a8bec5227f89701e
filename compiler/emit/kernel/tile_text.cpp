// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/kernel/tile_text.h"
#include "compiler/loop/walk.h"
#include <algorithm>
#include <fmt/format.h>
#include <map>

namespace pbc::emit {
namespace {

using Block = loop::BlockOfPoints;

/// The count of a loop that is written out: "R".
const loop::Name *countOf(const loop::For &f) {
  const auto *condition = loop::as<loop::Arithmetic>(f.condition);
  return condition ? loop::as<loop::Name>(condition->operands[1]) : nullptr;
}

class TilePrinter : public CPrinter {
public:
  TilePrinter(const Block &block, const std::string &name, const std::vector<loop::Matrix> &buffers,
              const Place &place, const Dialect &dialect, const std::set<int> &anyStride)
      : CPrinter(buffers, dialect, true, own_), block_(block), name_(name), place_(place) {
    own_.anyStride = anyStride;
  }

  TileText print() {
    // The names that the members use are known only when all of them are printed.
    const std::string cells = text(block_.cells, "    ");
    const std::string begin = text(block_.xBegin), end = text(block_.xEnd);
    const std::string distances = block_.depth ? texts(block_.depth->strips) : "",
                      factors = block_.depth ? folded(block_.depth->strips) : "";
    const std::string depthBegin = block_.depth ? text(block_.depth->begin) : "",
                      depthEnd = block_.depth ? text(block_.depth->end) : "",
                      change = block_.depth && block_.depth->change ? text(block_.depth->change) : "",
                      behind = block_.depth && block_.depth->behind ? text(block_.depth->behind) : "0";
    known_ = definitions(buffers_, place_, used_);
    std::string type = head();
    for (const auto &[member, value] : {std::pair("begin", &begin), std::pair("end", &end)})
      type += function("long", member, fmt::format("[[maybe_unused]] long {}", block_.y),
                       fmt::format("    return {};\n", *value));
    if (block_.depth)
      type += depth(depthBegin, depthEnd, behind, change, distances) + folding(factors);
    return {type + body(cells), used_.buffers, given()};
  }

private:
  /// Loops over rows and vectors are written out, all others stay as they are.
  void node(const loop::For &f, const std::string &indent) override {
    if (f.hint.unrolling == loop::Hint::Unrolling::Fully) {
      out_ += indent;
      const loop::For *each = &f;
      for (;; each = loop::as<loop::For>(each->body)) {
        out_ += fmt::format("PB_TILE_EACH({}, {}) ", each->iterator, countOf(*each)->name);
        const auto *inner = loop::as<loop::For>(each->body);
        if (!inner || inner->hint.unrolling != loop::Hint::Unrolling::Fully)
          break;
      }
      out_ += "{\n";
      CPrinter::print(each->body, indent + "  ");
      out_ += indent + "}\n";
      return;
    }
    const bool isRow = f.iterator == Block::kRow;
    out_ += fmt::format("{}{}for (", indent, isRow ? "" : "PB_TILE_LOOP ");
    if (f.begin) {
      out_ += fmt::format("{} {} = ", isRow ? "int" : "long", f.iterator);
      put(f.begin);
    }
    out_ += "; ";
    put(f.condition);
    if (!f.step || loop::isInteger(f.step, 1))
      out_ += "; ++" + f.iterator;
    else
      out_ += fmt::format("; {} += {}", f.iterator, text(f.step));
    out_ += ") {\n";
    CPrinter::print(f.body, indent + "  ");
    out_ += indent + "}\n";
  }

  /// Whether it is a vector of points, and not one number for all of them.
  bool isVector(const loop::Expr &e) const {
    struct Vectors : loop::Visitor {
      const Block &block;
      bool found = false;
      explicit Vectors(const Block &block) : block(block) {}
      void expr(const loop::Expr &e) override {
        const auto *local = loop::as<loop::Local>(e);
        const auto *strip = loop::as<loop::StripValue>(e);
        found |= (local && !local->indices.empty()) || loop::as<loop::CellVector>(e) ||
                 loop::as<loop::Spread>(e) ||
                 (strip && block.depth->strips[static_cast<std::size_t>(strip->strip)].isAlongX);
        if (!found)
          loop::Visitor::expr(e);
      }
    } vectors(block_);
    vectors.expr(e);
    return vectors.found;
  }

  /// "pb::byLane<Cell, W>([](auto a, auto b) { return VALUE; }, OPERANDS)": for functions that vectors do not have.
  void putByLane(const std::vector<loop::Expr> &operands, const std::string &value) {
    std::string parameters;
    for (std::size_t k = 0; k < operands.size(); ++k)
      parameters += fmt::format("{}auto pb__{}", k ? ", " : "", laneName(k));
    out_ += fmt::format("pb::byLane<Cell, W>([]({}) {{ return {}; }}", parameters, value);
    for (const loop::Expr &operand : operands) {
      out_ += ", ";
      put(operand);
    }
    out_ += ')';
  }
  /// The function of block_vectors.h; null: there is none.
  static const char *ofVectors(const std::string &name) {
    static const std::map<std::string_view, const char *> kAll{
        {"fabs", "absolute"},  {"fmin", "lesser"},  {"fmax", "greater"},  {"sqrt", "root"},
        {"fabsf", "absolute"}, {"fminf", "lesser"}, {"fmaxf", "greater"}, {"sqrtf", "root"}};
    const auto found = kAll.find(name);
    return found == kAll.end() ? nullptr : found->second;
  }
  static char laneName(std::size_t k) { return static_cast<char>('a' + k); }

  void putKind(const loop::Operation &o) override {
    if (o.op != loop::Operation::Op::Choose || !isVector(loop::make({o})))
      return CPrinter::putKind(o);
    putCall("pb::choose<Cell, W>", o.operands);
  }

  void putCall(const std::string &function, const std::vector<loop::Expr> &operands) {
    for (std::size_t k = 0; k < operands.size(); ++k) {
      out_ += k ? ", " : function + "(";
      put(operands[k]);
    }
    out_ += ')';
  }

  void putKind(const loop::Function &f) override {
    if (!isVector(loop::make({f})))
      return CPrinter::putKind(f);
    if (const char *vectors = ofVectors(f.name))
      return putCall(fmt::format("pb::{}<Cell, W>", vectors), f.operands);
    std::string arguments;
    for (std::size_t k = 0; k < f.operands.size(); ++k)
      arguments += fmt::format("{}pb__{}", k ? ", " : "", laneName(k));
    putByLane(f.operands, dialect_.function(f) + "(" + arguments + ")");
  }

  void putKind(const loop::StripValue &s) override {
    const std::string step = fmt::format("({} - pb__k0) * pb__panels[{}].step", text(s.step), s.strip);
    out_ +=
        block_.depth->strips[static_cast<std::size_t>(s.strip)].isAlongX
            ? fmt::format("pb::load<W, isPart>(pb__panels[{}].at + {} + v * W, pb__n - v * W)", s.strip, step)
            : fmt::format("pb__panels[{0}].at[r * pb__panels[{0}].row + {1}]", s.strip, step);
  }

  /// Its members: pointers to cells first, then numbers.
  std::vector<std::string> given() const {
    std::vector<std::string> all;
    for (const std::set<int> *buffers : {&used_.buffers, &used_.own})
      for (const int b : *buffers)
        all.push_back(matrix(b).name + "_p");
    for (std::string &number : numbers())
      all.push_back(std::move(number));
    return all;
  }

  std::vector<std::string> numbers() const {
    std::vector<std::string> all;
    for (const int b : used_.own)
      for (int d = 1; d < matrix(b).rank; ++d)
        all.push_back(loop::strideName(matrix(b).name, static_cast<std::size_t>(d)));
    all.insert(all.end(), block_.around.begin(), block_.around.end());
    return all;
  }

  std::string function(const std::string &result, const std::string &name, const std::string &parameters,
                       const std::string &statements) const {
    return fmt::format("  [[gnu::always_inline]] {} {}({}) const {{\n{}{}  }}\n", result, name, parameters,
                       known_, statements);
  }

  std::string head() const {
    std::string members;
    for (const std::set<int> *buffers : {&used_.buffers, &used_.own})
      for (const int b : *buffers)
        members += fmt::format("  {}{} *{}_p;\n", matrix(b).isInput ? "const " : "",
                               dialect_.type(matrix(b).element), matrix(b).name);
    for (const std::string &number : numbers())
      members += fmt::format("  long {};\n", number);
    const bool isBox = !loop::mentions(block_.xBegin, block_.y) && !loop::mentions(block_.xEnd, block_.y);
    std::string text =
        fmt::format("namespace {{\nstruct {} {{\n  using Cell = {};\n  static constexpr int kScalars = {}, "
                    "kPanels = {};\n"
                    "  [[maybe_unused]] static constexpr bool kResumes = {}, kIsBox = {}, kInPlace = {};\n  "
                    "const {} &f;\n"
                    "  const long *low, *high;\n{}",
                    name_, dialect_.type(block_.element), std::max(1, block_.scalars),
                    block_.depth ? block_.depth->operands : 0, block_.depth && block_.depth->isResumed, isBox,
                    place_.mayShareViews, place_.frameType, members);
    const Block::Size &size = block_.size;
    for (const auto &[member, value] :
         {std::pair("kAskedRows", size.rows), std::pair("kAskedVectors", size.vectors),
          std::pair("kAskedDepth", size.depth), std::pair("kAskedColumns", size.columns)})
      if (value)
        text += fmt::format("  static constexpr long {} = {};\n", member, value);
    return text;
  }

  /// The cases of `panel`: where each strip begins, and how far its cells are apart.
  std::string texts(const std::vector<Block::Strip> &strips) {
    std::string cases;
    for (std::size_t p = 0; p < strips.size(); ++p) {
      const int buffer = loop::as<loop::Element>(strips[p].first)->buffer;
      cases += fmt::format("    case {}:\n      return {{{}, {}, {}}};\n", p, address(strips[p].first),
                           distance(strips[p].across, buffer), distance(strips[p].step, buffer));
    }
    return cases;
  }

  /// The cases of `folded`.
  std::string folded(const std::vector<Block::Strip> &strips) {
    std::string cases;
    for (std::size_t p = 0; p < strips.size(); ++p)
      if (strips[p].folded)
        cases += fmt::format("    case {}:\n      return {};\n", p, text(strips[p].folded));
    return cases;
  }

  /// The members for operands of which a block reads something else than the cells.
  std::string folding(const std::string &cases) const {
    if (cases.empty())
      return "";
    std::string folds;
    for (const Block::Strip &s : block_.depth->strips)
      folds += std::string(folds.empty() ? "" : ", ") + (s.folded ? "true" : "false");
    return fmt::format("  static constexpr bool kFolds[] = {{{}}};\n", folds) +
           function("Cell", "folded",
                    fmt::format("int pb__p, [[maybe_unused]] long {}, [[maybe_unused]] long {}, Cell {}",
                                block_.y, Block::kK, Block::kCell),
                    fmt::format("    switch (pb__p) {{\n{}    }}\n    __builtin_unreachable();\n", cases));
  }

  /// The members that the runtime needs if the loop over k can be cut and its operands copied.
  std::string depth(const std::string &begin, const std::string &end, const std::string &behind,
                    const std::string &change, const std::string &cases) const {
    std::string alongX, isOutput, isKept, then;
    for (const Block::Strip &s : block_.depth->strips) {
      alongX += std::string(alongX.empty() ? "" : ", ") + (s.isAlongX ? "true" : "false");
      isOutput += std::string(isOutput.empty() ? "" : ", ") + (s.isOutput ? "true" : "false");
      isKept += std::string(isKept.empty() ? "" : ", ") + (s.isKept ? "true" : "false");
      then += (then.empty() ? "" : ", ") + std::to_string(s.then);
    }
    const std::string row = fmt::format("[[maybe_unused]] long {}", block_.y);
    return fmt::format(
               "  [[maybe_unused]] static constexpr bool kAlongX[] = {{{}}}, kIsOutput[] = {{{}}}, "
               "kKept[] = {{{}}}, kMoves = {}, kWaits = {};\n  static constexpr int kThen[] = {{{}}};\n",
               alongX, isOutput, isKept, block_.depth->isUneven, block_.depth->behind != nullptr, then) +
           (change.empty() ? "" : function("long", "change", row, fmt::format("    return {};\n", change))) +
           function("long", "behind", "", fmt::format("    return {};\n", behind)) +
           function("long", "depthBegin", row, fmt::format("    return {};\n", begin)) +
           function("long", "depthEnd", row, fmt::format("    return {};\n", end)) +
           function("pb::Panel<Cell>", "panel",
                    "int pb__p, [[maybe_unused]] long pb__y, [[maybe_unused]] long pb__x, [[maybe_unused]] "
                    "long pb__k",
                    fmt::format("    switch (pb__p) {{\n{}    }}\n    __builtin_unreachable();\n", cases));
  }

  std::string body(const std::string &cells) const {
    const std::string parameters =
        block_.depth ? ", [[maybe_unused]] const long pb__k0, [[maybe_unused]] const long pb__k1, "
                       "[[maybe_unused]] const bool pb__isFirst, [[maybe_unused]] const bool pb__isLast, "
                       "[[maybe_unused]] Cell *const pb__kept, const pb::Panel<Cell> *pb__panels"
                     : "";
    return fmt::format(
        "  template <int R, int V, int W, bool isPart>\n  [[gnu::noinline]] void cells(const long "
        "pb__y, const long pb__x, [[maybe_unused]] const long pb__n{}) const {{\n{}{}  }}\n}};\n"
        "}} // namespace\n",
        parameters, known_, cells);
  }

  const Block &block_;
  const std::string &name_;
  const Place &place_;
  Used own_; // names that the struct's members use
  std::string known_;
};

} // namespace

TileText tileText(const Block &block, const std::string &name, const std::vector<loop::Matrix> &buffers,
                  const Place &place, const Dialect &dialect, const std::set<int> &anyStride) {
  return TilePrinter(block, name, buffers, place, dialect, anyStride).print();
}

} // namespace pbc::emit
