// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/kernel/group_steps.h"
#include <algorithm>
#include <fmt/format.h>
#include <isl/aff.h>
#include <isl/flow.h>
#include <isl/map.h>
#include <isl/schedule.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/union_set.h>
#include <isl/val.h>
#include <map>

namespace pbc::kernel {
namespace {

constexpr long kMostSlots = 4;

isl::union_map valuesOfFunction(const isl::union_pw_aff &f) {
  return isl::manage(isl_union_map_from_union_pw_aff(f.copy()));
}

/// { [a] -> [b] : constraint }
isl::union_map between(const isl::set &context, const std::string &constraint) {
  return isl::union_map(context.ctx(), fmt::format("{{ [a] -> [b] : {} }}", constraint));
}

class Finding {
public:
  Finding(const Scheduled &kernel, const TaskFunctions &items)
      : kernel_(kernel), functions_(items.functions.begin() + 1, items.functions.end()),
        whole_(isl::manage(isl_schedule_get_domain(kernel.schedule.tree.get()))),
        rounds_(valuesOfFunction(items.functions.front().value).intersect_domain(whole_)) {}

  GroupStepsOutcome find() {
    if (why_ = whyNoPoints(); why_.empty())
      findWrites();
    for (std::size_t s = 0; s < kernel_.statements.size() && why_.empty(); ++s)
      for (std::size_t a = 0; a < kernel_.statements[s].accesses.size() && why_.empty(); ++a)
        findRead(static_cast<int>(s), static_cast<int>(a));
    if (why_.empty() && found_.kept.empty())
      why_ = "no round reads what an earlier one has written";
    if (why_.empty())
      findSlots();
    if (!why_.empty())
      return {std::nullopt, why_};
    return {std::move(found_), ""};
  }

private:
  std::string whyNoPoints() const {
    if (functions_.empty() || static_cast<int>(functions_.size()) > kMostStepAxes)
      return fmt::format("its points have {} coordinates in a round, not one or two", functions_.size());
    for (const Statement &s : kernel_.statements) {
      if (s.isOpaque || s.copy)
        return "a body is called, so that what it reads cannot be read from a group's memory";
      for (const Access &a : s.accesses)
        if (a.isWrite && !s.op.empty() && isMatrix(bufferOf(a)))
          return fmt::format("`{}` is added to, not written", bufferOf(a).name);
    }
    return "";
  }

  const Buffer &bufferOf(const Access &a) const {
    return kernel_.buffers[static_cast<std::size_t>(a.buffer)];
  }

  isl::union_map touched(const Statement &s, const Access &a) const {
    return isl::union_map(a.relation.intersect_domain(s.domain)).intersect_params(kernel_.context);
  }

  /// What is written, and that a point writes one cell of each matrix.
  void findWrites() {
    found_.reach.assign(functions_.size(), 0);
    isl::union_map points = rounds_;
    for (const TaskFunction &f : functions_)
      points = isl::manage(
          isl_union_map_flat_range_product(points.release(), valuesOfFunction(f.value).release()));
    for (const Statement &s : kernel_.statements)
      for (const Access &a : s.accesses)
        if (a.isWrite && isMatrix(bufferOf(a))) {
          const auto [at, isNew] = writes_.try_emplace(a.buffer, touched(s, a));
          if (!isNew)
            at->second = at->second.unite(touched(s, a));
        }
    for (const auto &[b, writes] : writes_)
      if (!points.reverse().apply_range(writes).is_single_valued())
        why_ = fmt::format("a point writes several cells of `{}`",
                           kernel_.buffers[static_cast<std::size_t>(b)].name);
  }

