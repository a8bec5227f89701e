// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/copies.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/cell_box.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/expose.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/mirrored.h"
#include "compiler/kernel/rebuild.h"
#include "compiler/kernel/transform/support.h"
#include "compiler/kernel/transform/ways_to_read.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>
#include <set>

namespace pbc::kernel {
namespace {

/// The copy of one matrix.
struct Copy {
  int matrix = -1;
  std::vector<std::string> loops;             // around it
  std::size_t cells = 0;                      // dimensions of the matrix
  std::set<std::pair<int, std::size_t>> uses; // of the matrix, that the copy is for: statement, access
  isl::map read, written;                     // { [loops] -> [cells] }; null: none
  CellBox box;
  std::vector<PlacedDimension> order; // which dimension of the matrix each dimension of the scratch memory is
};

/// Without the name of its range.
isl::map unnamed(const isl::map &m) { return isl::manage(isl_map_reset_tuple_id(m.copy(), isl_dim_out)); }

/// Finds the accesses that the copy is for; a sentence if there are none.
std::string findUses(Copy &copy, const Exposed &exposed, const Scheduled &kernel, const CopyRequest &asked) {
  std::vector<ReadOfMatrix> all;
  for (const auto &[index, dimensions] : exposed.dimensions) {
    const Statement &s = kernel.statements[static_cast<std::size_t>(index)];
    for (std::size_t k = 0; k < s.accesses.size(); ++k)
      if (const Access &a = s.accesses[k]; a.buffer == copy.matrix)
        all.push_back({{index, k},
                       valuesOf(s.domain, dimensions)
                           .intersect_domain(s.domain)
                           .reverse()
                           .apply_range(unnamed(a.relation))});
  }
  if (asked.access) {
    const std::vector<std::vector<ReadOfMatrix>> ways = waysToRead(kernel, all);
    if (static_cast<std::size_t>(asked.access) > ways.size())
      return fmt::format("reads of `{}` that have no copy yet move in {} ways, so that there is no access {}",
                         programName(kernel, copy.matrix), ways.size(), asked.access);
    all = ways[static_cast<std::size_t>(asked.access) - 1];
  }
  for (const ReadOfMatrix &use : all)
    copy.uses.insert(use.place);
  return "";
}

/// Finds the cells and the box around them; a sentence if it has no constant size.
std::string findBox(Copy &copy, const Exposed &exposed, const Scheduled &kernel, const std::string &name) {
  const auto add = [](isl::map &to, const isl::map &more) { to = to.is_null() ? more : to.unite(more); };
  for (const auto &[index, dimensions] : exposed.dimensions) {
    const Statement &s = kernel.statements[static_cast<std::size_t>(index)];
    for (std::size_t k = 0; k < s.accesses.size(); ++k) {
      const Access &a = s.accesses[k];
      if (!copy.uses.count({index, k}))
        continue;
      const isl::map here = valuesOf(s.domain, dimensions)
                                .intersect_domain(s.domain)
                                .reverse()
                                .apply_range(unnamed(a.relation));
      if (a.isWrite)
        add(copy.written, here);
      if (!a.isWrite || !s.op.empty())
        add(copy.read, here);
    }
  }
  isl::map touched;
  for (isl::map *cells : {&copy.read, &copy.written})
    if (!cells->is_null()) {
      *cells = isl::manage(isl_map_coalesce(cells->release())).intersect_params(kernel.context);
      add(touched, *cells);
    }
  if (const std::optional<CellBox> box = boxAround(touched, kernel.context))
    copy.box = *box;
  else
    return fmt::format("no number of cells of `{}` is enough for its copy", name);
  if (copy.loops.empty() || std::all_of(copy.box.extents.begin(), copy.box.extents.end(), constantOf))
    return "";
  return fmt::format(
      "the cells of `{}` that one step of `{}` uses have no constant extent (tile its loops first)", name,
      copy.loops.back());
}

/// { copy[loops, cells] -> [its dimensions from `from` on, `count` of them] }
isl::map dimensionsOf(const isl::set &domain, std::size_t from, std::size_t count) {
  isl_map *all = isl_map_from_domain(isl_set_universe(isl_set_get_space(domain.get())));
  for (std::size_t d = from; d < from + count; ++d) {
    isl_local_space *space = isl_local_space_from_space(isl_set_get_space(domain.get()));
    all = isl_map_flat_range_product(
        all, isl_map_from_aff(isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(d))));
  }
  return isl::manage(all);
}

/// Where the source reads, or writes, what is copied.
source::Origin originOf(const Copy &copy, const Exposed &exposed, const Kernel &kernel, bool isWritten) {
  for (const auto &[index, dimensions] : exposed.dimensions) {
    const Statement &s = kernel.statements[static_cast<std::size_t>(index)];
    if (std::any_of(s.accesses.begin(), s.accesses.end(),
                    [&](const Access &a) { return a.buffer == copy.matrix && a.isWrite == isWritten; }))
      return s.origin;
  }
  return {};
}

/// The statement that fills the scratch memory, or writes it back.
Statement copyStatement(const Copy &copy, const Kernel &kernel, const std::string &name, int scratch,
                        bool isBack) {
  const Buffer &matrix = kernel.buffers[static_cast<std::size_t>(copy.matrix)];
  Statement s;
  s.name = name;
  s.rule = -1;
  for (const std::string &loop : copy.loops)
    s.dimensions.push_back(freshDimension(kernel, s.dimensions, loop));
  for (std::size_t d = 0; d < copy.cells; ++d)
    s.dimensions.push_back(freshDimension(kernel, s.dimensions, fmt::format("{}{}", matrix.name, d)));
  s.freeCount = static_cast<int>(s.dimensions.size());
  isl_set *domain = isl_set_flatten(isl_map_wrap((isBack ? copy.written : copy.read).copy()));
  domain = isl_set_gist_params(isl_set_coalesce(domain), kernel.context.copy());
  s.domain = isl::manage(isl_set_set_tuple_name(domain, name.c_str()));
  const isl::map cells = dimensionsOf(s.domain, copy.loops.size(), copy.cells),
                 values = dimensionsOf(s.domain, 0, copy.loops.size());
  const std::string &packed = kernel.buffers[static_cast<std::size_t>(scratch)].name;
  const Access inScratch{scratch, !isBack, placeIn(copy.box, copy.order, values, cells, packed)},
      inMatrix{copy.matrix, isBack,
               isl::manage(isl_map_set_tuple_name(cells.copy(), isl_dim_out, matrix.name.c_str()))};
  s.accesses = isBack ? std::vector{inMatrix, inScratch} : std::vector{inScratch, inMatrix};
  s.write = 0;
  Expr value;
  value.kind = Expr::Kind::Read;
  value.type = matrix.element;
  value.index = 1;
  s.value = std::make_shared<const Expr>(value);
  return s;
}

/// A statement with the labels of its loops over cells.
struct Placed {
  Statement statement;
  bool isBack;
  std::vector<std::string> labels;
};

/// Puts the copies in front of what is below their loop, and behind it.
class WithCopies : public Rebuild {
public:
  WithCopies(const Copy &copy, const std::vector<Placed> &placed, const std::string &scratch)
      : copy_(copy), placed_(placed), scratch_(scratch) {}

protected:
  isl::union_pw_aff function(const isl::schedule_node &band) override {
    isl::union_pw_aff f = member(band, 0);
    const auto at = std::find(copy_.loops.begin(), copy_.loops.end(), labelOf(band));
    if (at == copy_.loops.end())
      return f;
    for (const Placed &one : placed_)
      f = isl::manage(isl_union_pw_aff_union_add(
          f.release(),
          dimension(one.statement, static_cast<std::size_t>(at - copy_.loops.begin())).release()));
    return f;
  }

