// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/print.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/loops.h"
#include "compiler/kernel/textual/functions.h"
#include "compiler/kernel/textual/print_tree.h"
#include "compiler/kernel/textual/types.h"
#include "compiler/kernel/tree.h"
#include "compiler/poly/names.h"
#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <isl/aff.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <utility>

namespace pbc::kernel {
namespace {

using textual::functionText;
using textual::typeName;

/// Whether a reader would take the name for what it is: a name of a size or a tunable, and no dimension.
bool isPlainName(const Statement &s, const std::string &name) {
  const auto isPart = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
  };
  return std::all_of(name.begin(), name.end(), isPart) && !textual::typeNamed(name) &&
         !std::count(s.dimensions.begin(), s.dimensions.end(), name) && name != "true" && name != "false";
}

std::string element(const Statement &s, const Access &a) {
  return textual::elementText(a.relation, s.dimensions);
}

std::string value(const Kernel &kernel, const Statement &s, const Expr &e);

/// The expression as an operand: in parentheses, if it is not one already.
std::string operand(const Kernel &kernel, const Statement &s, const Expr &e) {
  const std::string text = value(kernel, s, e);
  const bool isWhole =
      e.kind != Expr::Kind::Binary && e.kind != Expr::Kind::Select && e.kind != Expr::Kind::Unary;
  return isWhole || e.type != textual::usualType(kernel, s, e) ? text : "(" + text + ")";
}

std::string withoutType(const Kernel &kernel, const Statement &s, const Expr &e) {
  const auto at = [&](std::size_t k) { return operand(kernel, s, *e.operands[k]); };
  switch (e.kind) {
  case Expr::Kind::Literal:
    return e.text;
  case Expr::Kind::Name:
    return isPlainName(s, e.text) ? e.text : "`" + e.text + "`";
  case Expr::Kind::Dimension:
    return s.dimensions[static_cast<std::size_t>(e.index)];
  case Expr::Kind::Read:
    return element(s, s.accesses[static_cast<std::size_t>(e.index)]);
  case Expr::Kind::Unary:
    return e.text + at(0);
  case Expr::Kind::Binary:
    return at(0) + " " + e.text + " " + at(1);
  case Expr::Kind::Select:
    return at(0) + " ? " + at(1) + " : " + at(2);
  case Expr::Kind::Cast:
    return std::string(typeName(e.type)) + "(" + value(kernel, s, *e.operands[0]) + ")";
  case Expr::Kind::Call:
    break;
  }
  std::vector<std::string> arguments;
  for (const ExprPtr &o : e.operands)
    arguments.push_back(value(kernel, s, *o));
  return e.text + "(" + poly::join(arguments) + ")";
}

std::string value(const Kernel &kernel, const Statement &s, const Expr &e) {
  const std::string text = withoutType(kernel, s, e);
  return e.type == textual::usualType(kernel, s, e) ? text : fmt::format("({} : {})", text, typeName(e.type));
}

/// One argument of a call: "A[-1 + x, y]" for a cell, "A[0 : w, y]" for a row.
class ArgumentPrinter {
public:
  ArgumentPrinter(const Kernel &kernel, const Statement &s, std::size_t number)
      : kernel_(kernel), s_(s), a_(s.arguments[number]), relation_(s.accesses[number].relation) {}

