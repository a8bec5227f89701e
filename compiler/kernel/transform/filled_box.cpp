// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/filled_box.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/footprint.h"
#include "compiler/kernel/formula.h"
#include "compiler/kernel/item_values.h"
#include "compiler/kernel/transform/support.h"
#include "compiler/kernel/transform/ways_to_read.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/id.h>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::kernel {

isl_space *spaceOf(isl_ctx *ctx, const std::string &parameter) {
  isl_space *space = isl_space_params_alloc(ctx, 1);
  return isl_space_set_dim_id(space, isl_dim_param, 0, isl_id_alloc(ctx, parameter.c_str(), nullptr));
}

namespace {

constexpr std::size_t kMostAxes = 3;

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
  copy.isOfItem = asked.isKept;
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

/// The reads that the copy is for: all of them, or those that move in the way that was asked for.
std::vector<ReadOfMatrix> chosen(Filling &copy, const std::vector<ReadOfMatrix> &all, long access,
                                 const Kernel &kernel) {
  if (access == 0)
    return all;
  const std::vector<std::vector<ReadOfMatrix>> ways = waysToRead(kernel, all);
  copy.ways = ways.size();
  return static_cast<std::size_t>(access) <= ways.size() ? ways[static_cast<std::size_t>(access) - 1]
                                                         : std::vector<ReadOfMatrix>{};
}

void findCells(Filling &copy, const Exposed &exposed, long access) {
  const Scheduled &kernel = exposed.kernel;
  const std::vector<LoopNode> items = itemLoops(kernel.schedule.tree);
  std::vector<ReadOfMatrix> all;
  for (const auto &[index, dimensions] : exposed.dimensions) {
    const Statement &s = kernel.statements[static_cast<std::size_t>(index)];
    copy.values[index] = together(itemsOf(s, items), valuesOf(s.domain, dimensions));
    for (std::size_t k = 0; k < s.accesses.size(); ++k)
      if (const Access &a = s.accesses[k]; a.buffer == copy.matrix && !s.copy) // what fills a copy has none
        all.push_back(
            {{index, k},
             copy.values[index].intersect_domain(s.domain).reverse().apply_range(withoutTuple(a.relation))});
  }
  for (const ReadOfMatrix &read : chosen(copy, all, access, kernel)) {
    copy.reads.insert(read.place);
    copy.touched = copy.touched.is_null() ? read.cells : copy.touched.unite(read.cells);
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
  if (isl_aff_dim(named, isl_dim_div) > 0 &&
      isl_aff_involves_dims(named, isl_dim_in, 0, static_cast<unsigned>(copy.axes)) != isl_bool_false)
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
    out.isBlock = std::get<as::Item>(*items[axis].how).hasSeveral();
    const unsigned at = static_cast<unsigned>(isl_aff_dim(named, isl_dim_param));
    named = isl_aff_add_dims(named, isl_dim_param, 1);
    const std::string begin = copy.isOfItem ? beginParameter(out.axis) : firstParameter(out.axis);
    isl_id *id = isl_id_alloc(isl_aff_get_ctx(named), begin.c_str(), nullptr);
    named = isl_aff_set_dim_id(named, isl_dim_param, at, id);
    named = isl_aff_set_coefficient_val(named, isl_dim_param, static_cast<int>(at), factor);
    named = isl_aff_set_coefficient_si(named, isl_dim_in, static_cast<int>(axis), 0);
  }
  named = isl_aff_drop_dims(named, isl_dim_in, 0, static_cast<unsigned>(copy.axes));
  copy.first.push_back(isl::manage(isl_pw_aff_from_aff(named)));
  return "";
}

/// The only cell along this dimension that an item reads in a step, such as the version t % 2 of a matrix, for which a box between
/// numbers would have both; nothing if there are several.
std::optional<isl::aff> onlyCell(const isl::map &touched, std::size_t d, const isl::set &context) {
  const auto rank = static_cast<unsigned>(isl_map_dim(touched.get(), isl_dim_out));
  const auto at = static_cast<unsigned>(d);
  isl_map *along = isl_map_project_out(touched.copy(), isl_dim_out, at + 1, rank - at - 1);
  const isl::map cells =
      isl::manage(isl_map_project_out(along, isl_dim_out, 0, at)).intersect_params(context);
  if (isl_map_is_single_valued(cells.get()) != isl_bool_true)
    return std::nullopt;
  const isl::pw_multi_aff value = isl::manage(isl_pw_multi_aff_from_map(cells.copy()));
  return formula(isl::manage(isl_pw_aff_coalesce(isl_pw_multi_aff_get_pw_aff(value.get(), 0))));
}

/// Whether the number of cells is what a dimension says of one item: a constant, and sizes of the program.
bool setExtent(GroupDimension &d, const isl::pw_aff &extent) {
  if (const std::optional<long> cells = constantOf(extent)) {
    d.extent = *cells;
    return true;
  }
  const std::optional<isl::aff> sum = formula(extent);
  if (!sum)
    return false;
  const auto whole = [](isl_val *value) {
    const std::optional<long> number =
        isl_val_is_int(value) == isl_bool_true ? std::optional(isl_val_get_num_si(value)) : std::nullopt;
    isl_val_free(value);
    return number;
  };
  const std::optional<long> constant = whole(isl_aff_get_constant_val(sum->get()));
  if (!constant)
    return false;
  d.extent = *constant;
  long more = 0;
  for (int at = 0, n = static_cast<int>(isl_aff_dim(sum->get(), isl_dim_param)); at < n; ++at) {
    const std::optional<long> factor = whole(isl_aff_get_coefficient_val(sum->get(), isl_dim_param, at));
    if (factor == 0)
      continue;
    const std::string size = isl_aff_get_dim_name(sum->get(), isl_dim_param, static_cast<unsigned>(at));
    if (!factor || *factor < 0 || size.starts_with("pb__")) // of a launch (item_values.h)
      return false;
    d.sizes.push_back({size, *factor});
    more += *factor;
  }
  std::sort(d.sizes.begin(), d.sizes.end(), [](const auto &a, const auto &b) { return a.size < b.size; });
  return d.extent >= 1 || d.extent + more >= 1; // if all sizes are 1 at least (sizesOfBuild)
}

/// Finds the box of a group around the cells; a sentence if there is none.
std::string findGroupBox(Filling &copy, const Scheduled &kernel, const CopyRequest &asked) {
  const std::string name = programName(kernel, copy.matrix);
  if (copy.touched.is_null() && asked.access > 1)
    return fmt::format("reads of `{}` that have no copy yet move in {} ways, so that there is no access {}",
                       name, copy.ways, asked.access);
  if (copy.touched.is_null())
    return asked.at.empty() ? fmt::format("the kernel does not read `{}`", name)
                            : fmt::format("the loop over `{}` does not read `{}`", asked.at, name);
  const bool mayHaveSizes = asked.at.empty() && !asked.isKept;
  std::string whyNoExtent =
      !asked.at.empty()
          ? fmt::format("the cells of `{}` that one step of `{}` reads have no constant extent (tile its "
                        "loops first)",
                        name, asked.at)
      : asked.isKept
          ? fmt::format("the cells of `{}` that an item reads have no constant extent", name)
          : fmt::format("the cells of `{}` that an item reads have no extent that is a sum of sizes", name);
  std::optional<CellBox> box = boxAround(copy.touched, kernel.context);
  if (!box || !std::all_of(box->extents.begin(), box->extents.end(), constantOf))
    box = mayHaveSizes ? movingBoxAround(copy.touched, kernel.context) : std::nullopt;
  if (!box)
    return whyNoExtent;
  copy.box = *box;
  const std::vector<LoopNode> items = itemLoops(kernel.schedule.tree);
  for (std::size_t d = 0; d < box->first.size(); ++d) {
    GroupDimension one;
    one.dimension = static_cast<int>(d);
    if (!setExtent(one, box->extents[d]))
      return whyNoExtent;
    std::optional<isl::aff> first = formula(box->first[d]);
    if (one.extent > 1 && one.sizes.empty())
      if (std::optional<isl::aff> only = onlyCell(copy.touched, d, kernel.context)) {
        first = std::move(only);
        one.extent = 1;
        copy.box.first[d] = isl::pw_aff(*first);
        copy.box.extents[d] = constantExtent(kernel.context.ctx(), 1);
      }
    std::string why =
        first ? moveWith(copy, items, *first, one) : "begin at a cell for which there are several formulas";
    if (!why.empty())
      return fmt::format("the cells of `{}` that an item reads {}", name, why);
    copy.dimensions.push_back(one);
  }
  return "";
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

/// Whether each item of a launch reads some cell at this distance from the first one of its box.
bool isReached(const Filling &copy, const Scheduled &kernel, std::size_t d, long distance) {
  isl_ctx *ctx = kernel.context.ctx().get();
  isl_pw_aff *place =
      isl_pw_aff_add_constant_val(copy.box.first[d].copy(), isl_val_int_from_si(ctx, distance));
  const isl::map there = withoutTuple(isl::manage(isl_map_from_pw_aff(place)));
  isl_map *read = withoutTuple(copy.touched).release();
  const auto rank = static_cast<unsigned>(isl_map_dim(read, isl_dim_out)), at = static_cast<unsigned>(d);
  read = isl_map_project_out(read, isl_dim_out, at + 1, rank - at - 1);
  read = isl_map_project_out(read, isl_dim_out, 0, at);
  const isl::set items = ofOneItem(isl::manage(read).intersect(there).domain(), copy.axes);
  const isl::set all = isl::manage(isl_set_universe(isl_set_get_space(items.get())));
  return all.intersect_params(withinLaunch(kernel)).is_subset(items);
}

} // namespace

isl::set stepsOf(const Filling &copy, const Scheduled &kernel) {
  const isl::set all = copy.touched.domain();
  const isl::set steps =
      isl::manage(isl_set_project_out(all.copy(), isl_dim_set, 0, static_cast<unsigned>(copy.axes)));
  const isl::set here = steps.intersect_params(withinLaunch(kernel));
  if (copy.loops.empty())
    return isl::manage(isl_set_universe(isl_set_get_space(here.get()))); // no item has done anything before
  if (isOfGroup(kernel) && !copy.isOfItem)
    return steps;
  const isl::set ofOne = ofOneItem(all, copy.axes);
  return here.is_subset(ofOne) ? ofOne : isl::set();
}

bool isWithin(const Filling &copy, const Scheduled &kernel) {
  for (std::size_t d = 0; d < copy.dimensions.size(); ++d) {
    const long last = copy.dimensions[d].extent - 1;
    if (!isReached(copy, kernel, d, 0) || (last > 0 && !isReached(copy, kernel, d, last)))
      return false;
  }
  return true;
}

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
  findCells(copy, *exposed, asked.access);
  return findGroupBox(copy, exposed->kernel, asked);
}

} // namespace pbc::kernel