  isl::union_set instances(const isl::schedule_node &filter) override {
    isl::union_set own = isl::manage(isl_schedule_node_filter_get_filter(filter.get()));
    bool isAround = false;
    visit(filter, [&](const isl::schedule_node &node) {
      if (const auto loop = loopAt(node))
        isAround |= !copy_.loops.empty() && loop->label == copy_.loops.back();
    });
    for (const Placed &one : placed_)
      own = isAround ? own.unite(isl::union_set(one.statement.domain)) : own;
    return own;
  }

  isl::schedule_node at(const isl::schedule_node &old, const isl::schedule_node &leaf,
                        const Rest &rest) override {
    const isl::schedule_node above = isl::manage(isl_schedule_node_parent(old.copy()));
    const bool isHere = copy_.loops.empty()
                            ? isl_schedule_node_get_type(above.get()) == isl_schedule_node_domain
                            : isBand(above) && labelOf(above) == copy_.loops.back();
    if (!isHere)
      return rest(leaf);
    isl::union_set others = isl::manage(isl_schedule_node_get_domain(leaf.get()));
    for (const Placed &one : placed_)
      others = others.subtract(isl::union_set(one.statement.domain));
    isl_union_set_list *filters = isl_union_set_list_alloc(isl_schedule_node_get_ctx(leaf.get()), 0);
    std::vector<const Placed *> order; // null: the rest
    const auto add = [&](bool isBack) {
      for (const Placed &one : placed_)
        if (one.isBack == isBack) {
          filters = isl_union_set_list_add(filters, isl_union_set_from_set(one.statement.domain.copy()));
          order.push_back(&one);
        }
    };
    add(false);
    filters = isl_union_set_list_add(filters, others.copy());
    order.push_back(nullptr);
    add(true);
    isl::schedule_node made = isl::manage(isl_schedule_node_insert_sequence(leaf.copy(), filters));
    for (std::size_t k = 0; k < order.size(); ++k) {
      isl_schedule_node *filter = isl_schedule_node_child(made.release(), static_cast<int>(k));
      const isl::schedule_node inside = isl::manage(isl_schedule_node_child(filter, 0));
      const isl::schedule_node filled = order[k] ? withLoops(inside, *order[k]) : rest(inside);
      made = isl::manage(isl_schedule_node_ancestor(filled.copy(), 2));
    }
    return insertMark(made, Declare{scratch_});
  }

private:
  /// The innermost loop runs along contiguous scratch memory.
  isl::schedule_node withLoops(isl::schedule_node node, const Placed &one) const {
    for (std::size_t k = 0; k < copy_.cells; ++k)
      node = insertLoop(
          node, {one.labels[k], dimension(one.statement, copy_.loops.size() + copy_.order[k].dimension)});
    return node;
  }

