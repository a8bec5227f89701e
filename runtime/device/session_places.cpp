// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where the steps of a session's walk run.
#include "runtime/device/session_side.h"
#include <algorithm>
#include <bit>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>

namespace pb::device {

bool Session::concern(const Frame *frame, const LoopStep *steps, int count) const {
  if (areUsed())
    return true;
  return std::any_of(steps, steps + count,
                     [&](const LoopStep &step) { return place(frame, step).side != nullptr; });
}

bool Session::isUsable(const Side &side, const DeviceStep &step) const {
  return !side.manager->isLost() && !side.refuses(step);
}

Session::Side *Session::anySide(const DeviceStep &step) const {
  for (const auto &side : sides_)
    if (isUsable(*side, step))
      return side.get();
  return nullptr;
}

Balance &Session::balanceOf(const Frame *frame, const DeviceStep &step) const {
  const int size = std::bit_width(static_cast<unsigned long>(std::max(1L, frame->n)));
  std::lock_guard hold(mutex_);
  auto &balance = balances_[{&step, frame->bin, size}];
  if (!balance)
    balance = std::make_unique<Balance>();
  return *balance;
}

void Session::spread(const Frame *frame, std::vector<Placed> &all) const {
  if (sides_.size() < 2)
    return;
  std::map<std::pair<int, const Side *>, int> inLevel;
  std::map<const Storage *, const Side *> writers; // of steps before
  for (Placed &placed : all) {
    const DeviceStep &step = *placed.step->device;
    const StepArguments arguments(step, frame, &placed.box);
    std::tuple<int, double, long> best;
    Side *chosen = nullptr;
    for (std::size_t k = 0; k < sides_.size(); ++k) {
      Side &side = *sides_[k];
      if (!isUsable(side, step))
        continue;
      double there = 0;
      for (int m = 0; m < step.matrixCount; ++m)
        if (const Storage *owner = arguments.matrix(m).owner; owner && step.matrices[m].reads) {
          const Place place = placeAt(step, arguments, m, arguments.read(m));
          const auto writer = writers.find(owner);
          if (writer == writers.end())
            there += table_.bytesOnDevice(static_cast<int>(k), place);
          else if (writer->second == &side)
            there += bytesOf(place);
        }
      const std::tuple cost{inLevel[{placed.step->level, &side}], -there,
                            side.manager->ahead() + side.coming};
      if (!chosen || cost < best)
        best = cost, chosen = &side;
    }
    placed.side = chosen;
    if (!chosen)
      continue;
    ++chosen->coming;
    placed.ticket = std::shared_ptr<void>(chosen, [](void *side) { --static_cast<Side *>(side)->coming; });
    ++inLevel[{placed.step->level, chosen}];
    for (int m = 0; m < step.matrixCount; ++m)
      if (step.matrices[m].writes && arguments.matrix(m).owner)
        writers[arguments.matrix(m).owner] = chosen;
  }
}

namespace {

/// What the configuration of the calling thread's context chooses for a step: 0 and below the processor, else a version for devices.
int chosenVersion(const DeviceStep &step, const Frame *frame) {
  return step.placement ? ofContext(step.placement)[frame->bin].select(frame->n) - step.versions : 0;
}

long chosenRatio(const DeviceStep &step, const Frame *frame) { return ofContext(step.ratio)[frame->bin]; }

} // namespace

Session::Placed Session::place(const Frame *frame, const LoopStep &step) const {
  Placed placed{.step = &step};
  const DeviceStep *device = step.device;
  const int use = device ? chosenVersion(*device, frame) : 0;
  if (use <= 0)
    return placed;
  placed.version = std::min(use, device->kernelCount) - 1;
  long ratio = chosenRatio(*device, frame);
  if (ratio > kWhole)
    ratio = device->shared < 0 ? kWhole : balanceOf(frame, *device).share();
  if (device->shared < 0 && ratio < kWhole) // all or nothing
    ratio = 2 * ratio >= kWhole ? kWhole : 0;
  if (ratio == 0)
    return placed;
  device->box(frame, &placed.box);
  if (isEmpty(placed.box) || (device->kernels[placed.version].isLibrary && hasEmptyMatrix(*device, frame)))
    return placed;
  if (ratio < kWhole) {
    // Requirement 67: the device gets the first values.
    const long low = placed.box.low[device->shared], all = placed.box.high[device->shared] - low;
    const long part = (all * ratio + kWhole - 1) / kWhole;
    placed.box.high[device->shared] = low + part;
    if (part == all)
      ratio = kWhole;
  }
  placed.side = anySide(*device);
  if (placed.side)
    placed.ratio = static_cast<int>(ratio);
  return placed;
}

Session::Placed Session::placeNow(const Frame *frame, const LoopStep &step) {
  const DeviceStep *device = step.device;
  const bool isMeasured = device && device->shared >= 0 && chosenVersion(*device, frame) > 0 &&
                          chosenRatio(*device, frame) > kWhole;
  if (isMeasured)
    balanceOf(frame, *device).begin();
  Placed placed = place(frame, step);
  if (isMeasured && placed.isShared()) {
    Box whole;
    device->box(frame, &whole);
    const int d = device->shared;
    placed.times = balanceOf(frame, *device)
                       .measure(placed.box.high[d] - placed.box.low[d], whole.high[d] - placed.box.high[d]);
  }
  return placed;
}

/// Whether the processor reads it before anything else writes it. Devices may read it before that.
bool Session::mustCopyOut(const Frame *frame, const char *matrix, const LoopStep *rest,
                          const LoopStep *end) const {
  for (; rest != end; ++rest) {
    if (!rest->device)
      return false;
    for (int m = 0; m < rest->device->matrixCount; ++m) {
      const DeviceMatrix &touched = rest->device->matrices[m];
      if (std::string_view(touched.name) != matrix)
        continue;
      if (touched.reads && !place(frame, *rest).side)
        return true;
      if (touched.writes)
        return false; // what it leaves is another value
    }
  }
  return false;
}

} // namespace pb::device