  void findRead(int number, int access) {
    const Statement &s = kernel_.statements[static_cast<std::size_t>(number)];
    const Access &a = s.accesses[static_cast<std::size_t>(access)];
    const auto writes = writes_.find(a.buffer);
    if (a.isWrite || writes == writes_.end())
      return;
    const isl::union_map reads = touched(s, a);
    isl_union_access_info *info = isl_union_access_info_from_sink(reads.copy());
    info = isl_union_access_info_set_must_source(info, writes->second.copy());
    info = isl_union_access_info_set_schedule(info, kernel_.schedule.tree.copy());
    isl_union_flow *flow = isl_union_access_info_compute_flow(info);
    if (!flow)
      isl::exception::throw_last_error(kernel_.context.ctx());
    const isl::union_map values = isl::manage(isl_union_flow_get_must_dependence(flow));
    const isl::union_map old = isl::manage(isl_union_flow_get_must_no_source(flow));
    isl_union_flow_free(flow);
    const std::string &name = bufferOf(a).name;
    if (!old.domain().apply(rounds_).is_subset(firstRound())) {
      why_ = fmt::format("later rounds read cells of `{}` that no round has written", name);
      return;
    }
    if (found_.kept.empty() ||
        std::find(found_.kept.begin(), found_.kept.end(), a.buffer) == found_.kept.end())
      found_.kept.push_back(a.buffer);
    int behind = 1;
    if (!values.is_empty()) {
      const isl::union_map pairs = values.apply_domain(rounds_).apply_range(rounds_);
      if (pairs.is_subset(between(kernel_.context, "b = a")))
        behind = 0;
      else if (!pairs.is_subset(between(kernel_.context, "b = a + 1"))) {
        why_ = fmt::format("a point reads cells of `{}` that were written more than one round before", name);
        return;
      }
      addRead({number, access, behind, {}}, values.reverse(), name);
    }
    if (behind == 1)
      fromMatrix_ = fromMatrix_.is_null() ? reads.apply_range(writes->second.reverse())
                                          : fromMatrix_.unite(reads.apply_range(writes->second.reverse()));
  }

  /// `source`: { read -> the write from which it has its value }.
  void addRead(TimeSteps::Read read, const isl::union_map &source, const std::string &name) {
    const Statement &s = kernel_.statements[static_cast<std::size_t>(read.statement)];
    for (std::size_t axis = 0; axis < functions_.size(); ++axis) {
      const isl::union_map place = source.apply_range(valuesOfFunction(functions_[axis].value));
      const isl::map one = isl::manage(isl_map_from_union_map(place.copy()));
      if (!one.is_single_valued()) {
        why_ = fmt::format("which point has written a cell of `{}` is not known", name);
        return;
      }
      const isl::pw_multi_aff from = isl::manage(isl_pw_multi_aff_from_map(one.copy()));
      isl_pw_aff *away =
          isl_pw_aff_sub(valueAt(functions_[axis], s).release(), isl_pw_multi_aff_get_pw_aff(from.get(), 0));
      away = isl_pw_aff_coalesce(isl_pw_aff_gist(away, one.domain().intersect(s.domain).release()));
      const isl::pw_aff distance = isl::manage(away);
      const isl::set values = isl::manage(isl_map_range(
          isl_map_intersect_domain(isl_map_from_pw_aff(distance.copy()), one.domain().release())));
      const std::optional<long> low = bound(isl_set_dim_min_val(values.copy(), 0)),
                                high = bound(isl_set_dim_max_val(values.copy(), 0));
      if (!low || !high || isl_pw_aff_n_piece(distance.get()) != 1) {
        why_ = fmt::format("a point reads cells of `{}` at distances that grow with the size", name);
        return;
      }
      found_.reach[axis] = std::max({found_.reach[axis], -*low, *high});
      read.away.push_back(distance);
    }
    found_.reads.push_back(std::move(read));
  }

  static std::optional<long> bound(isl_val *v) {
    const bool isNumber = v && isl_val_is_int(v) == isl_bool_true;
    const long value = isNumber ? isl_val_get_num_si(v) : 0;
    isl_val_free(v);
    return isNumber ? std::optional(value) : std::nullopt;
  }

