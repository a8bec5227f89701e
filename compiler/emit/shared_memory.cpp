// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/shared_memory.h"
#include "compiler/schedule/shared_views.h"
#include <fmt/format.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>

namespace pbc::emit {
namespace {

/// Loops whose statements may read a cell of the input after another one has written that of the output.
class LateReads {
public:
  LateReads(const kernel::Scheduled &kernel, int output, int input)
      : kernel_(kernel), output_(output), input_(input) {}

  bool any() {
    for (const kernel::Statement &reader : kernel_.statements)
      for (const kernel::Access &read : reader.accesses)
        if (!read.isWrite && isOf(read, input_) &&
            (kernel::isOfCopy(reader) ? writesTwice() : isAfterWrite(reader, read)))
          return true;
    return false;
  }

private:
  bool isOf(const kernel::Access &a, int matrix) const {
    const kernel::Buffer &b = kernel_.buffers[static_cast<std::size_t>(a.buffer)];
    return kernel::isMatrix(b) && b.matrix == matrix;
  }

  /// What statements of rules write to the output.
  std::vector<std::pair<const kernel::Statement *, isl::map>> writes() const {
    std::vector<std::pair<const kernel::Statement *, isl::map>> all;
    for (const kernel::Statement &s : kernel_.statements)
      for (const kernel::Access &a : s.accesses)
        if (a.isWrite && isOf(a, output_) && !kernel::isOfCopy(s))
          all.emplace_back(&s, a.relation.intersect_domain(s.domain));
    return all;
  }

  /// Whether two statements write one cell. What is copied in front of them into other memory is used by either.
  bool writesTwice() const {
    const auto all = writes();
    for (std::size_t a = 0; a < all.size(); ++a)
      for (std::size_t b = a + 1; b < all.size(); ++b)
        if (!all[a].second.range().is_disjoint(all[b].second.range()))
          return true;
    return false;
  }

  bool isAfterWrite(const kernel::Statement &reader, const kernel::Access &read) {
    for (const auto &[writer, written] : writes()) {
      if (writer == &reader)
        continue;
      const char *const cells = isl_map_get_tuple_name(written.get(), isl_dim_out);
      isl_map *same = read.relation.intersect_domain(reader.domain).release();
      const isl::map pairs =
          written.apply_range(isl::manage(isl_map_set_tuple_name(same, isl_dim_out, cells)).reverse());
      if (!pairs.is_empty() && !isl::union_map(pairs).intersect(before()).is_empty())
        return true;
    }
    return false;
  }

  /// { statement instance -> later one }
  const isl::union_map &before() {
    if (before_.is_null()) {
      isl_union_map *time = isl_schedule_get_map(kernel_.schedule.tree.get());
      before_ =
          isl::manage(isl_union_map_lex_lt_union_map(isl_union_map_copy(time), isl_union_map_copy(time)));
      isl_union_map_free(time);
    }
    return before_;
  }

  const kernel::Scheduled &kernel_;
  int output_, input_;
  isl::union_map before_;
};

} // namespace

std::optional<std::string> whyCopied(const Input &in, const sema::Transform &t, std::size_t number,
                                     int output, int input) {
  const auto transform = static_cast<std::size_t>(t.index);
  const choice::Choices &choices = in.choices[transform];
  const schedule::Plan &plan = in.plans[transform].plans[number];
  schedule::StepsAlone steps{plan, {}};
  for (const kernel::TileGroup &group : in.fusions[transform][number].groups) {
    steps.inTiles.insert(group.consumer);
    for (const kernel::TileProducer &producer : group.producers)
      steps.inTiles.insert(producer.step);
  }
  if (auto why = schedule::whyNotShared(t, in.facts[transform], choices.grid, choices.alternatives[number],
                                        steps, output, input))
    return why;
  for (std::size_t s = 0; s < plan.steps.size(); ++s) {
    std::vector<const kernel::Scheduled *> all;
    if (const auto &own = in.kernels[transform][number][s])
      all.push_back(&*own);
    for (const Version &version : in.versionsOf(t.index, number, s))
      if (version.kernel)
        all.push_back(version.kernel.get());
    if (in.devices)
      if (const auto &device = (*in.devices)[transform][number][s]) {
        if (device->items)
          all.push_back(&device->items->kernel);
        for (const kernel::DeviceVersion &version : device->versions)
          if (version.exists())
            all.push_back(&version.kernel);
      }
    for (const kernel::Scheduled *one : all)
      if (LateReads(*one, output, input).any())
        return fmt::format("the step `{}` computes sums in the cells of `{}`",
                           schedule::stepName(t, plan.steps[s]),
                           t.matrices[static_cast<std::size_t>(output)].name);
  }
  return std::nullopt;
}

} // namespace pbc::emit
