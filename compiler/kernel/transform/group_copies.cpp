// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/group_copies.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/cell_box.h"
#include "compiler/kernel/expose.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/rebuild.h"
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

constexpr std::size_t kMostAxes = 3;

/// The copy of one input.
struct Filling {
  int matrix = -1;
  std::size_t axes = 0;           // of the items
  std::string below;              // the loop below which the copy is made
  std::vector<std::string> loops; // around it, without those of items
  std::map<int, isl::map> values; // by statement: { S[i] -> [items, loops] }
  isl::map touched;               // { [items, loops] -> [cells] }
  CellBox box;
  std::vector<GroupDimension> dimensions; // of the matrix
  std::vector<isl::pw_aff> first;         // { [loops] -> cell }, with first<axis>
};

isl::map withoutTuple(const isl::map &m) {
  return isl::manage(isl_map_reset_tuple_id(m.copy(), isl_dim_out));
}

isl::map together(const isl::map &a, const isl::map &b) {
  return isl::manage(isl_map_flat_range_product(a.copy(), b.copy()));
}

/// { S[i] -> [coordinates of its item] }
isl::map itemsOf(const Statement &s, const std::vector<LoopNode> &items) {
  isl::map all = valuesOf(s.domain, {});
  for (const LoopNode &loop : items) {
    isl_map *one = isl_map_from_pw_aff(member(loop.band, 0, s.name)->copy());
    all = together(all, isl::manage(isl_map_reset_tuple_id(one, isl_dim_out)));
  }
  return all;
}

/// Why a copy cannot be made there, before anything is known of the cells; "" if it can.
std::string placeOf(Filling &copy, const Scheduled &kernel, const CopyRequest &asked) {
  const std::vector<LoopNode> items = itemLoops(kernel.schedule.tree);
  copy.matrix = bufferIndex(kernel, asked.matrix);
  copy.axes = items.size();
  const Buffer &matrix = kernel.buffers[static_cast<std::size_t>(copy.matrix)];
  if (items.empty())
    return "its points have no items yet: `items` comes first";
  if (items.size() > kMostAxes)
    return "its items have more than three coordinates";
  if (workInGroups(kernel.schedule.tree))
    return "the items of a group compute more than a point each already";
  if (matrix.role != Buffer::Role::Input || matrix.rank == 0)
    return fmt::format("`{}` is no input with cells", programName(kernel, copy.matrix));
  copy.below = items.front().label; // axis 0 is the innermost one
  if (asked.at.empty())
    return "";
  const LoopNode at = *findLoop(kernel.schedule.tree, asked.at);
  for (const LoopNode &item : items)
    if (!isAround(item, at))
      return fmt::format("the loop over `{}` is not one of each item", asked.at);
  copy.loops = loopsAround(at);
  copy.loops.push_back(asked.at);
  std::erase_if(copy.loops, [&](const std::string &label) {
    return std::any_of(items.begin(), items.end(), [&](const LoopNode &l) { return l.label == label; });
  });
  if (std::string elsewhere = runsElsewhere(kernel, at); !elsewhere.empty())
    return fmt::format("`{}` runs outside of its loop over `{}`, too: its iterations are cut already",
                       elsewhere, asked.at);
  copy.below = asked.at;
  return runsAtOnce(at);
}

void findCells(Filling &copy, const Exposed &exposed) {
  const Scheduled &kernel = exposed.kernel;
  const std::vector<LoopNode> items = itemLoops(kernel.schedule.tree);
  for (const auto &[index, dimensions] : exposed.dimensions) {
    const Statement &s = kernel.statements[static_cast<std::size_t>(index)];
    copy.values[index] = together(itemsOf(s, items), valuesOf(s.domain, dimensions));
    for (const Access &a : s.accesses)
      if (a.buffer == copy.matrix) {
        const isl::map here =
            copy.values[index].intersect_domain(s.domain).reverse().apply_range(withoutTuple(a.relation));
        copy.touched = copy.touched.is_null() ? here : copy.touched.unite(here);
      }
  }
  if (!copy.touched.is_null())
    copy.touched = isl::manage(isl_map_coalesce(copy.touched.release())).intersect_params(kernel.context);
}

