// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/textual/read_statement.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/textual/expressions.h"
#include "compiler/kernel/textual/functions.h"
#include "compiler/kernel/textual/types.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/set.h>
#include <set>

namespace pbc::kernel::textual {
namespace {

class StatementReader {
public:
  StatementReader(Reader &reader, const Fragments &fragments, Kernel &kernel)
      : r_(reader), f_(fragments), kernel_(kernel) {}

  void read() {
    const int indentation = r_.indentation();
    const std::uint32_t begin = r_.position();
    s_.name = r_.word("the name of a statement");
    for (const Statement &other : kernel_.statements)
      if (other.name == s_.name)
        r_.fail(r_.since(begin), "two statements are called " + s_.name);
    dimensions();
    s_.rule = r_.accept("of")
                  ? (r_.expect("rule", ""), static_cast<int>(r_.integer("the number of a rule", -1)))
                  : 0;
    r_.expect(":", "`:` and what the statement does");
    const source::Span head = r_.since(begin);
    ExpressionReader expressions(r_, f_, kernel_, s_);
    if (r_.accept("call"))
      call(expressions);
    else if (r_.accept("fill"))
      fill();
    else
      assign(expressions);
    r_.expectEnd();
    if (r_.nextIndentation() <= indentation || !r_.nextBeginsWith("{"))
      r_.fail(head, "expected the instances of " + s_.name + " in the next line, further to the right",
              "such as `{ " + s_.name + "[" + poly::join(s_.dimensions) + "] : ... }`");
    r_.nextLine();
    s_.domain = f_.domain(r_.bracketed("instances"), s_);
    r_.expectEnd();
    if (r_.nextIndentation() > indentation && r_.nextBeginsWith("line"))
      line();
    else
      s_.origin.line = r_.lineOf(head); // the text is the source
    kernel_.statements.push_back(std::move(s_));
  }

private:
  void dimensions() {
    r_.expect("[", "`[` and the statement's dimensions");
    bool hasLoops = false;
    while (!r_.startsWith("]")) {
      if (!hasLoops && r_.accept(";")) {
        hasLoops = true;
        s_.freeCount = static_cast<int>(s_.dimensions.size());
        continue;
      }
      const std::uint32_t begin = r_.position();
      const std::string name = r_.word("the name of a dimension");
      if (std::count(s_.dimensions.begin(), s_.dimensions.end(), name) ||
          std::count(kernel_.parameters.begin(), kernel_.parameters.end(), name))
        r_.fail(r_.since(begin), "another dimension or parameter is called " + name);
      s_.dimensions.push_back(name);
      if (!r_.accept(",") && !r_.startsWith(";"))
        break;
    }
    r_.expect("]", "`,` or `]`");
    if (!hasLoops)
      s_.freeCount = static_cast<int>(s_.dimensions.size());
  }

  /// "line 12 of mm.pbcc", "line 12, rule Cells, of mm.pbcc"
  void line() {
    r_.nextLine();
    r_.expect("line", "");
    s_.origin.line.number = static_cast<unsigned>(r_.integer("the number of a line", 1));
    if (r_.accept(",")) {
      r_.expect("rule", "`rule` and its name");
      s_.origin.rule = r_.word("the name of a rule");
      r_.expect(",", "`,` behind the name of a rule");
    }
    r_.expect("of", "`of` and the name of a file");
    s_.origin.line.path = r_.toEnd("the name of a file");
  }

  /// The element that is written stands first, but its access comes last.
  void assign(ExpressionReader &expressions) {
    expressions.element(true);
    for (const char *op : {"+", "-", "*", "/"})
      if (r_.accept(std::string(op) + "="))
        s_.op = op;
    if (s_.op.empty())
      r_.expect("=", "`=`, `+=`, `-=`, `*=` or `/=`");
    Access written = s_.accesses.front();
    s_.accesses.clear();
    s_.value = expressions.expression();
    s_.write = static_cast<int>(s_.accesses.size());
    s_.accesses.push_back(std::move(written));
  }

