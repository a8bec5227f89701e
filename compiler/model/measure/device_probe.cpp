// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/device_probe.h"

#include "compiler/model/problem.h"

#include <algorithm>
#include <chrono>
#include <fmt/format.h>
#include <limits>
#include <thread>

namespace pbc::model {

namespace device = pb::device;

std::unique_ptr<device::Kernel> DeviceProbe::build(const std::string &text, const char *entry, int group) {
  return device_.build({.text = text, .entry = entry, .group = {group, 1, 1}});
}

DeviceProbe::Times DeviceProbe::run(device::Kernel &kernel, const std::vector<device::Argument> &arguments,
                                    long items, int group) {
  device::EventRef event;
  const double seen = secondsOf([&] {
    event = device_.launch(kernel, arguments, {{items, 1, 1}, {group, 1, 1}});
    await(*event);
  });
  const device::Span span = event->span();
  return {span.end > span.begin ? 1e-9 * static_cast<double>(span.end - span.begin) : seen, seen};
}

void DeviceProbe::await(device::Event &event) {
  constexpr double kMostSeconds = 20;
  const auto begin = std::chrono::steady_clock::now();
  device_.flush();
  while (!event.isDone()) {
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count() > kMostSeconds)
      throw Problem(
          fmt::format("a measurement on {} did not end within {} s", device_.about().name, kMostSeconds));
    std::this_thread::yield();
  }
}

Figure perStep(const Sampling &sampling, long few, long many, const std::function<double(long steps)> &run) {
  const double steps = static_cast<double>(many - few);
  double leastFew = std::numeric_limits<double>::infinity(), leastMany = leastFew;
  run(few), run(many);
  Figure f = sampled(sampling, Better::Lower, [&] {
    const double ofFew = run(few), ofMany = run(many);
    leastFew = std::min(leastFew, ofFew);
    leastMany = std::min(leastMany, ofMany);
    return (ofMany - ofFew) / steps;
  });
  const double best = (leastMany - leastFew) / steps;
  f.best = best > 0 ? std::optional(std::min(best, f.value)) : std::nullopt;
  return f;
}

} // namespace pbc::model