  std::string print() const {
    std::string cells;
    std::vector<int> ranges;
    const int rank = static_cast<int>(isl_multi_pw_aff_dim(a_.begin.get(), isl_dim_out));
    for (int d = 0; d < rank; ++d) {
      const std::string begin = functionText(at(a_.begin, d), s_.dimensions);
      cells += d ? ", " : "";
      if (isKept(d) || !isSingle(d)) {
        cells += begin + " : " + functionText(at(a_.end, d), s_.dimensions);
        ranges.push_back(d);
      } else {
        cells += begin;
      }
    }
    std::string text = a_.isOutput ? "out " : "";
    if (a_.isCell != ranges.empty())
      text += a_.isCell ? "cell " : "view ";
    text += kernel_.buffers[static_cast<std::size_t>(a_.buffer)].name + "[" + cells + "]";
    if (a_.viewDims != ranges)
      text += fmt::format(" keeps ({})", dimensions());
    if (a_.otherwise)
      text += " if " + operand(kernel_, s_, *a_.inside) + " else " + operand(kernel_, s_, *a_.otherwise);
    if (!relation_.is_equal(textual::box(a_.begin, a_.end)))
      text += " touches " + textual::relationText(relation_, s_.dimensions);
    return text;
  }

private:
  static isl::pw_aff at(const isl::multi_pw_aff &all, int d) {
    return isl::manage(isl_multi_pw_aff_get_pw_aff(all.get(), d));
  }
  bool isKept(int d) const { return std::count(a_.viewDims.begin(), a_.viewDims.end(), d) > 0; }
  bool isSingle(int d) const {
    isl_pw_aff *extent = isl_pw_aff_sub(at(a_.end, d).release(), at(a_.begin, d).release());
    isl_pw_aff *one =
        isl_pw_aff_add_constant_val(isl_pw_aff_sub(isl_pw_aff_copy(extent), isl_pw_aff_copy(extent)),
                                    isl_val_one(isl_pw_aff_get_ctx(extent)));
    const bool isOne = isl_pw_aff_plain_is_equal(extent, one) == isl_bool_true;
    isl_pw_aff_free(extent);
    isl_pw_aff_free(one);
    return isOne;
  }
  std::string dimensions() const {
    std::vector<std::string> all;
    for (const int d : a_.viewDims)
      all.push_back(std::to_string(d));
    return poly::join(all);
  }

