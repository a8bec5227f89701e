// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/textual/tree_lines.h"
#include "compiler/kernel/items.h"
#include <algorithm>

namespace pbc::kernel::textual {
namespace {

constexpr int kDeepestLine = 100;

class LineReader {
public:
  explicit LineReader(Reader &reader) : r_(reader) {}

  std::optional<Line> below(int indentation, int depth) {
    if (r_.nextIndentation() <= indentation)
      return std::nullopt;
    Line line = next(depth, false);
    if (r_.nextIndentation() > indentation) {
      r_.nextLine();
      r_.fail(r_.here(), "this line cannot stand below the same node as the one before it",
              "what runs one after the other are the parts of a `sequence`: a line with the names of the "
              "statements, and below it "
              "what they do");
    }
    return line;
  }

private:
  Line next(int depth, bool isPart) {
    r_.nextLine();
    if (depth > kDeepestLine)
      r_.fail(r_.here(), "the tree is deeper than " + std::to_string(kDeepestLine) + " lines");
    const int indentation = r_.indentation();
    const std::uint32_t begin = r_.position();
    Line line = isPart ? part() : node();
    r_.expectEnd();
    line.span = r_.since(begin);
    if (line.kind == Line::Kind::Sequence || line.kind == Line::Kind::Set)
      line.below = parts(indentation, depth);
    else if (std::optional<Line> inner = below(indentation, depth + 1))
      line.below.push_back(std::move(*inner));
    return line;
  }

  std::vector<Line> parts(int indentation, int depth) {
    std::vector<Line> all;
    int column = -1;
    while (r_.nextIndentation() > indentation) {
      if (column >= 0 && r_.nextIndentation() != column) {
        r_.nextLine();
        r_.fail(r_.here(), "the parts of a sequence or set begin in the same column");
      }
      column = r_.nextIndentation();
      all.push_back(next(depth + 1, true));
    }
    return all;
  }

  Line node() {
    Line line;
    if (r_.accept("sequence")) {
      line.kind = Line::Kind::Sequence;
    } else if (r_.accept("set")) {
      line.kind = Line::Kind::Set;
    } else if (r_.accept("band")) {
      do
        line.members.push_back(member());
      while (r_.accept(","));
      for (const MemberText &m : line.members)
        if (m.label && line.members.size() > 1)
          r_.fail(m.label->span, "a band of several members has no label",
                  "write one band below the other: `band yt = y`, `band xt = x`");
    } else {
      line.kind = Line::Kind::Mark;
      line.mark = mark();
    }
    return line;
  }

  Line part() {
    Line line;
    line.kind = Line::Kind::Part;
    if (r_.startsWith("{"))
      line.instances = r_.bracketed("a set of instances");
    else
      line.statements = names("the name of a statement");
    return line;
  }

  std::vector<Fragment> names(const std::string &what) {
    std::vector<Fragment> all;
    do {
      const std::uint32_t begin = r_.position();
      const std::string name = r_.word(what);
      all.push_back({name, r_.since(begin)});
    } while (r_.accept(","));
    return all;
  }

  MemberText member() {
    MemberText m;
    const std::uint32_t begin = r_.position();
    if (r_.startsWithWordAnd("=")) {
      const std::string name = r_.word("a label");
      m.label = Fragment{name, r_.since(begin)};
      r_.expect("=", "");
    }
    if (r_.startsWith("{")) {
      m.function = r_.bracketed("functions");
      m.isParallel = r_.accept("parallel");
    } else if (isGroup()) {
      r_.expect("(", "");
      do {
        MemberText::Own own;
        own.statements = names("the name of a statement");
        r_.expect(":", "`:` and a function of the dimensions");
        own.function = r_.raw(";)", "a function of the dimensions");
        m.own.push_back(std::move(own));
      } while (r_.accept(";"));
      r_.expect(")", "`;` or `)`");
      m.isParallel = r_.accept("parallel");
    } else {
      m.function = r_.raw(",", "a function of the dimensions, such as `x`");
      constexpr std::string_view kParallel = " parallel";
      if (m.function.text.ends_with(kParallel)) {
        m.function.text.resize(m.function.text.size() - kParallel.size());
        m.function.span.end -= static_cast<std::uint32_t>(kParallel.size());
        m.isParallel = true;
      }
    }
    m.span = r_.since(begin);
    return m;
  }

