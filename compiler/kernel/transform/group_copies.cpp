// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/group_copies.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/rebuild.h"
#include "compiler/kernel/transform/filled_box.h"
#include "compiler/kernel/transform/support.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>

namespace pbc::kernel {
namespace {

/// `f` is the same for all points of the group, or of the item.
isl::pw_aff withPlace(const isl::pw_aff &f, const GroupDimension &d, bool isOfItem) {
  if (d.axis < 0 || (isOfItem && !d.isBlock))
    return f;
  isl_local_space *space = isl_local_space_from_space(isl_space_domain(isl_pw_aff_get_space(f.get())));
  const std::string place = isOfItem ? pointParameter(d.axis) : placeParameter(d.axis);
  isl_id *id = isl_id_alloc(isl_pw_aff_get_ctx(f.get()), place.c_str(), nullptr);
  space = isl_local_space_add_dims(space, isl_dim_param, 1);
  const unsigned at = static_cast<unsigned>(isl_local_space_dim(space, isl_dim_param)) - 1;
  space = isl_local_space_set_dim_id(space, isl_dim_param, at, id);
  isl_aff *moved = isl_aff_var_on_domain(space, isl_dim_param, at);
  moved = isl_aff_scale_val(moved, isl_val_int_from_si(isl_pw_aff_get_ctx(f.get()), d.factor));
  return isl::manage(isl_pw_aff_add(f.copy(), isl_pw_aff_from_aff(moved)));
}

/// A coordinate in the matrix as one in the memory.
isl::pw_aff inGroup(const Filling &copy, const isl::pw_aff &coordinate, const isl::pw_multi_aff &values,
                    std::size_t d) {
  if (copy.isOfItem && copy.dimensions[d].extent == 1) { // whichever cell that is
    isl_space *space = isl_space_domain(isl_pw_aff_get_space(coordinate.get()));
    isl_aff *zero = isl_aff_zero_on_domain(isl_local_space_from_space(space));
    return withPlace(isl::manage(isl_pw_aff_from_aff(zero)), copy.dimensions[d], true);
  }
  isl_pw_aff *first = isl_pw_aff_pullback_pw_multi_aff(copy.box.first[d].copy(), values.copy());
  return withPlace(isl::manage(isl_pw_aff_sub(coordinate.copy(), first)), copy.dimensions[d], copy.isOfItem);
}

/// Makes a statement, of this index, read the group's memory, which is buffer `to`.
void redirect(Statement &s, int index, const Filling &copy, const Buffer &memory, int to,
              const isl::map &valuesHere) {
  const isl::pw_multi_aff values = isl::manage(isl_pw_multi_aff_from_map(valuesHere.copy()));
  isl_space *space = isl_space_add_dims(isl_space_from_domain(isl_set_get_space(s.domain.get())), isl_dim_out,
                                        static_cast<unsigned>(memory.rank));
  const isl::space cells = isl::manage(isl_space_set_tuple_name(space, isl_dim_out, memory.name.c_str()));
  const auto moved = [&](const isl::multi_pw_aff &coordinates) {
    isl_pw_aff_list *all = isl_pw_aff_list_alloc(isl_space_get_ctx(cells.get()), memory.rank);
    for (const GroupDimension &d : memory.ofGroup) {
      const isl::pw_aff one = isl::manage(isl_multi_pw_aff_get_pw_aff(coordinates.get(), d.dimension));
      all = isl_pw_aff_list_add(all,
                                inGroup(copy, one, values, static_cast<std::size_t>(d.dimension)).release());
    }
    return isl::manage(isl_multi_pw_aff_from_pw_aff_list(cells.copy(), all));
  };
  for (std::size_t k = 0; k < s.accesses.size(); ++k) {
    Access &a = s.accesses[k];
    if (!copy.reads.contains({index, k}))
      continue;
    a.buffer = to;
    if (!s.isOpaque) {
      isl_pw_multi_aff *cell = isl_pw_multi_aff_from_map(a.relation.copy());
      a.relation = isl::manage(
          isl_map_from_multi_pw_aff(moved(isl::manage(isl_multi_pw_aff_from_pw_multi_aff(cell))).release()));
      continue;
    }
    OpaqueArgument &argument = s.arguments[k];
    argument.buffer = to;
    argument.begin = moved(argument.begin);
    argument.end = moved(argument.end);
    a.relation = isl::manage(isl_map_universe(cells.copy())); // some cells of the memory
  }
}

/// Whether where a read is in an item's memory depends on sizes or on the point: an array that is indexed by them would not be in registers.
bool isFoundAtRunTime(const Statement &s, int memory) {
  return std::any_of(s.accesses.begin(), s.accesses.end(), [&](const Access &a) {
    if (a.buffer != memory || a.isWrite)
      return false;
    isl_map *place = a.relation.copy(); // of the number of the point, and of the loops of the body
    for (int at = static_cast<int>(isl_map_dim(place, isl_dim_param)); at-- > 0;) {
      const std::string name = isl_map_get_dim_name(place, isl_dim_param, static_cast<unsigned>(at));
      if (name != pointParameter(0) && name != pointParameter(1))
        place = isl_map_project_out(place, isl_dim_param, static_cast<unsigned>(at), 1);
    }
    place = isl_map_project_out(place, isl_dim_in, 0, static_cast<unsigned>(s.freeCount));
    const isl::map cells = isl::manage(place);
    return isl_map_is_single_valued(cells.get()) != isl_bool_true;
  });
}

/// The statement that fills the memory.
Statement fillStatement(const Filling &copy, const Scheduled &kernel, const isl::set &steps,
                        const Buffer &memory, int to) {
  const Buffer &matrix = kernel.buffers[static_cast<std::size_t>(copy.matrix)];
  Statement s;
  s.name = freshName(kernel, matrix.name + "_fill");
  for (const std::string &loop : copy.loops)
    s.dimensions.push_back(freshDimension(kernel, s.dimensions, loop));
  s.freeCount = static_cast<int>(s.dimensions.size());
  s.domain = isl::manage(isl_set_set_tuple_name(
      isl_set_gist_params(isl_set_coalesce(steps.copy()), kernel.context.copy()), s.name.c_str()));
  const auto access = [&](int buffer, bool isWrite) {
    const Buffer &b = kernel.buffers[static_cast<std::size_t>(buffer)];
    isl_space *space = isl_space_add_dims(isl_space_from_domain(isl_set_get_space(s.domain.get())),
                                          isl_dim_out, static_cast<unsigned>(b.rank));
    space = isl_space_set_tuple_name(space, isl_dim_out, b.name.c_str());
    return Access{buffer, isWrite, isl::manage(isl_map_universe(space))};
  };
  s.accesses = {access(to, true), access(copy.matrix, false)};
  s.write = 0;
  GroupCopy fill{copy.matrix, to, {}, copy.isOfItem && isWithin(copy, kernel)};
  for (const GroupDimension &d : memory.ofGroup) {
    isl_pw_aff *first = copy.first[static_cast<std::size_t>(d.dimension)].copy();
    fill.first.push_back(
        isl::manage(isl_pw_aff_set_tuple_id(first, isl_dim_in, isl_set_get_tuple_id(s.domain.get()))));
  }
  s.copy = std::move(fill);
  return s;
}

/// Puts the copy in front of what is below its loop. Every item takes part in it.
class WithFill : public Rebuild {
public:
  WithFill(const Filling &copy, const Statement &fill, const std::string &memory, const Schedule &schedule)
      : copy_(copy), fill_(fill), memory_(memory), round_(roundParameter(schedule)) {}

protected:
  isl::union_pw_aff function(const isl::schedule_node &band) override {
    const isl::union_pw_aff f = member(band, 0);
    const std::optional<LoopNode> loop = loopOf(band);
    const auto at = std::find(copy_.loops.begin(), copy_.loops.end(), loop ? loop->label : "");
    isl_union_pw_aff *own = nullptr;
    if (at != copy_.loops.end()) {
      isl_local_space *space = isl_local_space_from_space(isl_set_get_space(fill_.domain.get()));
      own = isl_union_pw_aff_from_aff(
          isl_aff_var_on_domain(space, isl_dim_set, static_cast<unsigned>(at - copy_.loops.begin())));
    } else if (loop && loop->how && std::holds_alternative<as::Item>(*loop->how)) {
      own = parameter(itemParameter(std::get<as::Item>(*loop->how).axis));
    } else if (!round_.empty() && isAroundCopy(band)) {
      own = parameter(round_);
    }
    return own ? isl::manage(isl_union_pw_aff_union_add(f.copy(), own)) : f;
  }