  static std::string labelOf(isl::schedule_node band) {
    while (isl_schedule_node_has_parent(band.get()) == isl_bool_true) {
      band = isl::manage(isl_schedule_node_parent(band.release()));
      if (const auto loop = loopAt(band))
        return loop->label;
      if (!markAt(band))
        break;
    }
    return "";
  }

  static isl::union_pw_aff dimension(const Statement &s, std::size_t d) {
    isl_local_space *space = isl_local_space_from_space(isl_set_get_space(s.domain.get()));
    isl_aff *value = isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(d));
    return isl::manage(isl_union_pw_aff_from_aff(value));
  }

  const Copy &copy_;
  const std::vector<Placed> &placed_;
  const std::string &scratch_;
};

bool isTaken(const std::vector<Placed> &placed, const std::string &label) {
  return std::any_of(placed.begin(), placed.end(), [&](const Placed &one) {
    return std::find(one.labels.begin(), one.labels.end(), label) != one.labels.end();
  });
}

isl::pw_aff plus(const isl::pw_aff &f, long number) {
  if (number == 0)
    return f;
  return isl::manage(
      isl_pw_aff_add_constant_val(f.copy(), isl_val_int_from_si(isl_pw_aff_get_ctx(f.get()), number)));
}

/// Why what is below the loop, or all of it, cannot use a copy; "" if it can.
std::string whyNotUsed(const Scheduled &kernel, const CopyRequest &asked, int matrix,
                       const std::optional<LoopNode> &at) {
  const std::string where = at ? fmt::format("the loop over `{}`", at->label) : "the kernel";
  std::vector<int> statements;
  if (at)
    statements = statementsBelow(kernel, *at);
  else
    for (std::size_t s = 0; s < kernel.statements.size(); ++s)
      statements.push_back(static_cast<int>(s));
  bool isUsed = false;
  for (const int index : statements)
    for (const Access &a : kernel.statements[static_cast<std::size_t>(index)].accesses) {
      isUsed |= a.buffer == matrix;
      if (a.buffer == matrix && a.isWrite && !asked.isKept)
        return fmt::format("{} writes `{}`", where, programName(kernel, matrix));
      if (a.buffer == matrix && kernel.statements[static_cast<std::size_t>(index)].isOpaque)
        return "its body is a call of C++ code";
    }
  if (!isUsed)
    return fmt::format("{} does not use `{}`", where, programName(kernel, matrix));
  if (const std::string elsewhere = at ? runsElsewhere(kernel, *at) : ""; !elsewhere.empty())
    return fmt::format("`{}` runs outside of its loop over `{}`, too: its iterations are cut already",
                       elsewhere, asked.at);
  return "";
}

