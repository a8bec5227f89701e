// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/opencl/opencl_api.h"

#include "runtime/device/shared_library.h"

namespace pb::device {

const OpenCl *OpenCl::get() {
  static const OpenCl *const found = []() -> const OpenCl * {
    const SharedLibrary library({"libOpenCL.so.1", "libOpenCL.so"});
    static OpenCl all;
#define PB_OPENCL_LOAD(f)                                                                                    \
  if (!(all.f = library.function<std::remove_pointer_t<decltype(&::f)>>(#f)))                                \
    return nullptr;
    PB_OPENCL_FUNCTIONS(PB_OPENCL_LOAD)
#undef PB_OPENCL_LOAD
    return &all;
  }();
  return found;
}

std::string openClError(cl_int code) {
  static constexpr struct {
    cl_int code;
    const char *name;
  } names[] = {
#define PB_OPENCL_CODE(name) {name, #name},
      PB_OPENCL_CODE(CL_DEVICE_NOT_FOUND) PB_OPENCL_CODE(CL_DEVICE_NOT_AVAILABLE) PB_OPENCL_CODE(
          CL_COMPILER_NOT_AVAILABLE) PB_OPENCL_CODE(CL_MEM_OBJECT_ALLOCATION_FAILURE)
          PB_OPENCL_CODE(CL_OUT_OF_RESOURCES) PB_OPENCL_CODE(CL_OUT_OF_HOST_MEMORY) PB_OPENCL_CODE(
              CL_PROFILING_INFO_NOT_AVAILABLE) PB_OPENCL_CODE(CL_MEM_COPY_OVERLAP)
              PB_OPENCL_CODE(CL_BUILD_PROGRAM_FAILURE) PB_OPENCL_CODE(CL_MAP_FAILURE) PB_OPENCL_CODE(
                  CL_MISALIGNED_SUB_BUFFER_OFFSET) PB_OPENCL_CODE(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST)
                  PB_OPENCL_CODE(CL_COMPILE_PROGRAM_FAILURE) PB_OPENCL_CODE(
                      CL_LINKER_NOT_AVAILABLE) PB_OPENCL_CODE(CL_LINK_PROGRAM_FAILURE)
                      PB_OPENCL_CODE(CL_KERNEL_ARG_INFO_NOT_AVAILABLE) PB_OPENCL_CODE(
                          CL_INVALID_VALUE) PB_OPENCL_CODE(CL_INVALID_PLATFORM)
                          PB_OPENCL_CODE(CL_INVALID_DEVICE) PB_OPENCL_CODE(CL_INVALID_CONTEXT) PB_OPENCL_CODE(
                              CL_INVALID_QUEUE_PROPERTIES) PB_OPENCL_CODE(CL_INVALID_COMMAND_QUEUE)
                              PB_OPENCL_CODE(CL_INVALID_HOST_PTR) PB_OPENCL_CODE(
                                  CL_INVALID_MEM_OBJECT) PB_OPENCL_CODE(CL_INVALID_BINARY)
                                  PB_OPENCL_CODE(CL_INVALID_BUILD_OPTIONS) PB_OPENCL_CODE(
                                      CL_INVALID_PROGRAM) PB_OPENCL_CODE(CL_INVALID_PROGRAM_EXECUTABLE)
                                      PB_OPENCL_CODE(CL_INVALID_KERNEL_NAME) PB_OPENCL_CODE(
                                          CL_INVALID_KERNEL_DEFINITION) PB_OPENCL_CODE(CL_INVALID_KERNEL)
                                          PB_OPENCL_CODE(CL_INVALID_ARG_INDEX) PB_OPENCL_CODE(
                                              CL_INVALID_ARG_VALUE) PB_OPENCL_CODE(CL_INVALID_ARG_SIZE)
                                              PB_OPENCL_CODE(CL_INVALID_KERNEL_ARGS) PB_OPENCL_CODE(
                                                  CL_INVALID_WORK_DIMENSION)
                                                  PB_OPENCL_CODE(CL_INVALID_WORK_GROUP_SIZE) PB_OPENCL_CODE(
                                                      CL_INVALID_WORK_ITEM_SIZE)
                                                      PB_OPENCL_CODE(CL_INVALID_GLOBAL_OFFSET) PB_OPENCL_CODE(
                                                          CL_INVALID_EVENT_WAIT_LIST)
                                                          PB_OPENCL_CODE(CL_INVALID_EVENT) PB_OPENCL_CODE(
                                                              CL_INVALID_OPERATION)
                                                              PB_OPENCL_CODE(CL_INVALID_BUFFER_SIZE)
                                                                  PB_OPENCL_CODE(CL_INVALID_GLOBAL_WORK_SIZE)
                                                                      PB_OPENCL_CODE(CL_INVALID_PROPERTY){
                                                                          -1001, "no platform is installed"}};
#undef PB_OPENCL_CODE
  for (const auto &known : names)
    if (known.code == code)
      return std::string(known.name) + " (" + std::to_string(code) + ")";
  return "error " + std::to_string(code);
}

void require(cl_int code, Failure otherwise, const std::string &call) {
  if (code >= 0)
    return;
  Failure failure = otherwise;
  if (code == CL_MEM_OBJECT_ALLOCATION_FAILURE || code == CL_OUT_OF_HOST_MEMORY ||
      code == CL_INVALID_BUFFER_SIZE)
    failure = Failure::OutOfMemory;
  if (code == CL_DEVICE_NOT_AVAILABLE || code == CL_INVALID_COMMAND_QUEUE || code == CL_INVALID_CONTEXT)
    failure = Failure::Lost;
  throw DeviceError(failure, call + ": " + openClError(code));
}

} // namespace pb::device
