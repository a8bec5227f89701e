// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/emulated_kernel.h"
#include "compiler/driver/device_code.h"
#include "compiler/driver/problems.h"
#include "compiler/emulate/device/machine_code.h"
#include "compiler/emulate/list_schedule.h"
#include "compiler/emulate/unroll.h"
#include "compiler/loop/walk.h"
#include "runtime/device/dialect.h"
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

namespace pbc::driver {
namespace {

const char *nameOf(TraceSource source) { return source == TraceSource::Ptx ? "ptx" : "sass"; }

emulate::Region::Kind kindOf(const emulate::Trace &trace, const emulate::Instruction &i) {
  return trace.regions[static_cast<std::size_t>(i.region)].kind;
}

/// Of loads; with shares that were asked for, of stores, too.
emulate::Trace withHits(emulate::Trace trace, const std::optional<double> &asked,
                        const emulate::InCaches &found) {
  const emulate::InCaches hits = asked ? emulate::InCaches{0, *asked} : found;
  for (emulate::Instruction &i : trace.instructions) {
    const bool isStore = kindOf(trace, i) == emulate::Region::Kind::Stores;
    if (!i.isBarrier && i.resource == placeOf(emulate::GpuUnit::Dram) && (asked || !isStore) &&
        hits.first + hits.second > 0)
      i.nearer = {emulate::Share{placeOf(emulate::GpuUnit::L1), hits.first},
                  emulate::Share{placeOf(emulate::GpuUnit::L2), hits.second}};
  }
  return trace;
}

/// PTX has loads, and the computation of their addresses, where values are needed; and the assembler writes out loops once more.
emulate::Trace asAssembled(const emulate::Trace &ptx) {
  constexpr emulate::Unrolling kFurther{0, 24, 4, 4};
  const emulate::Trace trace = emulate::unrolled(ptx, kFurther).trace;
  std::vector<bool> isLoad, isStore;
  for (const emulate::Instruction &i : trace.instructions) {
    const bool isAccess = !i.isBarrier && (i.resource == placeOf(emulate::GpuUnit::Dram) ||
                                           i.resource == placeOf(emulate::GpuUnit::Shared));
    const bool isLoaded = kindOf(trace, i) == emulate::Region::Kind::Loads;
    isLoad.push_back((isAccess && isLoaded) ||
                     (!i.isBarrier && i.resource == placeOf(emulate::GpuUnit::Integer) && !i.writes.empty()));
    isStore.push_back(isAccess && !isLoaded);
  }
  return emulate::withEarlyLoads(trace, isLoad, isStore);
}

/// With the parts of the program for which the lines of its text are.
emulate::Code withOrigins(emulate::Code code, const emit::DeviceSource &kernel) {
  const std::vector<source::Origin> origins = emit::originsOfLines(kernel);
  for (emulate::CodeInstruction &i : code.instructions)
    if (const auto line = static_cast<std::size_t>(i.line); line > 0 && line <= origins.size())
      i.origin = origins[line - 1];
  return code;
}

void useCode(EmulatedKernel &made, const emulate::Code &code, const emulate::Work &work, bool isOrdered) {
  emulate::CodeTrace found = emulate::traceOf(code, work);
  made.trace = isOrdered ? std::move(found.trace) : asAssembled(found.trace);
  made.difference = std::exp(found.difference);
}

} // namespace

EmulatedKernel emulatedKernel(const emit::DeviceSource &kernel, const TraceRequest &request) {
  EmulatedKernel made;
  made.registers = request.registers;
  if (kernel.sharesPoints) {
    made.why = "items compute its points together or in rounds, which is not followed yet";
    return made;
  }
  if (loop::callsBodies(kernel.loops)) {
    made.why = "its body was not lifted, so that its instructions are not known";
    return made;
  }
  emulate::WarpTrace loops = emulate::warpTrace(
      {kernel.matrices, kernel.loops, kernel.shape, request.sizes, request.hits, request.n, kernel.origins});
  if (std::none_of(
          loops.trace.instructions.begin(), loops.trace.instructions.end(),
          [](const emulate::Instruction &i) { return i.resource == placeOf(emulate::GpuUnit::Dram); })) {
    made.why = "none of its points lies far from all edges of large matrices, where this looks";
    return made;
  }
  made.trace = std::move(loops.trace);
  const bool usesCode = request.source != TraceSource::Loops,
             hasCompiler = !pb::device::nvrtcVersion().empty();
  if (usesCode && !hasCompiler)
    throw Refusal(
        fmt::format("pbc emulate: error: --source={} needs CUDA's compiler NVRTC, and no libnvrtc was found\n"
                    "help: install it, or set CUDA_HOME to where it is; --source=loops needs no compiler\n",
                    nameOf(request.source)));
  if (!hasCompiler || (!usesCode && request.registers))
    return made;
  try {
    emit::DeviceSource built = kernel; // builtFor may make its groups smaller
    const pb::device::CudaCode code = builtFor(built, request.device);
    const cubin::Function function = functionOf(built, code);
    if (!made.registers)
      made.registers = function.registers;
    if (!usesCode)
      return made;
    if (!std::equal(std::begin(built.source.group), std::end(built.source.group), kernel.source.group)) {
      made.why = "a group of the usual size has too much for this device, and smaller ones are not followed";
      return made;
    }
    if (request.source == TraceSource::MachineCode)
      useCode(made, withOrigins(emulate::codeOf(function), built), loops.work, true);
    else
      useCode(
          made,
          withOrigins(emulate::codeOfPtx(
                          pb::device::ptxOfCuda(
                              pb::device::kernelText(pb::device::kCudaPrelude, built.source), request.device),
                          kernel.source.entry),
                      built),
          loops.work, false);
    made.trace = withHits(std::move(made.trace), request.hits, loops.inCaches);
  } catch (const pb::device::DeviceError &problem) {
    if (usesCode)
      made.why = problem.what();
  } catch (const cubin::Unreadable &problem) {
    if (usesCode)
      made.why = fmt::format("its machine code cannot be read: {}", problem.what());
  } catch (const std::invalid_argument &problem) {
    made.why = fmt::format("its PTX cannot be read: {}", problem.what());
  }
  return made;
}

} // namespace pbc::driver