/// The first cell, with first<axis> in the places of the items; and how it moves with them. A sentence if it moves otherwise.
std::string moveWith(Filling &copy, const std::vector<LoopNode> &items, const isl::aff &first,
                     GroupDimension &out) {
  isl_aff *named = first.copy();
  const auto refuse = [&](const char *why) {
    isl_aff_free(named);
    return std::string(why);
  };
  if (isl_aff_dim(named, isl_dim_div) > 0)
    return refuse("begin at a cell that is found by division");
  for (std::size_t axis = 0; axis < copy.axes; ++axis) {
    isl_val *factor = isl_aff_get_coefficient_val(named, isl_dim_in, static_cast<int>(axis));
    const bool isWhole = isl_val_is_int(factor) == isl_bool_true;
    const long number = isl_val_get_num_si(factor);
    if (number == 0) {
      isl_val_free(factor);
      continue;
    }
    if (!isWhole || number < 0 || out.axis >= 0) {
      isl_val_free(factor);
      return refuse(out.axis >= 0 ? "move with several coordinates of the item"
                                  : "move backwards with the item");
    }
    out.axis = static_cast<int>(axis);
    out.factor = number;
    out.isBlock = std::get<as::Item>(*items[axis].how).isBlock;
    const unsigned at = static_cast<unsigned>(isl_aff_dim(named, isl_dim_param));
    named = isl_aff_add_dims(named, isl_dim_param, 1);
    isl_id *id = isl_id_alloc(isl_aff_get_ctx(named), firstParameter(out.axis).c_str(), nullptr);
    named = isl_aff_set_dim_id(named, isl_dim_param, at, id);
    named = isl_aff_set_coefficient_val(named, isl_dim_param, static_cast<int>(at), factor);
    named = isl_aff_set_coefficient_si(named, isl_dim_in, static_cast<int>(axis), 0);
  }
  named = isl_aff_drop_dims(named, isl_dim_in, 0, static_cast<unsigned>(copy.axes));
  copy.first.push_back(isl::manage(isl_pw_aff_from_aff(named)));
  return "";
}

/// Finds the box of a group around the cells; a sentence if there is none.
std::string findGroupBox(Filling &copy, const Scheduled &kernel, const CopyRequest &asked) {
  const std::string name = programName(kernel, copy.matrix);
  if (copy.touched.is_null())
    return asked.at.empty() ? fmt::format("the kernel does not read `{}`", name)
                            : fmt::format("the loop over `{}` does not read `{}`", asked.at, name);
  const std::optional<CellBox> box = boxAround(copy.touched, kernel.context);
  if (!box || !std::all_of(box->extents.begin(), box->extents.end(), constantOf))
    return asked.at.empty()
               ? fmt::format("the cells of `{}` that an item reads have no constant extent", name)
               : fmt::format(
                     "the cells of `{}` that one step of `{}` reads have no constant extent (tile its "
                     "loops first)",
                     name, asked.at);
  copy.box = *box;
  const std::vector<LoopNode> items = itemLoops(kernel.schedule.tree);
  for (std::size_t d = 0; d < box->first.size(); ++d) {
    GroupDimension one;
    one.dimension = static_cast<int>(d);
    one.extent = *constantOf(box->extents[d]);
    const std::optional<isl::aff> first = formula(box->first[d]);
    std::string why =
        first ? moveWith(copy, items, *first, one) : "begin at a cell for which there are several formulas";
    if (!why.empty())
      return fmt::format("the cells of `{}` that an item reads {}", name, why);
    copy.dimensions.push_back(one);
  }
  return "";
}

/// The space with this parameter only.
isl_space *spaceOf(isl_ctx *ctx, const std::string &parameter) {
  isl_space *space = isl_space_params_alloc(ctx, 1);
  return isl_space_set_dim_id(space, isl_dim_param, 0, isl_id_alloc(ctx, parameter.c_str(), nullptr));
}

/// The set, whose first dimensions are items, for one item; the parameters say for which.
isl::set ofOneItem(const isl::set &all, std::size_t axes) {
  isl_set *set = all.copy();
  for (std::size_t axis = 0; axis < axes; ++axis) {
    set = isl_set_align_params(set, spaceOf(isl_set_get_ctx(set), itemParameter(static_cast<int>(axis))));
    const int at =
        isl_set_find_dim_by_name(set, isl_dim_param, itemParameter(static_cast<int>(axis)).c_str());
    set = isl_set_equate(set, isl_dim_set, static_cast<int>(axis), isl_dim_param, at);
  }
  return isl::manage(isl_set_project_out(set, isl_dim_set, 0, static_cast<unsigned>(axes)));
}

/// The steps in which the copy is made; null if some item does not come to all of them, so that it could not help.
isl::set stepsOf(const Filling &copy, const Scheduled &kernel) {
  const isl::set all = copy.touched.domain();
  const isl::set steps =
      isl::manage(isl_set_project_out(all.copy(), isl_dim_set, 0, static_cast<unsigned>(copy.axes)));
  const isl::set here = steps.intersect_params(withinLaunch(kernel));
  if (copy.loops.empty())
    return isl::manage(isl_set_universe(isl_set_get_space(here.get()))); // no item has done anything before
  const isl::set ofOne = ofOneItem(all, copy.axes);
  return here.is_subset(ofOne) ? ofOne : isl::set();
}

