// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/measure/device_resources.h"

#include "compiler/model/measure/device_kernels.h"
#include "compiler/model/measure/device_probe.h"

#include "runtime/device/device.h"

#include <fmt/format.h>

namespace pbc::model {
namespace {

namespace device = pb::device;

constexpr int kSideBySide = 8, kStepsInLine = 8;      // of the kernel that asks for the rate
constexpr int kOneAfterTheOther = 64;                 // of the kernel that asks for the latency
constexpr double kRunSeconds = 2e-4;                  // long beside a launch
constexpr long kGroupsOfUnit = 2, kLongest = 1 << 24; // steps

struct DeviceOperation {
  ResourceKind kind;
  const char *type, *expression; // of x and y, which is 1
};

constexpr DeviceOperation kDeviceOperations[] = {
    {ResourceKind::AddF32, "float", "{x} + y"},         {ResourceKind::MultiplyF32, "float", "{x} * y"},
    {ResourceKind::FmaF32, "float", "fmaf({x}, y, z)"}, {ResourceKind::DivideF32, "float", "{x} / y"},
    {ResourceKind::SqrtF32, "float", "sqrtf({x})"},     {ResourceKind::AddF64, "double", "{x} + y"},
    {ResourceKind::MultiplyF64, "double", "{x} * y"},   {ResourceKind::FmaF64, "double", "fma({x}, y, z)"},
    {ResourceKind::DivideF64, "double", "{x} / y"},     {ResourceKind::SqrtF64, "double", "sqrt({x})"},
};

/// `steps` times `inLine` operations in each of `chains` chains. y and z are 1, which only the caller knows.
std::string operationKernel(const DeviceOperation &op, int chains, int inLine) {
  std::string text =
      fmt::format("PB_KERNEL(pb_operation)(PB_GLOBAL {0} *a, long one, long steps)\n{{\n  PB_BEGIN\n"
                  "  const {0} y = ({0})one, z = ({0})(one + steps % one);\n",
                  op.type);
  for (int c = 0; c < chains; ++c)
    text += fmt::format("  {} x{} = y + ({})(PB_ID(0) * (one - 1));\n", op.type, c, op.type);
  text += "  for (long s = 0; s < steps; ++s) {\n";
  for (int i = 0; i < inLine; ++i)
    for (int c = 0; c < chains; ++c) {
      const std::string x = fmt::format("x{}", c);
      text += fmt::format("    {} = {};\n", x, fmt::format(fmt::runtime(op.expression), fmt::arg("x", x)));
    }
  text += "  }\n  a[PB_ID(0)] = x0";
  for (int c = 1; c < chains; ++c)
    text += fmt::format(" + x{}", c);
  return text + ";\n  PB_END\n}\n";
}

/// What one kernel does in each step of an item.
struct StepKernel {
  std::string text;
  const char *entry;
  int operations;
  int bytes; // of the result of an item
};

class DeviceResources {
public:
  DeviceResources(device::Device &d, int units, int group, const Sampling &sampling)
      : device_(d), probe_(d), units_(units), group_(group), sampling_(sampling) {}

  std::vector<Resource> measure() {
    std::vector<Resource> all;
    if (device_.about().localBytes >= kLocalBytes)
      all.push_back(loads());
    for (const DeviceOperation &op : kDeviceOperations)
      if (bytesOfNumber(op.kind) == 4 || device_.about().hasDouble)
        all.push_back(operations(op));
    return all;
  }

private:
  Resource operations(const DeviceOperation &op) {
    const int bytes = bytesOfNumber(op.kind);
    const StepKernel chain{operationKernel(op, 1, kOneAfterTheOther), "pb_operation", kOneAfterTheOther,
                           bytes};
    const StepKernel many{operationKernel(op, kSideBySide, kStepsInLine), "pb_operation",
                          kSideBySide * kStepsInLine, bytes};
    return {op.kind, secondsOfOne(chain, 1, 1), rates(many), {}};
  }

  /// The latency of a load is that of its memory.
  Resource loads() {
    const StepKernel reads{kLocalLoadsKernel, "pb_local_loads", kLocalLoads, 4};
    return {ResourceKind::Load, {}, rates(reads), {}};
  }

  Throughput rates(const StepKernel &kernel) {
    return {rate(kernel, 1, 1), rate(kernel, group_, group_),
            rate(kernel, kGroupsOfUnit * units_ * group_, group_)};
  }

  Figure rate(const StepKernel &kernel, long items, int group) {
    const Figure seconds = secondsOfOne(kernel, items, group);
    const double count = static_cast<double>(items);
    return {count / seconds.value, seconds.spread,
            seconds.best ? std::optional(count / *seconds.best) : std::nullopt};
  }

  /// Seconds in which every item does one operation.
  Figure secondsOfOne(const StepKernel &kernel, long items, int group) {
    const auto built = probe_.build(kernel.text, kernel.entry, group);
    const auto buffer =
        device_.allocate(static_cast<unsigned long>(items) * static_cast<unsigned long>(kernel.bytes));
    const auto run = [&](long steps) {
      return probe_
          .run(*built,
               {device::Argument::writes(*buffer), device::Argument::of(1), device::Argument::of(steps)},
               items, group)
          .onDevice;
    };
    long steps = 16;
    run(steps);
    while (steps < kLongest && run(steps) < kRunSeconds)
      steps *= 2;
    Figure f = perStep(sampling_, steps, 3 * steps, run);
    f.value /= kernel.operations;
    if (f.best)
      *f.best /= kernel.operations;
    return f;
  }

  device::Device &device_;
  DeviceProbe probe_;
  int units_, group_;
  Sampling sampling_;
};

} // namespace

std::vector<Resource> measureDeviceResources(device::Device &d, int units, int group,
                                             const Sampling &sampling) {
  return DeviceResources(d, units, group, sampling).measure();
}

} // namespace pbc::model