  /// "fill A_group from A[it, pb__first1]"
  void fill() {
    const std::uint32_t begin = r_.position();
    GroupCopy copy;
    copy.to = buffer();
    r_.expect("from", "`from` and the first cell that is copied");
    copy.from = buffer();
    const Buffer &memory = kernel_.buffers[static_cast<std::size_t>(copy.to)];
    const Buffer &matrix = kernel_.buffers[static_cast<std::size_t>(copy.from)];
    if (!isFilled(memory) || matrix.rank != memory.rank)
      r_.fail(r_.since(begin), memory.name + " is no memory of groups or items for " + matrix.name);
    std::vector<isl::pw_aff> cells;
    r_.expect("[", "`[` and the first cell that is copied");
    for (int d = 0; d < matrix.rank; ++d) {
      if (d)
        r_.expect(",", "`,` and the next coordinate");
      cells.push_back(f_.function(r_.raw(",]", "a function of the dimensions"), s_));
    }
    r_.expect("]", "`]`");
    if (memory.role == Buffer::Role::Item && r_.accept("through")) {
      const std::uint32_t at = r_.position();
      copy.through = buffer();
      const Buffer &through = kernel_.buffers[static_cast<std::size_t>(copy.through)];
      if (through.role != Buffer::Role::Group || through.rank != memory.rank)
        r_.fail(r_.since(at), through.name + " is no memory of groups for " + matrix.name);
    }
    if (memory.role == Buffer::Role::Item && r_.accept(",")) {
      r_.expect("within", "`within`");
      copy.isWithin = true;
    }
    if (memory.role == Buffer::Role::Group && memory.rank == 2 && r_.accept(",")) {
      r_.expect("symmetric", "`symmetric` and the half that is stored");
      const bool isLower = r_.accept("lower");
      if (!isLower)
        r_.expect("upper", "`lower` or `upper`, the half that is stored");
      copy.stored = isLower ? Half::Lower : Half::Upper;
    }
    for (const GroupDimension &d : memory.ofGroup)
      copy.first.push_back(cells[static_cast<std::size_t>(d.dimension)]);
    const auto access = [&](int number, bool isWrite) {
      const Buffer &b = kernel_.buffers[static_cast<std::size_t>(number)];
      const isl::set all =
          f_.domain({"{ " + s_.name + "[" + poly::join(s_.dimensions) + "] }", r_.here()}, s_);
      isl_space *space = isl_space_add_dims(isl_space_from_domain(isl_set_get_space(all.get())), isl_dim_out,
                                            static_cast<unsigned>(b.rank));
      space = isl_space_set_tuple_name(space, isl_dim_out, b.name.c_str());
      s_.accesses.push_back({number, isWrite, isl::manage(isl_map_universe(space))});
    };
    access(copy.to, true);
    access(copy.from, false);
    s_.write = 0;
    s_.copy = std::move(copy);
  }

  void call(ExpressionReader &expressions) {
    s_.isOpaque = true;
    s_.function = r_.word("the name of a function");
    r_.expect("(", "");
    while (!r_.startsWith(")")) {
      argument(expressions);
      if (!r_.accept(","))
        break;
    }
    r_.expect(")", "`,` or `)`");
    if (r_.accept("with"))
      do {
        s_.ownInputs.push_back(buffer());
        const Buffer &b = kernel_.buffers[static_cast<std::size_t>(s_.ownInputs.back())];
        s_.accesses.push_back({s_.ownInputs.back(), false, f_.element({"", r_.here()}, s_, b)});
      } while (r_.accept(","));
  }

  int buffer() {
    const std::uint32_t begin = r_.position();
    const std::string name = r_.word("the name of a buffer");
    const auto at = std::find_if(kernel_.buffers.begin(), kernel_.buffers.end(),
                                 [&](const Buffer &b) { return b.name == name; });
    if (at == kernel_.buffers.end())
      r_.fail(r_.since(begin), "there is no buffer `" + name + "`");
    return static_cast<int>(at - kernel_.buffers.begin());
  }

  void argument(ExpressionReader &expressions) {
    OpaqueArgument a;
    a.isOutput = r_.accept("out");
    const bool isCell = r_.accept("cell"), isView = r_.accept("view");
    const std::uint32_t from = r_.position();
    a.buffer = buffer();
    const Buffer &b = kernel_.buffers[static_cast<std::size_t>(a.buffer)];
    box(a, b);
    a.isCell = isCell || (!isView && a.viewDims.empty());
    if (r_.accept("keeps")) {
      r_.expect("(", "");
      a.viewDims.clear();
      while (!r_.startsWith(")")) {
        a.viewDims.push_back(static_cast<int>(r_.integer("the number of a dimension", 0, b.rank - 1)));
        if (!r_.accept(","))
          break;
      }
      r_.expect(")", "`,` or `)`");
    }
    if (r_.accept("if")) {
      const std::size_t accesses = s_.accesses.size();
      a.inside = expressions.operand();
      r_.expect("else", "`else` and the value where there is no element");
      a.otherwise = expressions.operand();
      if (s_.accesses.size() != accesses)
        r_.fail(r_.since(from), "conditions of arguments read no elements");
    }
    isl::map relation = textual::box(a.begin, a.end);
    if (r_.accept("touches"))
      relation = f_.relation(r_.bracketed("a relation"), s_);
    s_.accesses.push_back({a.buffer, a.isOutput, relation});
    s_.arguments.push_back(std::move(a));
  }

