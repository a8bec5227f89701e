// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// OpenCL's functions, from the library that a program finds when it runs.
//
//   if (const OpenCl *cl = OpenCl::get()) require(cl->clFlush(queue), Failure::Lost, "clFlush");
//
// Invariant: get() is null or has all of the functions below, those of OpenCL 1.2.
#pragma once
#include "runtime/device/device.h"

#ifndef CL_TARGET_OPENCL_VERSION
#define CL_TARGET_OPENCL_VERSION 120
#endif
#include <CL/cl.h>

#define PB_OPENCL_FUNCTIONS(EACH)                                                                            \
  EACH(clGetPlatformIDs)                                                                                     \
  EACH(clGetPlatformInfo)                                                                                    \
  EACH(clGetDeviceIDs)                                                                                       \
  EACH(clGetDeviceInfo)                                                                                      \
  EACH(clCreateContext)                                                                                      \
  EACH(clReleaseContext)                                                                                     \
  EACH(clCreateCommandQueue)                                                                                 \
  EACH(clReleaseCommandQueue)                                                                                \
  EACH(clCreateBuffer)                                                                                       \
  EACH(clReleaseMemObject)                                                                                   \
  EACH(clCreateProgramWithSource)                                                                            \
  EACH(clCreateProgramWithBinary)                                                                            \
  EACH(clBuildProgram)                                                                                       \
  EACH(clGetProgramInfo)                                                                                     \
  EACH(clGetProgramBuildInfo)                                                                                \
  EACH(clReleaseProgram)                                                                                     \
  EACH(clCreateKernel)                                                                                       \
  EACH(clReleaseKernel)                                                                                      \
  EACH(clSetKernelArg)                                                                                       \
  EACH(clGetKernelWorkGroupInfo)                                                                             \
  EACH(clGetEventInfo)                                                                                       \
  EACH(clGetEventProfilingInfo)                                                                              \
  EACH(clReleaseEvent)                                                                                       \
  EACH(clSetEventCallback)                                                                                   \
  EACH(clWaitForEvents)                                                                                      \
  EACH(clFlush)                                                                                              \
  EACH(clFinish)                                                                                             \
  EACH(clEnqueueReadBuffer)                                                                                  \
  EACH(clEnqueueWriteBuffer)                                                                                 \
  EACH(clEnqueueReadBufferRect)                                                                              \
  EACH(clEnqueueWriteBufferRect)                                                                             \
  EACH(clEnqueueMapBuffer)                                                                                   \
  EACH(clEnqueueUnmapMemObject)                                                                              \
  EACH(clEnqueueMigrateMemObjects)                                                                           \
  EACH(clEnqueueMarkerWithWaitList)                                                                          \
  EACH(clEnqueueNDRangeKernel)

namespace pb::device {

struct OpenCl {
#define PB_OPENCL_MEMBER(f) decltype(&::f) f = nullptr; // NOLINT(bugprone-macro-parentheses): a name
  PB_OPENCL_FUNCTIONS(PB_OPENCL_MEMBER)
#undef PB_OPENCL_MEMBER

  /// Null where this machine has no OpenCL.
  static const OpenCl *get();
};

/// "CL_OUT_OF_RESOURCES (-5)".
std::string openClError(cl_int code);

/// Throws DeviceError if the code is an error: with the Failure that belongs to the code if it is known, else
/// with `otherwise`.
void require(cl_int code, Failure otherwise, const std::string &call);

} // namespace pb::device