  /// Whether "(S0: x; S1: k)" stands here, not "(x + 1) / 2".
  bool isGroup() {
    const std::string_view line = r_.restOfLine();
    return line.starts_with("(") && line.find(':') < line.find(')');
  }

  Mark mark() {
    const std::uint32_t begin = r_.position();
    const std::string what =
        r_.word("a node of the tree: band, sequence, set, alloc, or how the loop below runs");
    const auto number = [&](long least, long most) {
      return r_.integer("the number behind `" + what + ":`", least, most);
    };
    if (what == "alloc") {
      r_.expect(":", "`:` and the name of a local buffer");
      return Declare{r_.word("the name of a local buffer")};
    }
    constexpr long kMost = 1 << 20;
    if (what == "scalar")
      return Realisation(as::Scalar{});
    if (what == "rolled")
      return Realisation(as::Rolled{});
    if (what == "unroll")
      return Realisation(as::Unroll{});
    if (what == "registers")
      return Realisation(as::Registers{});
    if (what == "vector") {
      as::Vector vector;
      if (r_.accept(":"))
        vector.interleave = static_cast<int>(number(1, kMost));
      if (r_.accept("of"))
        vector.width = number(1, kMost);
      if (r_.accept("streaming")) {
        vector.streaming.always = !r_.accept("if");
        if (!vector.streaming.always)
          r_.expect("large", "`large`");
        r_.expect(":", "`:` and a number of rows");
        vector.streaming.rows = number(1, kMost);
        vector.streaming.isStaggered = r_.accept("staggered");
      }
      return Realisation(vector);
    }
    using Each = as::Item::Each;
    if (what == "item" || what == "block" || what == "run" || what == "turn") {
      r_.expect(":", "`:` and an axis");
      const Each each = what == "item"    ? Each::Point
                        : what == "block" ? Each::Block
                        : what == "run"   ? Each::Run
                                          : Each::Turn;
      return Realisation(as::Item{static_cast<int>(number(0, kMostFunctions - 1)), each});
    }
    using Of = as::Item::Of;
    for (const auto &[word, of] : {std::pair("tile", Of::Tile), std::pair("summand", Of::Round),
                                   std::pair("cell", Of::Cell), std::pair("neighbour", Of::Neighbour)})
      if (what == word) {
        r_.expect(":", "`:` and the number of a function");
        return Realisation(as::Item{static_cast<int>(number(0, kMostFunctions - 1)), Each::Point, of});
      }
    if (what == "team") {
      if (!r_.accept(":"))
        return Realisation(as::Team{});
      const bool folds = r_.word("folds or deals") == "folds";
      return Realisation(as::Team{folds, !folds});
    }
    if (what == "rounds")
      return Realisation(as::Rounds{});
    if (what == "jam" || what == "lanes") {
      r_.expect(":", "`:` and a number");
      const long count = number(1, kMost);
      return what == "jam" ? Realisation(as::Jam{static_cast<int>(count)}) : Realisation(as::Lanes{count});
    }
    r_.fail(r_.since(begin), "`" + what + "` is no node of a schedule's tree",
            "the nodes are band, sequence, set, alloc:NAME, scalar, unroll, registers, vector, vector:N, "
            "vector of N, jam:N, lanes:N, item:N, block:N, run:N, turn:N, tile:N, summand:N, rounds, "
            "cell:N, neighbour:N, team");
  }

  Reader &r_;
};

} // namespace

std::optional<Line> readLines(Reader &reader, int indentation) {
  return LineReader(reader).below(indentation, 0);
}

} // namespace pbc::kernel::textual
