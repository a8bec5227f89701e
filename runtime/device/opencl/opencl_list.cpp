// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Lists the devices of all platforms, in the platforms' order.
#include "runtime/device/list.h"
#include "runtime/device/opencl/opencl_device.h"

#include <algorithm>

namespace pb::device {
namespace {

std::vector<cl_device_id> openClIds() {
  const OpenCl *cl = OpenCl::get();
  cl_uint count = 0;
  if (!cl || cl->clGetPlatformIDs(0, nullptr, &count) < 0)
    return {};
  std::vector<cl_platform_id> platforms(count);
  if (count == 0 || cl->clGetPlatformIDs(count, platforms.data(), nullptr) < 0)
    return {};
  std::vector<cl_device_id> all;
  for (const cl_platform_id platform : platforms) {
    if (cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 0, nullptr, &count) < 0 || count == 0)
      continue;
    all.resize(all.size() + count);
    if (cl->clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, count, &all[all.size() - count], nullptr) < 0)
      all.resize(all.size() - count);
  }
  std::erase_if(all, [&](cl_device_id id) {
    cl_bool available = CL_FALSE, compiler = CL_FALSE;
    cl->clGetDeviceInfo(id, CL_DEVICE_AVAILABLE, sizeof available, &available, nullptr);
    cl->clGetDeviceInfo(id, CL_DEVICE_COMPILER_AVAILABLE, sizeof compiler, &compiler, nullptr);
    return !available || !compiler;
  });
  return all;
}

template <class T>
T valueOf(cl_device_id id, cl_device_info what) {
  T value{};
  OpenCl::get()->clGetDeviceInfo(id, what, sizeof value, &value, nullptr);
  return value;
}

std::string textOf(cl_device_id id, cl_device_info what) {
  std::size_t size = 0;
  OpenCl::get()->clGetDeviceInfo(id, what, 0, nullptr, &size);
  std::string text(size, '\0');
  OpenCl::get()->clGetDeviceInfo(id, what, size, text.data(), nullptr);
  return text.substr(0, text.find('\0'));
}

} // namespace

Description OpenClDevice::describe(cl_device_id id) {
  Description about{.api = "opencl",
                    .name = textOf(id, CL_DEVICE_NAME),
                    .driver = textOf(id, CL_DEVICE_VERSION) + ", driver " + textOf(id, CL_DRIVER_VERSION),
                    .bytes = valueOf<cl_ulong>(id, CL_DEVICE_GLOBAL_MEM_SIZE),
                    .largest = valueOf<cl_ulong>(id, CL_DEVICE_MAX_MEM_ALLOC_SIZE),
                    .localBytes = valueOf<cl_ulong>(id, CL_DEVICE_LOCAL_MEM_SIZE),
                    .largestGroup = static_cast<int>(valueOf<std::size_t>(id, CL_DEVICE_MAX_WORK_GROUP_SIZE)),
                    .units = static_cast<int>(valueOf<cl_uint>(id, CL_DEVICE_MAX_COMPUTE_UNITS)),
                    .hasDouble = valueOf<cl_device_fp_config>(id, CL_DEVICE_DOUBLE_FP_CONFIG) != 0,
                    .sharesMemory = valueOf<cl_bool>(id, CL_DEVICE_HOST_UNIFIED_MEMORY) != 0 &&
                                    (valueOf<cl_device_type>(id, CL_DEVICE_TYPE) & CL_DEVICE_TYPE_CPU) != 0};
  std::size_t extents[16] = {};
  OpenCl::get()->clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_ITEM_SIZES, sizeof extents, extents, nullptr);
  for (int d = 0; d < 3; ++d)
    about.groupExtent[d] = static_cast<int>(std::clamp<std::size_t>(extents[d], 1, 1 << 20));
  return about;
}

std::vector<Description> openClDevices(std::vector<std::string> &) {
  std::vector<Description> all;
  for (const cl_device_id id : openClIds())
    all.push_back(OpenClDevice::describe(id));
  return all;
}

std::unique_ptr<Device> openOpenClDevice(int number) {
  return std::make_unique<OpenClDevice>(openClIds().at(static_cast<std::size_t>(number)));
}

} // namespace pb::device
