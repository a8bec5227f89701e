// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/copies.h"
#include "compiler/kernel/dependences.h"
#include "compiler/kernel/expose.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/legal.h"
#include "compiler/kernel/rebuild.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/fixed_box.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>

namespace pbc::kernel {
namespace {

/// What fits into a cache of the second level several times, and what registers and a stack hold.
constexpr long kMostBytes = 1L << 19, kMostInRegisters = 1L << 13;

/// The loops around a node, the outermost first, with the one whose label it is.
std::vector<std::string> loopsAround(const LoopNode &loop) {
  std::vector<std::string> labels{loop.label};
  isl::schedule_node node = loop.top;
  while (isl_schedule_node_has_parent(node.get()) == isl_bool_true) {
    node = isl::manage(isl_schedule_node_parent(node.release()));
    if (const auto outer = loopAt(node))
      labels.insert(labels.begin(), outer->label);
  }
  return labels;
}

/// The copy of one matrix.
struct Copy {
  int matrix = -1;
  std::vector<std::string> loops; // around it
  std::size_t cells = 0;          // dimensions of the matrix
  isl::map read, written;         // { [loops] -> [cells] }; null: none
  isl::multi_aff first;           // { [loops] -> [first cell of the box] }
  std::vector<long> extents;      // of the box
  std::vector<std::size_t> order; // which dimension of the matrix each dimension of the scratch memory is
};

/// { S[i] -> [values of the loops] }
isl::map valuesOf(const Statement &s, const std::vector<int> &dimensions) {
  isl_space *space = isl_set_get_space(s.domain.get());
  isl_map *values = isl_map_from_domain(isl_set_universe(isl_space_copy(space)));
  isl_local_space *local = isl_local_space_from_space(space);
  for (const int d : dimensions) {
    isl_aff *value =
        isl_aff_var_on_domain(isl_local_space_copy(local), isl_dim_set, static_cast<unsigned>(d));
    values = isl_map_flat_range_product(values, isl_map_from_aff(value));
  }
  isl_local_space_free(local);
  return isl::manage(values);
}

/// Without the name of its range.
isl::map unnamed(const isl::map &m) { return isl::manage(isl_map_reset_tuple_id(m.copy(), isl_dim_out)); }

/// Finds the cells and the box around them; a sentence if it has no constant size.
std::string findBox(Copy &copy, const Exposed &exposed, const Scheduled &kernel, const std::string &name) {
  const auto add = [](isl::map &to, const isl::map &more) { to = to.is_null() ? more : to.unite(more); };
  for (const auto &[index, dimensions] : exposed.dimensions) {
    const Statement &s = kernel.statements[static_cast<std::size_t>(index)];
    for (const Access &a : s.accesses) {
      if (a.buffer != copy.matrix)
        continue;
      const isl::map here =
          valuesOf(s, dimensions).intersect_domain(s.domain).reverse().apply_range(unnamed(a.relation));
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
  isl_fixed_box *box = isl_map_get_range_simple_fixed_box_hull(touched.get());
  if (isl_fixed_box_is_valid(box) != isl_bool_true) {
    isl_fixed_box_free(box);
    return fmt::format(
        "the cells of {} that one step of {} uses have no constant extent (tile its loops first)", name,
        copy.loops.back());
  }
  copy.first = isl::manage(isl_fixed_box_get_offset(box));
  isl_multi_val *size = isl_fixed_box_get_size(box);
  isl_fixed_box_free(box);
  for (std::size_t d = 0; d < copy.cells; ++d) {
    isl_val *extent = isl_multi_val_get_val(size, static_cast<int>(d));
    copy.extents.push_back(isl_val_get_num_si(extent));
    isl_val_free(extent);
  }
  isl_multi_val_free(size);
  return "";
}

/// { T[..] -> scratch[cell - first cell of the box, loops] }, where `values` are { T[..] -> [loops] } and `cells`
/// { T[..] -> [cell] }.
isl::map place(const Copy &copy, const isl::map &values, const isl::map &cells, const std::string &scratch) {
  isl_multi_pw_aff *cell = isl_multi_pw_aff_from_pw_multi_aff(isl_pw_multi_aff_from_map(cells.copy()));
  isl_pw_multi_aff *at = isl_pw_multi_aff_from_map(values.copy());
  at = isl_pw_multi_aff_pullback_pw_multi_aff(isl_pw_multi_aff_from_multi_aff(copy.first.copy()), at);
  isl_multi_pw_aff *first = isl_multi_pw_aff_from_pw_multi_aff(at);
  isl_map *all = nullptr;
  for (const std::size_t d : copy.order) {
    isl_pw_aff *offset = isl_pw_aff_sub(isl_multi_pw_aff_get_pw_aff(cell, static_cast<int>(d)),
                                        isl_multi_pw_aff_get_pw_aff(first, static_cast<int>(d)));
    isl_map *here = isl_map_from_pw_aff(offset);
    all = all ? isl_map_flat_range_product(all, here) : here;
  }
  isl_multi_pw_aff_free(cell);
  isl_multi_pw_aff_free(first);
  all = isl_map_flat_range_product(all, values.copy());
  return isl::manage(isl_map_set_tuple_name(all, isl_dim_out, scratch.c_str()));
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
  const Access inScratch{scratch, !isBack, place(copy, values, cells, packed)},
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
        isAround |= loop->label == copy_.loops.back();
    });
    for (const Placed &one : placed_)
      own = isAround ? own.unite(isl::union_set(one.statement.domain)) : own;
    return own;
  }

