// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// NVRTC, CUDA's compiler as a library.
#include "runtime/device/cuda/cuda_api.h"
#include "runtime/device/shared_library.h"

#include <algorithm>
#include <cstdlib>

namespace pb::device {
namespace {

using NvrtcProgram = struct _nvrtcProgram *;

#define PB_NVRTC_FUNCTIONS(EACH)                                                                             \
  EACH(nvrtcVersion, (int *, int *))                                                                         \
  EACH(nvrtcGetNumSupportedArchs, (int *))                                                                   \
  EACH(nvrtcGetSupportedArchs, (int *))                                                                      \
  EACH(nvrtcCreateProgram,                                                                                   \
       (NvrtcProgram *, const char *, const char *, int, const char *const *, const char *const *))          \
  EACH(nvrtcDestroyProgram, (NvrtcProgram *))                                                                \
  EACH(nvrtcCompileProgram, (NvrtcProgram, int, const char *const *))                                        \
  EACH(nvrtcGetProgramLogSize, (NvrtcProgram, std::size_t *))                                                \
  EACH(nvrtcGetProgramLog, (NvrtcProgram, char *))                                                           \
  EACH(nvrtcGetCUBINSize, (NvrtcProgram, std::size_t *))                                                     \
  EACH(nvrtcGetCUBIN, (NvrtcProgram, char *))                                                                \
  EACH(nvrtcGetPTXSize, (NvrtcProgram, std::size_t *))                                                       \
  EACH(nvrtcGetPTX, (NvrtcProgram, char *))

// NOLINTBEGIN(bugprone-macro-parentheses): declarations
struct Nvrtc {
#define PB_NVRTC_MEMBER(f, parameters) int(*f) parameters = nullptr;
  PB_NVRTC_FUNCTIONS(PB_NVRTC_MEMBER)
#undef PB_NVRTC_MEMBER

  static const Nvrtc *get() {
    static const Nvrtc *const found = []() -> const Nvrtc * {
      std::vector<std::string> names;
      std::vector<std::string> folders{"", "/usr/local/cuda/lib64/"};
      if (const char *home = std::getenv("CUDA_HOME"); home && *home)
        folders.insert(folders.begin(), std::string(home) + "/lib64/");
      for (const std::string &folder : folders)
        for (const char *name : {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"})
          names.push_back(folder + name);
      const SharedLibrary library(names);
      static Nvrtc all;
#define PB_NVRTC_LOAD(f, parameters)                                                                         \
  if (!(all.f = library.function<int parameters>(#f)))                                                       \
    return nullptr;
      PB_NVRTC_FUNCTIONS(PB_NVRTC_LOAD)
#undef PB_NVRTC_LOAD
      return &all;
    }();
    return found;
  }
};
// NOLINTEND(bugprone-macro-parentheses)

struct NvrtcProgramOwner {
  const Nvrtc &nvrtc;
  NvrtcProgram program = nullptr;
  ~NvrtcProgramOwner() {
    if (program)
      nvrtc.nvrtcDestroyProgram(&program);
  }
};

/// Reads a text that NVRTC returns as a size and characters.
std::string nvrtcText(NvrtcProgram program, int (*sizeOf)(NvrtcProgram, std::size_t *),
                      int (*get)(NvrtcProgram, char *)) {
  std::size_t size = 0;
  if (sizeOf(program, &size) != 0)
    return "";
  std::string text(size, '\0');
  return get(program, text.data()) == 0 ? text : "";
}

} // namespace

std::string nvrtcVersion() {
  int major = 0, minor = 0;
  if (!Nvrtc::get() || Nvrtc::get()->nvrtcVersion(&major, &minor) != 0)
    return "";
  return "NVRTC " + std::to_string(major) + "." + std::to_string(minor);
}

namespace {

CudaCode compile(const std::string &text, const std::string &architecture, bool isVerbose) {
  const Nvrtc *nvrtc = Nvrtc::get();
  if (!nvrtc)
    throw DeviceError(Failure::Build,
                      "kernels for CUDA need its compiler NVRTC: no libnvrtc.so.12 or .13 was found, nor "
                      "in $CUDA_HOME/lib64 or /usr/local/cuda/lib64");
  int count = 0;
  nvrtc->nvrtcGetNumSupportedArchs(&count);
  std::vector<int> known(static_cast<std::size_t>(count));
  nvrtc->nvrtcGetSupportedArchs(known.data());
  const int wanted = std::atoi(architecture.c_str() + architecture.find('_') + 1);
  std::string target = architecture;
  bool machineCode = std::find(known.begin(), known.end(), wanted) != known.end();
  if (!machineCode) { // the newest version below it, which the driver compiles further
    std::erase_if(known, [&](int each) { return each > wanted; });
    if (known.empty())
      throw DeviceError(Failure::Build, nvrtcVersion() + " makes no code for " + architecture +
                                            ", an older device than it knows");
    target = "compute_" + std::to_string(*std::max_element(known.begin(), known.end()));
  }

  NvrtcProgramOwner owner{*nvrtc};
  const std::string option = "--gpu-architecture=" + target;
  std::vector<const char *> options = {option.c_str(), "--std=c++17", "--disable-warnings"};
  if (isVerbose)
    options.push_back("--ptxas-options=-v");
  const auto messages = [&] {
    const std::string log =
        nvrtcText(owner.program, nvrtc->nvrtcGetProgramLogSize, nvrtc->nvrtcGetProgramLog);
    return log.substr(0, log.find('\0'));
  };
  if (nvrtc->nvrtcCreateProgram(&owner.program, text.c_str(), "kernel", 0, nullptr, nullptr) != 0)
    throw DeviceError(Failure::Build, "nvrtcCreateProgram failed");
  if (nvrtc->nvrtcCompileProgram(owner.program, static_cast<int>(options.size()), options.data()) != 0)
    throw DeviceError(Failure::Build, "the kernel does not compile for " + architecture + ":\n" + messages());
  return {machineCode ? nvrtcText(owner.program, nvrtc->nvrtcGetCUBINSize, nvrtc->nvrtcGetCUBIN)
                      : nvrtcText(owner.program, nvrtc->nvrtcGetPTXSize, nvrtc->nvrtcGetPTX),
          messages()};
}

} // namespace

std::string compileCuda(const std::string &text, const std::string &architecture) {
  return compile(text, architecture, false).binary;
}

CudaCode compileCudaVerbosely(const std::string &text, const std::string &architecture) {
  return compile(text, architecture, true);
}

} // namespace pb::device
