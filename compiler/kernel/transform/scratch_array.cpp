// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/transform/scratch_array.h"
#include "compiler/kernel/buffer_names.h"
#include "compiler/kernel/cell_box.h"
#include "compiler/kernel/expose.h"
#include "compiler/kernel/footprint.h"
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/set.h>

namespace pbc::kernel {
namespace {

/// An access to the buffer with the values of the loops there.
struct Use {
  Statement *statement;
  Access *access;
  isl::map loops, each; // { S[i] -> [loops] }
};

std::vector<Use> usesOf(Exposed &exposed, const ArrayRequest &asked) {
  std::vector<Use> all;
  for (auto &[index, dimensions] : exposed.dimensions) {
    Statement &s = exposed.kernel.statements[static_cast<std::size_t>(index)];
    const auto inside = dimensions.begin() + static_cast<std::ptrdiff_t>(asked.loops.size());
    for (Access &a : s.accesses)
      if (a.buffer == asked.buffer)
        all.push_back({&s, &a, valuesOf(s.domain, {dimensions.begin(), inside}),
                       valuesOf(s.domain, {inside, dimensions.end()})});
  }
  return all;
}

isl::map withoutName(const isl::map &m) { return isl::manage(isl_map_reset_tuple_id(m.copy(), isl_dim_out)); }

isl::map product(const isl::map &a, const isl::map &b) {
  return isl::manage(isl_map_flat_range_product(a.copy(), b.copy()));
}

/// Gives iterations that use the same cells coordinates of their own.
void separate(const std::vector<Use> &uses, Buffer &buffer) {
  isl::map users; // { [loops, cell] -> [each] }
  for (const Use &use : uses) {
    const isl::map cells = product(use.loops, withoutName(use.access->relation));
    const isl::map here = cells.intersect_domain(use.statement->domain).reverse().apply_range(use.each);
    users = users.is_null() ? here : users.unite(here);
  }
  if (users.is_null() || isl_map_is_single_valued(users.get()) == isl_bool_true)
    return;
  for (const Use &use : uses) {
    const isl::map cells = product(withoutName(use.access->relation), use.each);
    use.access->relation =
        isl::manage(isl_map_set_tuple_name(cells.copy(), isl_dim_out, buffer.name.c_str()));
  }
  buffer.rank += static_cast<int>(isl_map_dim(users.get(), isl_dim_out));
}

} // namespace

Scheduled withOneMemory(const Scheduled &kernel, int index) {
  Scheduled made = kernel;
  Buffer &buffer = made.buffers[static_cast<std::size_t>(index)];
  if (buffer.role != Buffer::Role::Scratch)
    return made;
  const auto own = static_cast<unsigned>(buffer.extents.size());
  const unsigned loops = static_cast<unsigned>(buffer.rank) - own;
  for (Statement &s : made.statements)
    for (Access &a : s.accesses)
      if (a.buffer == index)
        a.relation = isl::manage(
            isl_map_set_tuple_name(isl_map_project_out(a.relation.copy(), isl_dim_out, own, loops),
                                   isl_dim_out, buffer.name.c_str()));
  buffer.rank = static_cast<int>(own);
  return made;
}

Outcome withArray(const Scheduled &kernel, const ArrayRequest &asked) {
  std::vector<std::string> loops = asked.loops;
  loops.insert(loops.end(), asked.each.begin(), asked.each.end());
  std::optional<Exposed> exposed = expose(kernel, loops);
  if (!exposed)
    return {std::nullopt, "its body is a call of C++ code"};
  Scheduled &made = exposed->kernel;
  Buffer &buffer = made.buffers[static_cast<std::size_t>(asked.buffer)];
  isl::map touched;
  const std::vector<Use> uses = usesOf(*exposed, asked);
  separate(uses, buffer);
  for (const Use &use : uses) {
    const isl::map here = use.loops.intersect_domain(use.statement->domain)
                              .reverse()
                              .apply_range(withoutName(use.access->relation));
    touched = touched.is_null() ? here : touched.unite(here);
  }
  if (touched.is_null() || touched.intersect_params(kernel.context).is_empty())
    return {std::nullopt, fmt::format("nothing uses `{}`", programName(made, buffer))};
  const std::optional<CellBox> box = boxAround(touched, kernel.context);
  if (!box)
    return {std::nullopt, fmt::format("no number of cells of `{}` is enough", programName(made, buffer))};
  std::vector<PlacedDimension> places;
  buffer.extents.clear();
  for (std::size_t d = 0; d < box->extents.size(); ++d) {
    const std::optional<long> whole = constantOf(box->extents[d]),
                              modulus = asked.moduli.empty() ? std::nullopt : asked.moduli[d];
    const bool isModulo = modulus && (!whole || *modulus < *whole);
    places.push_back({d, isModulo ? modulus : std::nullopt});
    buffer.extents.push_back(isModulo ? constantExtent(kernel.context.ctx(), *modulus) : box->extents[d]);
  }
  for (const Use &use : uses)
    use.access->relation = placeIn(*box, places, use.loops, withoutName(use.access->relation), buffer.name);
  buffer.rank = static_cast<int>(places.size() + asked.loops.size());
  buffer.role = Buffer::Role::Scratch;
  buffer.matrix = -1;
  buffer.isPrivate = false;
  buffer.inRegisters = scratchBytes(buffer).value_or(kMostScratchBytes) <= kMostBytesInRegisters;
  return {std::move(made), ""};
}

} // namespace pbc::kernel
