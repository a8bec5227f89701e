// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/device/device_run.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <thread>

namespace pbc::search {
namespace {

using pb::device::DeviceError;
using pb::device::Failure;

double secondsSince(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

pb::device::Transfer whole(const Array &array) {
  return {.offset = 0, .bytes = static_cast<unsigned long>(array.bytes())};
}

} // namespace

DeviceRun::DeviceRun(const std::string &name, SampleMemory &memory) : memory_(memory) {
  std::vector<std::string> complaints;
  std::vector<std::unique_ptr<pb::device::Device>> all = pb::device::openDevices(name, complaints);
  if (all.empty())
    throw DeviceError(Failure::Lost, complaints.empty() ? "there is no device " + name : complaints.front());
  device_ = std::move(all.front());
  device_->timeCommands();
  for (const Array &array : memory.arrays().all)
    buffers_.push_back(device_->allocate(static_cast<unsigned long>(std::max(1L, array.bytes()))));
}

void DeviceRun::wait(pb::device::Event &event) {
  using namespace std::chrono_literals;
  while (!event.isDone())
    std::this_thread::sleep_for(20us);
}

void DeviceRun::copyIn() {
  for (std::size_t a = 0; a < buffers_.size(); ++a) {
    const pb::device::EventRef done =
        device_->copyIn(*buffers_[a], whole(memory_.arrays().all[a]), memory_.cells(a));
    device_->flush();
    wait(*done);
  }
}

void DeviceRun::copyOut() {
  for (std::size_t a = 0; a < buffers_.size(); ++a)
    if (memory_.arrays().all[a].isResult) {
      const pb::device::EventRef done =
          device_->copyOut(*buffers_[a], whole(memory_.arrays().all[a]), memory_.cells(a));
      device_->flush();
      wait(*done);
    }
}

/// Seconds of the device's clock; of the processor's if it has none.
double DeviceRun::launch(pb::device::Kernel &kernel, const DeviceLeaf &leaf) {
  std::vector<pb::device::Argument> arguments;
  for (const LeafArgument &a : leaf.arguments)
    arguments.push_back(a.array < 0   ? pb::device::Argument::of(a.value)
                        : a.isWritten ? pb::device::Argument::writes(*buffers_[std::size_t(a.array)])
                                      : pb::device::Argument::reads(*buffers_[std::size_t(a.array)]));
  const auto begin = std::chrono::steady_clock::now();
  const pb::device::EventRef done = device_->launch(kernel, arguments, leaf.grid);
  device_->flush();
  wait(*done);
  const double onWall = secondsSince(begin);
  const pb::device::Span span = done->span();
  return span.end > span.begin ? 1e-9 * double(span.end - span.begin) : onWall;
}

std::string DeviceRun::whyTooLarge(const DeviceLeaf &leaf) const {
  const pb::device::Description &about = device_->about();
  const auto &group = leaf.source.group;
  if (const long items = long(group[0]) * group[1] * group[2]; items > about.largestGroup)
    return fmt::format("a group has {} items, and the device's have at most {}", items, about.largestGroup);
  for (int k = 0; k < 3; ++k)
    if (group[k] > about.groupExtent[k])
      return fmt::format("a group has {} items along {}, and the device's have at most {}", group[k],
                         "xyz"[k], about.groupExtent[k]);
  if (const auto most = std::max(about.localBytes, about.mostLocalBytes);
      static_cast<unsigned long>(leaf.source.dynamicBytes) > most)
    return fmt::format("a group needs {} bytes of memory, and can have {}", leaf.source.dynamicBytes, most);
  return "";
}

Measurement DeviceRun::measure(const DeviceLeaf &leaf, const MeasureLimits &limits) {
  constexpr double kLongest = 2;
  if (const std::string why = whyTooLarge(leaf); !why.empty())
    return {Fate::NotCompiled, 0, 0, 0, why};
  try {
    const std::unique_ptr<pb::device::Kernel> kernel = device_->build(leaf.source);
    memory_.fill();
    copyIn();
    Measurement made{Fate::Measured, launch(*kernel, leaf), 1, 0, ""};
    copyOut();
    made.difference = memory_.difference();
    if (made.difference > memory_.allowedDifference())
      return {Fate::Wrong, 0, 1, made.difference, whyWrong(made.difference)};
    const auto begin = std::chrono::steady_clock::now();
    for (int run = 0; run < limits.runs && secondsSince(begin) < kLongest; ++run) {
      const double seconds = launch(*kernel, leaf);
      // The first launch has pages and caches to find.
      made.seconds = run == 0 ? seconds : std::min(made.seconds, seconds);
      made.runs = run + 1;
      if (limits.most > 0 && made.seconds > limits.most && run >= 1)
        break;
    }
    return made;
  } catch (const DeviceError &problem) {
    if (problem.failure() == Failure::Lost)
      throw;
    return {Fate::NotCompiled, 0, 0, 0, problem.what()};
  }
}

} // namespace pbc::search