  /// The copy of the next step waits for what reads the one before.
  bool staysParallel(const isl::schedule_node &band) override {
    const std::optional<LoopNode> loop = loopOf(band);
    return Rebuild::staysParallel(band) &&
           std::find(copy_.loops.begin(), copy_.loops.end(), loop ? loop->label : "") == copy_.loops.end();
  }

  isl::union_set instances(const isl::schedule_node &filter) override {
    isl::union_set own = isl::manage(isl_schedule_node_filter_get_filter(filter.get()));
    return isAroundCopy(filter) ? own.unite(isl::union_set(fill_.domain)) : own;
  }

  isl::schedule_node at(const isl::schedule_node &old, const isl::schedule_node &leaf,
                        const Rest &rest) override {
    const isl::schedule_node above = isl::manage(isl_schedule_node_parent(old.copy()));
    const std::optional<LoopNode> loop = isBand(above) ? loopOf(above) : std::nullopt;
    if (!loop || loop->label != copy_.below)
      return rest(leaf);
    const isl::union_set all = isl::manage(isl_schedule_node_get_domain(leaf.get()));
    const isl::union_set own(isl::manage(isl_set_universe(isl_set_get_space(fill_.domain.get()))));
    isl_union_set_list *filters = isl_union_set_list_from_union_set(own.copy());
    const isl::union_set others = isl::manage(isl_union_set_universe(all.copy())).subtract(own);
    filters = isl_union_set_list_add(filters, others.copy());
    isl_schedule_node *made = isl_schedule_node_insert_sequence(leaf.copy(), filters);
    made = isl_schedule_node_child(isl_schedule_node_child(made, 1), 0);
    const isl::schedule_node filled = rest(isl::manage(made));
    return insertMark(isl::manage(isl_schedule_node_ancestor(filled.copy(), 2)), Declare{memory_});
  }

private:
  bool isAroundCopy(const isl::schedule_node &node) const {
    bool isAround = false;
    visit(node, [&](const isl::schedule_node &inside) {
      if (const auto loop = loopAt(inside))
        isAround |= loop->label == copy_.below;
    });
    return isAround;
  }