  const Kernel &kernel_;
  const Statement &s_;
  const OpaqueArgument &a_;
  const isl::map &relation_;
};

std::string call(const Kernel &kernel, const Statement &s) {
  std::vector<std::string> arguments, own;
  for (std::size_t k = 0; k < s.arguments.size(); ++k)
    arguments.push_back(ArgumentPrinter(kernel, s, k).print());
  for (const int b : s.ownInputs)
    own.push_back(kernel.buffers[static_cast<std::size_t>(b)].name);
  return "call " + s.function + "(" + poly::join(arguments) + ")" +
         (own.empty() ? "" : " with " + poly::join(own));
}

/// "line 12 of mm.pbcc", or "line 12, rule Cells, of mm.pbcc". Two slashes in a path, which would begin a comment, name the same file as one.
std::string lineOf(const Statement &s) {
  if (!s.origin.line.isKnown())
    return "";
  std::string path;
  for (const char c : s.origin.line.path)
    if (c != '/' || !path.ends_with('/'))
      path += std::iscntrl(static_cast<unsigned char>(c)) ? '?' : c;
  return fmt::format("    line {}{} of {}\n", s.origin.line.number,
                     s.origin.rule.empty() ? "" : fmt::format(", rule {},", s.origin.rule), path);
}

/// "[x, y; k]": the rule's free variables, then the loops of its body.
std::string dimensions(const Statement &s) {
  std::string text;
  for (std::size_t d = 0; d < s.dimensions.size(); ++d) {
    const bool isFirstLoop = static_cast<int>(d) == s.freeCount;
    text += isFirstLoop ? "; " : d ? ", " : "";
    text += s.dimensions[d];
  }
  return "[" + text + "]";
}

/// "fill A_group from A[-1 + pb__first0, it]"; ", symmetric lower" follows if the copy has both halves of a matrix
std::string fill(const Kernel &kernel, const Statement &s, const GroupCopy &copy) {
  const Buffer &memory = kernel.buffers[static_cast<std::size_t>(copy.to)];
  std::vector<std::string> cells(copy.first.size());
  for (std::size_t d = 0; d < copy.first.size(); ++d)
    cells[static_cast<std::size_t>(memory.ofGroup[d].dimension)] = functionText(copy.first[d], s.dimensions);
  const auto nameOf = [&](int b) { return kernel.buffers[static_cast<std::size_t>(b)].name; };
  return fmt::format("fill {} from {}[{}]{}{}{}", memory.name, nameOf(copy.from), poly::join(cells),
                     copy.through >= 0 ? " through " + nameOf(copy.through) : "",
                     copy.isWithin ? ", within" : "",
                     copy.stored ? fmt::format(", symmetric {}", kernel::nameOf(*copy.stored)) : "");
}

/// "3" or "1 + 2 * r": the cells of one point.
std::string cellsOfPoint(const GroupDimension &d) {
  std::string text = std::to_string(d.extent);
  for (const SizeTerm &term : d.sizes)
    text += fmt::format(" + {} * {}", term.factor, term.size);
  return text;
}

/// "0: (1 * (block 0 - 1) + 3) x 1: 16": which dimension of the matrix, and how many cells of it.
std::string groupExtents(const Buffer &b) {
  std::vector<std::string> all;
  for (const GroupDimension &d : b.ofGroup)
    all.push_back(d.axis < 0 ? fmt::format("{}: {}", d.dimension, cellsOfPoint(d))
                             : fmt::format("{}: ({} * ({} {} - 1) + {})", d.dimension, d.factor,
                                           d.isBlock ? "block" : "item", d.axis, cellsOfPoint(d)));
  return fmt::format("{}", fmt::join(all, " x "));
}

/// "16 x (2 + n)"
std::string extents(const Buffer &b) {
  std::vector<std::string> all;
  for (const isl::pw_aff &extent : b.extents)
    if (const std::optional<long> cells = constantOf(extent))
      all.push_back(std::to_string(*cells));
    else if (const std::string text = functionText(extent, {}); text.starts_with("{"))
      all.push_back(text);
    else
      all.push_back("(" + text + ")");
  return fmt::format("{}", fmt::join(all, " x "));
}

std::string buffer(const Buffer &b, int place) {
  constexpr std::pair<Buffer::Role, const char *> kRoles[] = {
      {Buffer::Role::Input, "input"},     {Buffer::Role::Output, "output"}, {Buffer::Role::Local, "local"},
      {Buffer::Role::Scratch, "scratch"}, {Buffer::Role::Group, "group"},   {Buffer::Role::Item, "item"}};
  const auto *role =
      std::find_if(std::begin(kRoles), std::end(kRoles), [&](const auto &r) { return r.first == b.role; });
  std::string text = fmt::format("  buffer {} {} {}-d {}", b.name, typeName(b.element), b.rank, role->second);
  if (!b.extents.empty())
    text += fmt::format(" of {}", extents(b));
  if (!b.ofGroup.empty())
    text += fmt::format(" of {}", groupExtents(b));
  if (b.pad)
    text += fmt::format(", pad {}", b.pad);
  if (b.parts > 1)
    text += fmt::format(", parts {} gap {}", b.parts, b.gap);
  if (b.buffers > 1)
    text += fmt::format(", buffers {}", b.buffers);
  if (!b.called.empty())
    text += ", called " + b.called;
  if (b.inRegisters)
    text += ", in registers";
  if (b.isPrivate)
    text += ", private";
  if (b.lanes)
    text += fmt::format(", {} lanes", b.lanes);
  if (isMatrix(b) && b.matrix != place)
    text += fmt::format(", matrix {}", b.matrix);
  return text + "\n";
}

std::string task(const Schedule &schedule, const TaskDimension &t) {
  std::string text = fmt::format("  task {} in [{}, {}) by {}", t.name, functionText(t.low, {}),
                                 functionText(t.high, {}), t.grain);
  text += t.isPlace ? "" : ", time";
  if (t.along >= 0)
    text += fmt::format(", slope {} along {}", t.slope,
                        schedule.taskDimensions[static_cast<std::size_t>(t.along)].name);
  if (t.down)
    text += fmt::format(", down {}", t.down);
  return text + "\n";
}

std::string block(const Scheduled &kernel, const RegisterTile &tile) {
  const Statement &first = kernel.statements.front();
  const auto name = [&](int d) { return first.dimensions[static_cast<std::size_t>(d)]; };
  std::string text = fmt::format("  block {}, {} of {}", name(tile.x), name(tile.y), typeName(tile.element));
  const auto add = [&](bool isSaid, const std::string &more) { text += isSaid ? ", " + more : ""; };
  add(tile.scalars != 0, fmt::format("{} scalars", tile.scalars));
  add(tile.isDeep, "deep");
  add(tile.moves, "moves");
  for (const RegisterTile::Panel &p : tile.panels)
    add(true,
        fmt::format("panel {} {} along {}", kernel.statements[static_cast<std::size_t>(p.statement)].name,
                    p.access, name(p.alongX ? tile.x : tile.y)));
  add(tile.resumes, "resumes");
  if (tile.joined)
    add(true,
        "joined from " + functionText(tile.joined->begin, {}) + ", to " + functionText(tile.joined->end, {}));
  add(tile.isBackward, "backward");
  if (tile.behind)
    add(true, "behind " + functionText(*tile.behind, {}));
  add(tile.shape.rows != 0, fmt::format("rows {}", tile.shape.rows));
  add(tile.shape.vectors != 0, fmt::format("vectors {}", tile.shape.vectors));
  add(tile.shape.depth != 0, fmt::format("depth {}", tile.shape.depth));
  add(tile.shape.columns != 0, fmt::format("columns {}", tile.shape.columns));
  return text + "\n";
}

std::string tree(const Scheduled &kernel, const std::string &title, const isl::schedule &schedule) {
  const std::string pieces = textual::piecesText(kernel, schedule);
  return "  " + title + (pieces.empty() ? "" : " of " + pieces) + "\n" +
         textual::treeText(kernel, schedule, "    ");
}

/// The simpler schedule, if it is not the other one without its realisations.
std::string plain(const Scheduled &kernel) {
  if (!kernel.schedule.plain)
    return "";
  const auto text = [&](const isl::schedule &s) {
    return tree(kernel, "plain schedule", splitBands(withoutLabels(s)));
  };
  const std::string own = text(*kernel.schedule.plain);
  return own == text(withoutRealisations(kernel.schedule.tree)) ? "" : own;
}

std::string tasks(const Scheduled &kernel) {
  const Schedule &schedule = kernel.schedule;
  std::string text;
  for (const TaskDimension &t : schedule.taskDimensions)
    text += task(schedule, t);
  if (schedule.taskOrder != TaskOrder::Any)
    text += schedule.taskOrder == TaskOrder::Rounds ? "  tasks in rounds of the first\n"
                                                    : "  tasks as a wavefront\n";
  if (schedule.bytesPerPlace)
    text += fmt::format("  bytes per place: {}\n", schedule.bytesPerPlace);
  if (schedule.registerTile)
    text += block(kernel, *schedule.registerTile);
  return text;
}

/// Whether the reader finds these dependences itself, between the instances that the kernel still has.
bool areUsual(const Scheduled &kernel) {
  bool same = false;
  const isl::ctx ctx(isl_set_get_ctx(kernel.context.get()));
  const bool isDone = poly::withBudget(ctx, kDependenceBudget, [&] {
    const isl::union_set all = isl::manage(isl_schedule_get_domain(kernel.schedule.tree.get()));
    const auto known = [&](const isl::union_map &m) { return m.intersect_params(kernel.context); };
    same = known(kernel.dependences.intersect_domain(all).intersect_range(all))
               .is_equal(known(dependences(kernel)));
  });
  return isDone && same;
}

/// "x in blocks of 8" for a loop whose steps are the beginnings of blocks, 8 * floor((x - c) / 8) + c; nothing for other functions.
std::optional<std::string> blocksOf(const isl::pw_aff &function) {
  const auto one = formula(function);
  if (!one || isl_aff_dim(one->get(), isl_dim_div) != 1 ||
      isl_aff_involves_dims(one->get(), isl_dim_in, 0,
                            static_cast<unsigned>(isl_aff_dim(one->get(), isl_dim_in))) != isl_bool_true)
    return std::nullopt;
  isl_val *factor = isl_aff_get_coefficient_val(one->get(), isl_dim_div, 0);
  const long size = std::abs(isl_val_get_num_si(factor));
  isl_val_free(factor);
  // Within a block, the variable is the block's begin and something from 0 to the size.
  const isl::aff inside = isl::manage(isl_aff_get_div(one->get(), 0));
  isl::aff moving =
      isl::manage(isl_aff_scale_val(inside.copy(), isl_val_int_from_si(isl_aff_get_ctx(inside.get()), size)));
  moving = isl::manage(isl_aff_set_constant_si(moving.release(), 0));
  isl_val *whole = isl_aff_get_denominator_val(moving.get());
  const bool isWhole = isl_val_is_one(whole) == isl_bool_true;
  isl_val_free(whole);
  if (!isWhole || size < 2)
    return std::nullopt;
  return fmt::format("{} in blocks of {}", poly::cxx(isl::manage(isl_pw_aff_from_aff(moving.release()))),
                     size);
}

/// The function over which member `k` of a band runs: one function if all statements agree, because one for each
/// statement, "S: x" for "{ S[y, x] -> [(x)] }", would take more room than it explains. Statements that run in one of its steps only do not
/// count; "" if all of them do.
std::string over(const Scheduled &kernel, const isl::schedule_node &node, int k) {
  std::vector<std::string> functions;
  for (const std::string &name : statementsAt(node)) {
    const Statement &s = kernel.statements[statementIndex(kernel, name)];
    const std::optional<isl::pw_aff> value = member(node, k, name);
    if (!value)
      continue;
    if (isl_pw_aff_involves_dims(value->get(), isl_dim_in, 0, static_cast<unsigned>(s.dimensions.size())) !=
        isl_bool_true)
      continue;
    isl_pw_aff *one = value->copy();
    for (std::size_t d = 0; d < s.dimensions.size(); ++d)
      one = isl_pw_aff_set_dim_id(one, isl_dim_in, static_cast<unsigned>(d),
                                  isl_id_alloc(isl_pw_aff_get_ctx(one), s.dimensions[d].c_str(), nullptr));
    const isl::pw_aff function = isl::manage(one);
    functions.push_back(blocksOf(function).value_or(poly::cxx(function)));
  }
  std::sort(functions.begin(), functions.end());
  functions.erase(std::unique(functions.begin(), functions.end()), functions.end());
  return functions.empty() ? "" : functions.size() == 1 ? functions[0] : "(" + poly::join(functions) + ")";
}

/// `open`: the dependences to which the nodes around give no order; nothing where one of them was too complex.
void collectLoops(const Scheduled &kernel, const isl::schedule_node &node,
                  const std::optional<isl::union_map> &open, int depth, std::vector<Realisation> how,
                  std::vector<Loop> &out) {
  constexpr unsigned long kBudget = 1'000'000;
  std::optional<AtNode> at;
  if (open && !poly::withBudget(kernel.context.ctx(), kBudget, [&] { at = atNode(node, *open); }))
    at.reset();
  if (const std::optional<Mark> mark = markAt(node)) {
    if (const auto *realisation = std::get_if<Realisation>(&*mark))
      how.push_back(*realisation);
  } else if (isBand(node)) {
    for (int k = 0; k < members(node); ++k)
      if (const std::string name = over(kernel, node, k); !name.empty())
        out.push_back({name, depth++,
                       at ? std::optional<bool>(at->isParallel[static_cast<std::size_t>(k)]) : std::nullopt,
                       std::exchange(how, {})});
  }
  for (int k = 0, n = static_cast<int>(isl_schedule_node_n_children(node.get())); k < n; ++k)
    collectLoops(kernel, isl::manage(isl_schedule_node_get_child(node.get(), k)),
                 at ? std::optional(at->open) : std::nullopt, depth, how, out);
}

} // namespace