/// Restricts the copy to stored cells, and adds one of those that lie across the diagonal; false if some of these are not stored, either.
bool addMirrored(std::vector<Placed> &placed, Placed &one, const isl::set &stored, const Copy &copy,
                 const Scheduled &kernel) {
  const isl::set whole = one.statement.domain.intersect_params(kernel.context);
  const isl::map cells = dimensionsOf(whole, copy.loops.size(), copy.cells);
  const isl::set beyond = whole.subtract(stored.apply(cells.reverse()));
  if (beyond.is_empty())
    return true;
  if (!beyond.apply(cells).is_subset(stored.apply(acrossDiagonal(stored))))
    return false;
  Placed other = one;
  other.statement.name = freshName(kernel, one.statement.name + "_mirrored");
  const auto named = [&](isl_set *set) {
    return isl::manage(isl_set_set_tuple_name(set, other.statement.name.c_str()));
  };
  const auto known = [&](const isl::set &set) {
    return isl::manage(isl_set_gist_params(set.coalesce().release(), kernel.context.copy()));
  };
  one.statement.domain = known(whole.subtract(beyond));
  other.statement.domain = named(known(beyond).release());
  for (Access &a : other.statement.accesses) {
    isl_map *relation = isl_map_set_tuple_name(a.relation.copy(), isl_dim_in, other.statement.name.c_str());
    if (!a.isWrite) { // of the matrix, from the other side
      isl_id *id = isl_map_get_tuple_id(relation, isl_dim_out);
      const isl::map there = isl::manage(isl_map_reset_tuple_id(relation, isl_dim_out));
      relation =
          isl_map_set_tuple_id(there.apply_range(acrossDiagonal(there.range())).release(), isl_dim_out, id);
    }
    a.relation = isl::manage(relation);
  }
  for (std::string &label : other.labels)
    label = freshLabel(kernel.schedule.tree, label + "m");
  placed.push_back(std::move(other));
  return true;
}

} // namespace

Parameter orderOfCopy(std::string_view name) {
  return {.name = name,
          .kind = Parameter::Kind::Word,
          .doc = "the order of the copy's dimensions",
          .words = {"as_is", "transposed"},
          .isOptional = true};
}

Parameter padOfCopy() {
  return {.name = "pad",
          .kind = Parameter::Kind::Integer,
          .doc = "cells that are added to each row of the copy",
          .least = 0,
          .most = 256,
          .isOptional = true};
}