  /// The parameter, for the instances of the copy.
  isl_union_pw_aff *parameter(const std::string &name) const {
    isl_id *id = isl_id_alloc(isl_set_get_ctx(fill_.domain.get()), name.c_str(), nullptr);
    return isl_union_pw_aff_param_on_domain_id(isl_union_set_from_set(fill_.domain.copy()), id);
  }

  static std::optional<LoopNode> loopOf(isl::schedule_node band) {
    while (isl_schedule_node_has_parent(band.get()) == isl_bool_true) {
      band = isl::manage(isl_schedule_node_parent(band.release()));
      if (auto loop = loopAt(band))
        return loop;
      if (!markAt(band))
        break;
    }
    return std::nullopt;
  }

  const Filling &copy_;
  const Statement &fill_;
  const std::string &memory_;
  /// The only value of the loop over rounds, which lies around the items; "" without one.
  const std::string round_;
};

/// An item reads what it has taken part in copying, in the same step, and the next step waits for it.
isl::union_map dependencesOf(const Filling &copy, const Scheduled &kernel, const Statement &fill) {
  isl::union_map all = isl::manage(isl_union_map_empty_ctx(kernel.context.ctx().get()));
  const auto add = [&](isl_map *one) { all = all.unite(isl::union_map(isl::manage(one))); };
  const auto axes = static_cast<unsigned>(copy.axes);
  for (const auto &[index, values] : copy.values) {
    const Statement &s = kernel.statements[static_cast<std::size_t>(index)];
    isl_map *steps = values.intersect_domain(s.domain).release(); // { S[i] -> [items, loops] }
    for (unsigned axis = 0; axis < axes; ++axis) {
      const std::string item = itemParameter(static_cast<int>(axis));
      steps = isl_map_align_params(steps, spaceOf(isl_map_get_ctx(steps), item));
      const int at = isl_map_find_dim_by_name(steps, isl_dim_param, item.c_str());
      steps = isl_map_equate(steps, isl_dim_out, static_cast<int>(axis), isl_dim_param, at);
    }
    steps = isl_map_project_out(steps, isl_dim_out, 0, axes);
    isl_map *later =
        isl_map_apply_range(isl_map_copy(steps), isl_map_lex_lt(isl_space_range(isl_map_get_space(steps))));
    const auto toFill = [&](isl_map *m) {
      m = isl_map_set_tuple_name(m, isl_dim_out, fill.name.c_str());
      return isl_map_intersect_range(m, fill.domain.copy());
    };
    if (!copy.loops.empty())
      add(toFill(later));
    else
      isl_map_free(later);
    add(isl_map_reverse(toFill(steps)));
  }
  return all;
}

/// The dimension along which an item has several points comes first, so that it reads them together; without one, the order is reversed.
void transpose(std::vector<GroupDimension> &dimensions) {
  const auto block = std::find_if(dimensions.begin(), dimensions.end(),
                                  [](const GroupDimension &d) { return d.axis >= 0 && d.isBlock; });
  if (block == dimensions.end())
    std::reverse(dimensions.begin(), dimensions.end());
  else
    std::rotate(dimensions.begin(), block, block + 1);
}

/// Divides the rows of the memory into parts, all as long as each other; a sentence if that would not bring cells together that items read.
std::string divideRows(Buffer &memory, const CopyRequest &asked) {
  GroupDimension &row = memory.ofGroup.front();
  if (asked.parts < 2)
    return asked.gap ? "a `gap` is behind `parts` of its rows, and it has none" : "";
  if (row.axis < 0 || row.factor % asked.parts != 0)
    return fmt::format(
        "neighbouring items read cells of a row that lie {} apart, which is no multiple of its {} `parts`",
        row.axis < 0 ? 0 : row.factor, asked.parts);
  if (!row.sizes.empty())
    return "how many cells of a row an item reads is no constant, so that rows have no `parts` as long as "
           "each other";
  row.extent = (row.extent + asked.parts - 1) / asked.parts * asked.parts;
  memory.parts = asked.parts;
  memory.gap = asked.gap;
  return "";
}

/// Why items with planes of points cannot keep these cells from one plane to the next; "" if they can.
std::string whyNoPlanes(const Filling &copy, const CopyRequest &asked) {
  constexpr int kTurnAxis = 2;
  const GroupDimension *turn = nullptr;
  for (const GroupDimension &d : copy.dimensions)
    if (d.axis == kTurnAxis)
      turn = &d;
  if (!asked.isKept)
    return "its items go through planes of points, each of which reads other cells";
  if (turn && (turn->factor != 1 || (turn->dimension == 0 && turn->extent > 1)))
    return turn->factor != 1 ? "the cells of the next plane of points are not those behind the last ones"
                             : "neighbouring planes of points read neighbours in a row of the matrix";
  if (asked.isThroughGroup && !turn)
    return "all planes of points read the same cells, which are copied once";
  if (asked.isThroughGroup && asked.planes > turn->extent)
    return fmt::format("an item reads {} planes of cells for a plane of points, and `planes` are {}",
                       turn->extent, asked.planes);
  return "";
}

/// The memory for what the items of a group read of one plane: `item` without the planes before the last one, and room for rows that
/// begin in front of a multiple of 16 bytes. The next plane is copied while items read the last ones, so many as `planes`.
Buffer planeOf(const Buffer &item, const std::string &name, long planes) {
  constexpr long kWide = 16; // bytes
  Buffer plane = item;
  plane.name = name;
  plane.role = Buffer::Role::Group;
  plane.buffers = static_cast<int>(planes) + 1;
  for (GroupDimension &d : plane.ofGroup)
    if (d.axis == 2)
      d.extent = 1;
  const auto bytes = static_cast<long>(bytesOf(item.element));
  const GroupDimension &row = plane.ofGroup.front();
  const long more = row.axis < 0 ? row.extent : row.extent - row.factor;
  plane.pad = kWide / bytes - 1;
  // Rows of 128 bytes and these end so that the cells of a column, in eight rows, are in different banks.
  while ((more + plane.pad) * bytes % (2 * kWide) != kWide)
    ++plane.pad;
  return plane;
}

} // namespace

GroupBox groupBox(const Scheduled &kernel, const CopyRequest &asked) {
  Filling copy;
  std::optional<Exposed> exposed;
  std::string why = analyse(copy, exposed, kernel, asked);
  return {std::move(copy.dimensions), std::move(why), copy.ways};
}

Outcome withGroupCopy(const Scheduled &kernel, const CopyRequest &asked) {
  Filling copy;
  std::optional<Exposed> exposed;
  if (std::string why = analyse(copy, exposed, kernel, asked); !why.empty())
    return {std::nullopt, std::move(why)};
  Scheduled &made = exposed->kernel;
  const Buffer matrix = made.buffers[static_cast<std::size_t>(copy.matrix)];
  const bool isCalled = std::any_of(made.statements.begin(), made.statements.end(), [&](const Statement &s) {
    return s.isOpaque && usesBuffer(s, copy.matrix);
  });
  if (isCalled && asked.isKept)
    return {std::nullopt, "its body is a call of C++ code, which cannot read registers"};
  if (isCalled && (asked.isTransposed || asked.pad || asked.parts > 1))
    return {std::nullopt, "its body is a call of C++ code, which expects the matrix as it is"};
  if (asked.buffers > 1 && asked.at.empty())
    return {std::nullopt, "with two buffers it needs `at`, the loop whose next step is copied meanwhile"};
  if (isCalled && asked.buffers > 1)
    return {std::nullopt, "its body is a call of C++ code, which knows one buffer"};
  if (asked.isThroughGroup && !hasPlanes(kernel.schedule.tree))
    return {std::nullopt, "its items have no planes of points, whose turns could share memory of the group"};
  if (hasPlanes(kernel.schedule.tree))
    if (std::string why = whyNoPlanes(copy, asked); !why.empty())
      return {std::nullopt, std::move(why)};
  const isl::set steps = stepsOf(copy, made);
  if (steps.is_null() && !asked.isKept && hasBlocks(kernel.schedule.tree))
    return withGroupCopy(ofOneGroup(kernel), asked);
  if (steps.is_null())
    return {std::nullopt, fmt::format("not all items come to all steps of the loop over `{}`", asked.at)};
  Buffer memory;
  memory.name = freshName(made, matrix.name + (asked.isKept ? "_item" : "_group"));
  memory.role = asked.isKept ? Buffer::Role::Item : Buffer::Role::Group;
  memory.element = matrix.element;
  memory.rank = matrix.rank;
  memory.ofGroup = copy.dimensions;
  memory.pad = asked.pad;
  memory.buffers = static_cast<int>(asked.buffers);
  if (asked.isTransposed)
    transpose(memory.ofGroup);
  if (std::string why = divideRows(memory, asked); !why.empty())
    return {std::nullopt, std::move(why)};
  const int to = static_cast<int>(made.buffers.size());
  made.buffers.push_back(memory);
  Statement fill = fillStatement(copy, made, steps, memory, to);
  if (!copy.reads.empty())
    fill.origin = made.statements[static_cast<std::size_t>(copy.reads.begin()->first)].origin;
  if (asked.isThroughGroup) {
    fill.copy->through = static_cast<int>(made.buffers.size());
    made.buffers.push_back(planeOf(memory, freshName(made, matrix.name + "_plane"), asked.planes));
  }
  fill.copy->stored = asked.stored;
  const isl::union_set all =
      isl::manage(isl_schedule_get_domain(made.schedule.tree.get())).unite(isl::union_set(fill.domain));
  made.schedule.tree = WithFill(copy, fill, memory.name, made.schedule).run(made.schedule.tree, all);
  made.dependences = made.dependences.unite(dependencesOf(copy, made, fill));
  for (const auto &[index, values] : copy.values) {
    Statement &s = made.statements[static_cast<std::size_t>(index)];
    if (!usesBuffer(s, copy.matrix))
      continue;
    redirect(s, index, copy, memory, to, values);
    if (asked.isKept && isFoundAtRunTime(s, to))
      return {std::nullopt, fmt::format("which cells of its box of `{}` an item reads is known only when it "
                                        "runs, so that they would not be in registers",
                                        programName(kernel, copy.matrix))};
  }
  made.statements.push_back(fill);
  // The copy runs in front of what reads it, and nothing else has moved.
  return inSameOrder(made, made.schedule.tree);
}

} // namespace pbc::kernel