  /// "[0 : w, y]": the dimensions that are ranges are kept.
  void box(OpaqueArgument &a, const Buffer &b) {
    const isl::set all = f_.domain({"{ " + s_.name + "[" + poly::join(s_.dimensions) + "] }", r_.here()}, s_);
    isl_space *cells = isl_space_add_dims(isl_space_from_domain(isl_set_get_space(all.get())), isl_dim_out,
                                          static_cast<unsigned>(b.rank));
    const isl::space space = isl::manage(isl_space_set_tuple_name(cells, isl_dim_out, b.name.c_str()));
    isl_ctx *ctx = isl_set_get_ctx(all.get());
    isl::pw_aff_list begin = isl::manage(isl_pw_aff_list_alloc(ctx, b.rank)), end = begin;
    r_.expect("[", "`[` and the elements of the argument");
    for (int d = 0; d < b.rank; ++d) {
      if (d)
        r_.expect(",", "`,` and dimension " + std::to_string(d) + " of " + b.name + ", which has " +
                           std::to_string(b.rank));
      const isl::pw_aff low = f_.function(r_.raw(":,]", "a function of the dimensions"), s_);
      begin = begin.add(low);
      if (r_.accept(":")) {
        end = end.add(f_.function(r_.raw(",]", "the end of the range"), s_));
        a.viewDims.push_back(d);
      } else {
        end = end.add(isl::manage(isl_pw_aff_add_constant_val(low.copy(), isl_val_one(ctx))));
      }
    }
    r_.expect("]", "`]`: " + b.name + " has " + std::to_string(b.rank) + " dimensions");
    a.begin = isl::manage(isl_multi_pw_aff_from_pw_aff_list(space.copy(), begin.release()));
    a.end = isl::manage(isl_multi_pw_aff_from_pw_aff_list(space.copy(), end.release()));
  }