Outcome withCopies(const Scheduled &kernel, const CopyRequest &asked) {
  Copy copy;
  copy.matrix = bufferIndex(kernel, asked.matrix);
  const Buffer &matrix = kernel.buffers[static_cast<std::size_t>(copy.matrix)];
  if (!isMatrix(matrix) || matrix.rank == 0)
    return {std::nullopt, fmt::format("`{}` is no matrix with cells", programName(kernel, copy.matrix))};
  copy.cells = static_cast<std::size_t>(matrix.rank);
  std::optional<LoopNode> at;
  if (!asked.at.empty())
    at = *findLoop(kernel.schedule.tree, asked.at);
  if (std::string why = whyNotUsed(kernel, asked, copy.matrix, at); !why.empty())
    return {std::nullopt, std::move(why)};
  if (std::string why = at ? runsAtOnce(*at) : ""; !why.empty())
    return {std::nullopt, std::move(why)};
  if (kernel.schedule.registerTile)
    return {std::nullopt, "blocks in registers have copies of their own"};
  if (at)
    copy.loops = loopsAround(*at), copy.loops.push_back(asked.at);
  std::optional<Exposed> exposed = expose(kernel, copy.loops);
  if (!exposed)
    return {std::nullopt, "its body is a call of C++ code"};
  Scheduled &made = exposed->kernel;
  isl::set stored; // of a mirrored matrix
  if (asked.isMirrored) {
    const MirroredReads reads = mirrorReads(made, copy.matrix);
    if (!reads.why.empty())
      return {std::nullopt, reads.why};
    stored = reads.stored;
  }
  if (std::string why = findUses(copy, *exposed, made, asked); !why.empty())
    return {std::nullopt, std::move(why)};
  if (std::string why = findBox(copy, *exposed, made, programName(kernel, copy.matrix)); !why.empty())
    return {std::nullopt, std::move(why)};
  for (std::size_t d = 0; d < copy.cells; ++d)
    copy.order.push_back({asked.isTransposed ? copy.cells - 1 - d : d});
  Buffer scratch;
  scratch.name = freshName(made, matrix.name + (asked.isKept ? "_kept" : at ? "_pack" : "_map"));
  scratch.role = Buffer::Role::Scratch;
  scratch.element = matrix.element;
  scratch.rank = static_cast<int>(copy.cells + copy.loops.size());
  scratch.inRegisters = asked.isKept;
  for (const PlacedDimension &d : copy.order)
    scratch.extents.push_back(copy.box.extents[d.dimension]);
  scratch.extents.front() = plus(scratch.extents.front(), asked.pad);
  const long most = asked.isKept ? kMostBytesInRegisters : kMostScratchBytes;
  if (!copy.loops.empty() && scratchBytes(scratch).value_or(0) > most)
    return {std::nullopt, fmt::format("its copy of `{}` would need more than {} bytes",
                                      programName(kernel, copy.matrix), most)};
  const int scratchIndex = static_cast<int>(made.buffers.size());
  made.buffers.push_back(scratch);
  std::vector<Placed> placed;
  isl::schedule labels = made.schedule.tree;
  for (const bool isBack : {false, true}) {
    if ((isBack ? copy.written : copy.read).is_null())
      continue;
    const std::string name = freshName(made, matrix.name + (isBack ? "_back" : "_copy"));
    Placed one{copyStatement(copy, made, name, scratchIndex, isBack), isBack, {}};
    one.statement.origin = originOf(copy, *exposed, made, isBack);
    for (const PlacedDimension &d : copy.order) {
      std::string label = freshLabel(labels, one.statement.dimensions[copy.loops.size() + d.dimension]);
      while (isTaken(placed, label)) // by the loops of the other copy
        label = freshLabel(labels, label + "b");
      one.labels.push_back(label);
    }
    if (asked.isMirrored && !addMirrored(placed, one, stored, copy, made))
      return {std::nullopt, fmt::format("cells of `{}` on both sides of the diagonal are read nowhere",
                                        programName(kernel, copy.matrix))};
    placed.push_back(std::move(one));
  }
  for (const auto &[index, dimensions] : exposed->dimensions) {
    Statement &s = made.statements[static_cast<std::size_t>(index)];
    for (std::size_t k = 0; k < s.accesses.size(); ++k)
      if (Access &a = s.accesses[k]; copy.uses.count({index, k}))
        a = {
            scratchIndex, a.isWrite,
            placeIn(copy.box, copy.order, valuesOf(s.domain, dimensions), unnamed(a.relation), scratch.name)};
  }
  isl::union_set domain = isl::manage(isl_schedule_get_domain(made.schedule.tree.get()));
  for (const Placed &one : placed)
    domain = domain.unite(isl::union_set(one.statement.domain));
  made.schedule.tree = WithCopies(copy, placed, scratch.name).run(made.schedule.tree, domain);
  for (const Placed &one : placed)
    made.statements.push_back(one.statement);
  made.dependences = made.dependences.unite(dependences(made, {copy.matrix, scratchIndex})).coalesce();
  return withTree(made, made.schedule.tree);
}

} // namespace pbc::kernel