std::string print(const Kernel &kernel, const Statement &s) {
  if (s.isOpaque)
    return call(kernel, s);
  if (s.copy)
    return fill(kernel, s, *s.copy);
  return element(s, s.accesses[static_cast<std::size_t>(s.write)]) + " " + s.op + "= " +
         value(kernel, s, *s.value);
}

namespace {

std::string statements(const Scheduled &kernel, Lines lines) {
  std::string text = "kernel " + kernel.name;
  if (!kernel.parameters.empty())
    text += " [" + poly::join(kernel.parameters) + "]";
  text += kernel.reassociates ? "  may reassociate" : "";
  text += "\n";
  if (isl_set_plain_is_universe(kernel.context.get()) != isl_bool_true)
    text += "  context " + textual::conditionText(kernel.context, {}) + "\n";
  int matrices = 0;
  for (const Buffer &b : kernel.buffers)
    text += buffer(b, isMatrix(b) ? matrices++ : -1);
  for (const Statement &s : kernel.statements)
    text += fmt::format("  {}{}{}: {}\n    {}\n{}", s.name, dimensions(s),
                        s.rule ? fmt::format(" of rule {}", s.rule) : "", print(kernel, s),
                        textual::setText(s.domain, s.dimensions), lines == Lines::Printed ? lineOf(s) : "");
  return text;
}

} // namespace

std::string print(const Scheduled &kernel, Lines lines) {
  std::string text = statements(kernel, lines);
  if (!areUsual(kernel))
    text += "  dependences\n    " + textual::braces(poly::text(kernel.dependences)) + "\n";
  return text + tasks(kernel) + tree(kernel, "schedule", kernel.schedule.tree) + plain(kernel);
}

std::string printWithoutLoops(const Scheduled &kernel, Lines lines) {
  return statements(kernel, lines) + tasks(kernel);
}

std::vector<Loop> loops(const Scheduled &kernel) {
  std::vector<Loop> out;
  collectLoops(kernel, isl::manage(isl_schedule_get_root(kernel.schedule.tree.get())), kernel.dependences, 0,
               {}, out);
  return out;
}

} // namespace pbc::kernel