  Reader &r_;
  const Fragments &f_;
  Kernel &kernel_;
  Statement s_;
};

} // namespace

void readStatement(Reader &reader, const Fragments &fragments, Kernel &kernel) {
  StatementReader(reader, fragments, kernel).read();
}

namespace {

Buffer::Role role(Reader &r) {
  constexpr std::pair<const char *, Buffer::Role> kRoles[] = {
      {"input", Buffer::Role::Input},     {"output", Buffer::Role::Output}, {"local", Buffer::Role::Local},
      {"scratch", Buffer::Role::Scratch}, {"group", Buffer::Role::Group},   {"item", Buffer::Role::Item}};
  for (const auto &[word, role] : kRoles)
    if (r.accept(word))
      return role;
  r.failExpected("`input`, `output`, `local`, `scratch`, `group` or `item`");
}

/// "16", "(2 + n)", or isl's text in braces
isl::pw_aff extent(Reader &r, const Fragments &fragments, const Kernel &kernel) {
  const std::string what = "the number of cells along a dimension, such as `16` or `(2 + n)`";
  if (r.startsWith("(") || r.startsWith("{"))
    return fragments.ofParameters(r.bracketed(what));
  return constantExtent(kernel.context.ctx(), r.integer(what, 1));
}

constexpr long kMostCellsOfPoint = 1L << 30;

/// "3" or "1 + 2 * r": the cells of one point.
void readCells(Reader &r, const Kernel &kernel, const Buffer &b, GroupDimension &d) {
  const std::uint32_t begin = r.position();
  d.extent = r.integer("a number of cells", -kMostCellsOfPoint, kMostCellsOfPoint);
  long most = d.extent;
  while (r.accept("+")) {
    SizeTerm term;
    term.factor = r.integer("so many cells for each unit of a size, such as `2 * r`", 1, kMostCellsOfPoint);
    r.expect("*", "`*` and a size, such as `2 * r`");
    const std::uint32_t at = r.position();
    term.size = r.word("a size");
    if (b.role != Buffer::Role::Group)
      r.fail(r.since(at), "how many cells an item keeps does not depend on sizes");
    if (isl_set_find_dim_by_name(kernel.context.get(), isl_dim_param, term.size.c_str()) < 0)
      r.fail(r.since(at), term.size + " is no size of the kernel");
    if (!d.sizes.empty() && d.sizes.back().size >= term.size)
      r.fail(r.since(at), "sizes come once each, in the order of their names");
    most += term.factor;
    d.sizes.push_back(std::move(term));
  }
  if (most < 1)
    r.fail(r.since(begin), "a point reads one cell at least");
}

/// "1: 16" or "0: (1 * (block 0 - 1) + 3)"
GroupDimension groupDimension(Reader &r, const Kernel &kernel, const Buffer &b) {
  GroupDimension d;
  d.dimension = static_cast<int>(r.integer("the number of a dimension of the matrix", 0, b.rank - 1));
  r.expect(":", "`:` and the number of cells along the dimension");
  if (!r.accept("(")) {
    readCells(r, kernel, b, d);
    return d;
  }
  d.factor = r.integer("the cells from one point of a group to the next", 1);
  r.expect("*", "`*`, as in `(1 * (block 0 - 1) + 3)`");
  r.expect("(", "`(block` or `(item`");
  d.isBlock = r.accept("block");
  if (!d.isBlock)
    r.expect("item", "`block` or `item`");
  d.axis = static_cast<int>(r.integer("an axis", 0, 2));
  r.expect("-", "`- 1`"), r.expect("1", "`- 1`"), r.expect(")", "`)`"), r.expect("+", "`+`");
  readCells(r, kernel, b, d);
  r.expect(")", "`)`");
  return d;
}

} // namespace

void readBuffer(Reader &r, const Fragments &fragments, Kernel &kernel) {
  Buffer b;
  std::uint32_t begin = r.position();
  b.name = r.word("the name of a buffer");
  for (const Buffer &other : kernel.buffers)
    if (other.name == b.name)
      r.fail(r.since(begin), "two buffers are called " + b.name);
  begin = r.position();
  const std::optional<Scalar> element = typeNamed(r.word("the type of the elements"));
  if (!element)
    r.fail(r.since(begin), "expected a type: double, float, int, long, byte or bool");
  b.element = *element;
  b.rank = static_cast<int>(r.integer("the number of dimensions, such as `2-d`", 0, 64));
  r.expect("-d", "`-d`, as in `2-d`");
  b.role = role(r);
  if (isMatrix(b))
    b.matrix = static_cast<int>(std::count_if(kernel.buffers.begin(), kernel.buffers.end(), isMatrix));
  if (b.role == Buffer::Role::Scratch) {
    r.expect("of", "`of` and the number of cells along each dimension, such as `of 16 x 34`");
    do
      b.extents.push_back(extent(r, fragments, kernel));
    while (r.accept("x"));
    if (static_cast<int>(b.extents.size()) > b.rank)
      r.fail(r.since(begin), b.name + " has " + std::to_string(b.rank) + " dimensions");
  }
  if (isFilled(b)) {
    r.expect("of",
             "`of` and what it holds of each dimension, such as `of 0: 16 x 1: (1 * (item 1 - 1) + 1)`");
    do
      b.ofGroup.push_back(groupDimension(r, kernel, b));
    while (r.accept("x"));
    std::set<int> dimensions;
    for (const GroupDimension &d : b.ofGroup)
      dimensions.insert(d.dimension);
    if (static_cast<int>(dimensions.size()) != b.rank || static_cast<int>(b.ofGroup.size()) != b.rank)
      r.fail(r.since(begin), b.name + " has not each of its " + std::to_string(b.rank) + " dimensions once");
  }
  while (r.accept(",")) {
    if (b.role == Buffer::Role::Group && r.accept("pad")) {
      b.pad = r.integer("the number of cells that are added to each row", 0, 256);
    } else if (const std::uint32_t parts = r.position(); b.role == Buffer::Role::Group && r.accept("parts")) {
      b.parts = r.integer("the number of parts of each row", 2, 64);
      r.expect("gap", "`gap` and the number of cells behind each part, such as `parts 2 gap 7`");
      b.gap = r.integer("the number of cells behind each part", 0, 256);
      if (const GroupDimension &row = b.ofGroup.front();
          row.factor % b.parts != 0 || row.extent % b.parts != 0 || !row.sizes.empty())
        r.fail(r.since(parts), "rows of " + b.name + " do not consist of " + std::to_string(b.parts) +
                                   " parts as long as each other");
    } else if (b.role == Buffer::Role::Group && r.accept("buffers")) {
      b.buffers = static_cast<int>(r.integer("the number of its buffers, from 1 to 64", 1, 64));
    } else if (r.accept("called")) {
      b.called = r.word("the buffer's name in the program");
    } else if (isMatrix(b) && r.accept("matrix")) {
      b.matrix = static_cast<int>(r.integer("the number of a matrix", -1));
    } else if (b.role == Buffer::Role::Scratch && r.accept("in")) {
      r.expect("registers", "`in registers`");
      b.inRegisters = true;
    } else if (b.role == Buffer::Role::Output && r.accept("private")) {
      b.isPrivate = true;
    } else {
      b.lanes =
          r.integer("what else is known of the buffer: `called sum`, `32 lanes`, `private` or `matrix 1`", 1);
      r.expect("lanes", "");
    }
  }
  r.expectEnd();
  kernel.buffers.push_back(std::move(b));
}

} // namespace pbc::kernel::textual
