// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Builds kernels of OpenCL: from the cache, or by the driver's compiler.
#include "runtime/device/dialect.h"
#include "runtime/device/library/own_function.h"
#include "runtime/device/opencl/opencl_device.h"

namespace pb::device {

std::string OpenClDevice::buildLog(const ClProgram &program) const {
  std::size_t size = 0;
  if (cl_.clGetProgramBuildInfo(program.get(), device_, CL_PROGRAM_BUILD_LOG, 0, nullptr, &size) < 0 ||
      size < 2)
    return "(the driver says no more)";
  std::string log(size, '\0');
  cl_.clGetProgramBuildInfo(program.get(), device_, CL_PROGRAM_BUILD_LOG, size, log.data(), nullptr);
  log.resize(size - 1); // its last character is 0
  return log;
}

ClProgram OpenClDevice::compile(const std::string &text, const std::string &entry) {
  const char *begin = text.c_str();
  const std::size_t size = text.size();
  cl_int status = CL_SUCCESS;
  ClProgram program =
      owned(cl_.clCreateProgramWithSource(context_.get(), 1, &begin, &size, &status), cl_.clReleaseProgram);
  require(status, Failure::Build, "clCreateProgramWithSource");
  status = cl_.clBuildProgram(program.get(), 1, &device_, options_.c_str(), nullptr, nullptr);
  if (status < 0)
    throw DeviceError(Failure::Build, "the kernel " + entry + " does not compile for " + about_.name + ": " +
                                          openClError(status) + "\n" + buildLog(program));
  return program;
}

/// Null if the driver refuses the binary, as after an update that did not change its version.
ClProgram OpenClDevice::programFrom(const std::string &binary) {
  const auto *bytes = reinterpret_cast<const unsigned char *>(binary.data());
  const std::size_t size = binary.size();
  cl_int status = CL_SUCCESS, loaded = CL_SUCCESS;
  ClProgram program =
      owned(cl_.clCreateProgramWithBinary(context_.get(), 1, &device_, &size, &bytes, &loaded, &status),
            cl_.clReleaseProgram);
  if (status < 0 || loaded < 0 ||
      cl_.clBuildProgram(program.get(), 1, &device_, options_.c_str(), nullptr, nullptr) < 0)
    return nullptr;
  return program;
}

KernelNeeds OpenClDevice::needsOf(const ClKernelRef &kernel) const {
  cl_ulong group = 0, item = 0;
  std::size_t items = 0;
  const auto ask = [&](cl_kernel_work_group_info what, auto &value) {
    cl_.clGetKernelWorkGroupInfo(kernel.get(), device_, what, sizeof value, &value, nullptr);
  };
  ask(CL_KERNEL_LOCAL_MEM_SIZE, group);
  ask(CL_KERNEL_PRIVATE_MEM_SIZE, item);
  ask(CL_KERNEL_WORK_GROUP_SIZE, items);
  return {.groupBytes = group, .itemBytes = item, .mostItems = items};
}

std::unique_ptr<Kernel> OpenClDevice::build(const KernelSource &source) {
  if (source.isLibrary) {
    if (auto own = buildOwn(*this, LibraryCall(source.text)))
      return own;
    throw DeviceError(Failure::Build,
                      "libraries for devices are called on those of CUDA; this one is OpenCL's");
  }
  const std::string text = kernelText(kOpenClPrelude, source);
  const std::string key = kernelKey(about_, options_, text, source.entry);
  ClProgram program;
  if (const auto binary = cache_.get(key))
    program = programFrom(*binary);
  ++(program ? cached_ : compiled_);
  const bool fresh = !program;
  if (fresh)
    program = compile(text, source.entry);

  cl_int status = CL_SUCCESS;
  ClKernelRef kernel =
      owned(cl_.clCreateKernel(program.get(), source.entry.c_str(), &status), cl_.clReleaseKernel);
  require(status, Failure::Build, "clCreateKernel " + source.entry);
  const KernelNeeds needs = needsOf(kernel);
  const auto wanted = static_cast<std::size_t>(source.group[0]) * source.group[1] * source.group[2];
  if (needs.groupBytes > about_.localBytes || (needs.mostItems && needs.mostItems < wanted))
    throw DeviceError(Failure::Build, "the kernel " + source.entry + " wants " +
                                          std::to_string(needs.groupBytes) + " bytes for each group, of " +
                                          std::to_string(wanted) + " items; " + about_.name + " has " +
                                          std::to_string(about_.localBytes) + " bytes, and at most " +
                                          std::to_string(needs.mostItems) + " items for it");
  std::size_t size = 0;
  if (fresh &&
      cl_.clGetProgramInfo(program.get(), CL_PROGRAM_BINARY_SIZES, sizeof size, &size, nullptr) >= 0 &&
      size > 0) {
    std::string binary(size, '\0');
    auto *bytes = reinterpret_cast<unsigned char *>(binary.data());
    if (cl_.clGetProgramInfo(program.get(), CL_PROGRAM_BINARIES, sizeof(void *), static_cast<void *>(&bytes),
                             nullptr) >= 0)
      cache_.put(key, binary);
  }
  return std::make_unique<OpenClKernel>(std::move(kernel), source.entry, needs);
}

} // namespace pb::device