  isl::union_set allRounds() const { return whole_.intersect_params(kernel_.context).apply(rounds_); }
  isl::union_set firstRound() const { return isl::manage(isl_union_set_lexmin(allRounds().release())); }
  isl::union_set lastRound() const { return isl::manage(isl_union_set_lexmax(allRounds().release())); }

  /// Which of the rounds are stored, and which numbers of rounds a launch may have.
  void findSlots() {
    bool isOverwritten = false, isClash = false;
    const isl::union_map later = between(kernel_.context, "b > a");
    const isl::union_map clashes = fromMatrix_.is_null()
                                       ? later
                                       : fromMatrix_.apply_domain(rounds_).apply_range(rounds_).intersect(
                                             between(kernel_.context, "b >= a"));
    isClash = !clashes.is_empty();
    std::vector<isl::union_map> again; // { write -> a later write of the same cell }
    for (const auto &[b, writes] : writes_) {
      const isl::union_map ofOrder = rounds_.apply_range(later).apply_range(rounds_.reverse());
      again.push_back(writes.apply_range(writes.reverse()).intersect(ofOrder));
      isOverwritten |= !again.back().is_empty();
    }
    if (!isClash && !isOverwritten)
      return;
    for (long slots = 2; slots <= kMostSlots; ++slots)
      if (fits(slots, clashes, again)) {
        found_.slots = slots;
        findAlone(again);
        return;
      }
    why_ = "cells that earlier rounds have written are still needed when later ones are";
  }

  /// All rounds but so many last ones.
  isl::union_set roundsBeforeLast(long count) const {
    return isl::manage(isl_union_set_apply(
        lastRound().release(), between(kernel_.context, fmt::format("b <= a - {}", count)).release()));
  }

  /// What the last of several rounds of a launch has not written is not stored: rounds that have written what others read last.
  void findAlone(const std::vector<isl::union_map> &again) {
    isl::union_set needed;
    std::size_t k = 0;
    for (const auto &[b, writes] : writes_) {
      const std::optional<isl::set> &read = kernel_.buffers[static_cast<std::size_t>(b)].readElsewhere;
      const isl::union_map last = writes.subtract_domain(again[k++].domain());
      const isl::union_set points = (read ? last.intersect_range(isl::union_set(*read)) : last).domain();
      needed = needed.is_null() ? points.apply(rounds_) : needed.unite(points.apply(rounds_));
    }
    while (found_.alone + 1 < found_.slots &&
           !needed.intersect(roundsBeforeLast(found_.alone + 1)).is_empty())
      ++found_.alone;
  }

  bool fits(long slots, const isl::union_map &clashes, const std::vector<isl::union_map> &again) const {
    const isl::union_map allowed =
        between(kernel_.context, fmt::format("exists m : b - a = {} m - 1", slots));
    if (!clashes.is_subset(allowed))
      return false;
    const isl::union_set early = roundsBeforeLast(slots);
    std::size_t k = 0;
    for (const auto &[b, writes] : writes_) {
      const isl::union_set last = writes.domain().subtract(again[k++].domain());
      if (!last.apply(rounds_).intersect(early).is_empty())
        return false;
    }
    return true;
  }

  const Scheduled &kernel_;
  const std::vector<TaskFunction> functions_; // of the items, by axis
  const isl::union_set whole_;                // all points
  const isl::union_map rounds_;               // { point -> [round] }
  std::map<int, isl::union_map> writes_;      // by buffer: { point -> cell }
  isl::union_map fromMatrix_;                 // { read of an earlier round's cell -> any write of it }
  TimeSteps found_;
  std::string why_;
};

} // namespace

GroupStepsOutcome groupSteps(const Scheduled &lifted, const TaskFunctions &items) {
  if (items.order != TaskOrder::Rounds)
    return {std::nullopt, "its points need no rounds"};
  return Finding(lifted, items).find();
}

} // namespace pbc::kernel