isl::pw_aff withPlace(const isl::pw_aff &f, const GroupDimension &d) {
  if (d.axis < 0)
    return f;
  isl_local_space *space = isl_local_space_from_space(isl_space_domain(isl_pw_aff_get_space(f.get())));
  isl_id *id = isl_id_alloc(isl_pw_aff_get_ctx(f.get()), placeParameter(d.axis).c_str(), nullptr);
  space = isl_local_space_add_dims(space, isl_dim_param, 1);
  const unsigned at = static_cast<unsigned>(isl_local_space_dim(space, isl_dim_param)) - 1;
  space = isl_local_space_set_dim_id(space, isl_dim_param, at, id);
  isl_aff *place = isl_aff_var_on_domain(space, isl_dim_param, at);
  place = isl_aff_scale_val(place, isl_val_int_from_si(isl_pw_aff_get_ctx(f.get()), d.factor));
  return isl::manage(isl_pw_aff_add(f.copy(), isl_pw_aff_from_aff(place)));
}

/// A coordinate in the matrix as one in the group's memory.
isl::pw_aff inGroup(const Filling &copy, const isl::pw_aff &coordinate, const isl::pw_multi_aff &values,
                    std::size_t d) {
  isl_pw_aff *first = isl_pw_aff_pullback_pw_multi_aff(copy.box.first[d].copy(), values.copy());
  return withPlace(isl::manage(isl_pw_aff_sub(coordinate.copy(), first)), copy.dimensions[d]);
}

/// Makes a statement read the group's memory, which is buffer `to`.
void redirect(Statement &s, const Filling &copy, const Buffer &memory, int to, const isl::map &valuesHere) {
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
    if (a.buffer != copy.matrix)
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

/// The statement that fills the memory.
Statement fillStatement(const Filling &copy, const Kernel &kernel, const isl::set &steps,
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
  GroupCopy fill{copy.matrix, to, {}};
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

/// Where the copy would be made, and of what; a sentence if it cannot.
std::string analyse(Filling &copy, std::optional<Exposed> &exposed, const Scheduled &kernel,
                    const CopyRequest &asked) {
  if (std::string why = placeOf(copy, kernel, asked); !why.empty())
    return why;
  if (copy.loops.empty()) {
    exposed = Exposed{kernel, {}};
    for (std::size_t s = 0; s < kernel.statements.size(); ++s)
      exposed->dimensions[static_cast<int>(s)] = {};
  } else {
    exposed = expose(kernel, copy.loops);
  }
  if (!exposed)
    return "its body is a call of C++ code";
  findCells(copy, *exposed);
  return findGroupBox(copy, exposed->kernel, asked);
}

} // namespace

GroupBox groupBox(const Scheduled &kernel, const CopyRequest &asked) {
  Filling copy;
  std::optional<Exposed> exposed;
  std::string why = analyse(copy, exposed, kernel, asked);
  return {std::move(copy.dimensions), std::move(why)};
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
  if (isCalled && (asked.isTransposed || asked.pad))
    return {std::nullopt, "its body is a call of C++ code, which expects the matrix as it is"};
  const isl::set steps = stepsOf(copy, made);
  if (steps.is_null())
    return {std::nullopt, fmt::format("not all items come to all steps of the loop over `{}`", asked.at)};
  Buffer memory;
  memory.name = freshName(made, matrix.name + "_group");
  memory.role = Buffer::Role::Group;
  memory.element = matrix.element;
  memory.rank = matrix.rank;
  memory.ofGroup = copy.dimensions;
  memory.pad = asked.pad;
  if (asked.isTransposed)
    transpose(memory.ofGroup);
  const int to = static_cast<int>(made.buffers.size());
  made.buffers.push_back(memory);
  const Statement fill = fillStatement(copy, made, steps, memory, to);
  const isl::union_set all =
      isl::manage(isl_schedule_get_domain(made.schedule.tree.get())).unite(isl::union_set(fill.domain));
  made.schedule.tree = WithFill(copy, fill, memory.name, made.schedule).run(made.schedule.tree, all);
  made.dependences = made.dependences.unite(dependencesOf(copy, made, fill));
  for (const auto &[index, values] : copy.values) {
    Statement &s = made.statements[static_cast<std::size_t>(index)];
    if (usesBuffer(s, copy.matrix))
      redirect(s, copy, memory, to, values);
  }
  made.statements.push_back(fill);
  // The copy runs in front of what reads it, and nothing else has moved.
  return inSameOrder(made, made.schedule.tree);
}

} // namespace pbc::kernel
