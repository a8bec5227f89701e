// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/opencl/opencl_objects.h"

namespace pb::device {

bool OpenClEvent::isDone() {
  const OpenCl &cl = *OpenCl::get();
  for (const ClEventRef &command : commands_) {
    cl_int status = CL_QUEUED;
    require(
        cl.clGetEventInfo(command.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr),
        Failure::Lost, "clGetEventInfo");
    if (status < 0) // the command began, and how far it came is unknown
      throw DeviceError(Failure::Lost, "a command failed on the device: " + openClError(status));
    if (status != CL_COMPLETE)
      return false;
  }
  return true;
}

Span OpenClEvent::span() const {
  const OpenCl &cl = *OpenCl::get();
  cl_ulong begin = 0, end = 0;
  if (cl.clGetEventProfilingInfo(commands_.front().get(), CL_PROFILING_COMMAND_START, sizeof begin, &begin,
                                 nullptr) < 0 ||
      cl.clGetEventProfilingInfo(commands_.back().get(), CL_PROFILING_COMMAND_END, sizeof end, &end,
                                 nullptr) < 0)
    return {};
  return {begin, end};
}

} // namespace pb::device