  isl::schedule_node at(const isl::schedule_node &old, const isl::schedule_node &leaf,
                        const Rest &rest) override {
    const isl::schedule_node above = isl::manage(isl_schedule_node_parent(old.copy()));
    if (!isBand(above) || labelOf(above) != copy_.loops.back())
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
      node = insertLoop(node, dimension(one.statement, copy_.loops.size() + copy_.order[k]), one.labels[k]);
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

std::string freshName(const Kernel &kernel, const std::string &wanted) {
  std::string name = wanted;
  const auto isUsed = [&] {
    return statementIndex(kernel, name) >= 0 || std::any_of(kernel.buffers.begin(), kernel.buffers.end(),
                                                            [&](const Buffer &b) { return b.name == name; });
  };
  for (int n = 2; isUsed(); ++n)
    name = wanted + std::to_string(n);
  return name;
}

} // namespace

Outcome withCopies(const Scheduled &kernel, const CopyRequest &asked) {
  Copy copy;
  for (std::size_t b = 0; b < kernel.buffers.size(); ++b)
    if (kernel.buffers[b].name == asked.matrix)
      copy.matrix = static_cast<int>(b);
  const Buffer &matrix = kernel.buffers[static_cast<std::size_t>(copy.matrix)];
  if (!isMatrix(matrix) || matrix.rank == 0)
    return {std::nullopt, fmt::format("{} is no matrix with cells", asked.matrix)};
  copy.cells = static_cast<std::size_t>(matrix.rank);
  const LoopNode at = *findLoop(kernel.schedule.tree, asked.at);
  bool isUsed = false;
  for (const int index : statementsBelow(kernel, at))
    for (const Access &a : kernel.statements[static_cast<std::size_t>(index)].accesses) {
      isUsed |= a.buffer == copy.matrix;
      if (a.buffer == copy.matrix && a.isWrite && !asked.isKept)
        return {std::nullopt, fmt::format("the loop over {} writes {}", asked.at, asked.matrix)};
    }
  if (!isUsed)
    return {std::nullopt, fmt::format("the loop over {} does not use {}", asked.at, asked.matrix)};
  if (const std::string elsewhere = runsElsewhere(kernel, at); !elsewhere.empty())
    return {std::nullopt,
            fmt::format("{} runs outside of its loop over {}, too: its iterations are cut already", elsewhere,
                        asked.at)};
  if (kernel.schedule.registerTile)
    return {std::nullopt, "blocks in registers have copies of their own"};
  copy.loops = loopsAround(at);
  std::optional<Exposed> exposed = expose(kernel, copy.loops);
  if (!exposed)
    return {std::nullopt, "its body is a call of C++ code"};
  Scheduled &made = exposed->kernel;
  if (std::string why = findBox(copy, *exposed, made, asked.matrix); !why.empty())
    return {std::nullopt, std::move(why)};
  for (std::size_t d = 0; d < copy.cells; ++d)
    copy.order.push_back(asked.isTransposed ? copy.cells - 1 - d : d);
  Buffer scratch;
  scratch.name = freshName(made, matrix.name + (asked.isKept ? "_kept" : "_pack"));
  scratch.role = Buffer::Role::Scratch;
  scratch.element = matrix.element;
  scratch.rank = static_cast<int>(copy.cells + copy.loops.size());
  scratch.inRegisters = asked.isKept;
  long bytes = bytesOf(matrix.element);
  const long most = asked.isKept ? kMostInRegisters : kMostBytes;
  for (const std::size_t d : copy.order) {
    scratch.extents.push_back(copy.extents[d] + (scratch.extents.empty() ? asked.pad : 0));
    bytes *= scratch.extents.back();
    if (bytes > most)
      return {std::nullopt, fmt::format("its copy of {} would need more than {} bytes", asked.matrix, most)};
  }
  const int scratchIndex = static_cast<int>(made.buffers.size());
  made.buffers.push_back(scratch);
  std::vector<Placed> placed;
  isl::schedule labels = made.schedule.tree;
  for (const bool isBack : {false, true}) {
    if ((isBack ? copy.written : copy.read).is_null())
      continue;
    const std::string name = freshName(made, matrix.name + (isBack ? "_back" : "_copy"));
    Placed one{copyStatement(copy, made, name, scratchIndex, isBack), isBack, {}};
    for (const std::size_t d : copy.order) {
      std::string label = freshLabel(labels, one.statement.dimensions[copy.loops.size() + d]);
      while (isTaken(placed, label)) // by the loops of the other copy
        label = freshLabel(labels, label + "b");
      one.labels.push_back(label);
    }
    placed.push_back(std::move(one));
  }
  for (const auto &[index, dimensions] : exposed->dimensions) {
    Statement &s = made.statements[static_cast<std::size_t>(index)];
    for (Access &a : s.accesses)
      if (a.buffer == copy.matrix)
        a = {scratchIndex, a.isWrite,
             place(copy, valuesOf(s, dimensions), unnamed(a.relation), scratch.name)};
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
