// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// NVRTC, CUDA's compiler as a library.
#include "runtime/device/cuda/cuda_api.h"
#include "runtime/device/shared_library.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <mutex>

namespace pb::device {
namespace {

using NvrtcProgram = struct _nvrtcProgram *;

constexpr int kOldestNvrtc = 12, kNewestNvrtc = 13; // major versions that are known to do what is needed

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

  explicit Nvrtc(const SharedLibrary &library) {
#define PB_NVRTC_LOAD(f, parameters)                                                                         \
  f = library.function<int parameters>(#f);                                                                  \
  isComplete = isComplete && f;
    PB_NVRTC_FUNCTIONS(PB_NVRTC_LOAD)
#undef PB_NVRTC_LOAD
  }
  bool isComplete = true;

  /// The one for a driver of this major version; null if none was found. Opened once for each.
  static const Nvrtc *get(int driver) {
    static std::mutex mutex;
    static std::map<int, Nvrtc> opened;
    std::lock_guard hold(mutex);
    const int major = driver / 1000;
    auto at = opened.find(major);
    if (at == opened.end())
      at = opened.emplace(major, Nvrtc(SharedLibrary(nvrtcNames(driver)))).first;
    return at->second.isComplete ? &at->second : nullptr;
  }
  std::string version() const {
    int major = 0, minor = 0;
    return nvrtcVersion(&major, &minor) == 0 ? "NVRTC " + std::to_string(major) + "." + std::to_string(minor)
                                             : "";
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

std::vector<std::string> nvrtcNames(int driver) {
  // Major versions, each with all folders: the driver's own, older ones, and only then newer ones.
  std::vector<int> versions;
  const int own = driver > 0 ? driver / 1000 : kNewestNvrtc;
  for (int v = own; v >= kOldestNvrtc; --v)
    versions.push_back(v);
  for (int v = std::max(own + 1, kOldestNvrtc); v <= kNewestNvrtc; ++v)
    versions.push_back(v);
  std::vector<std::string> folders{"", "/usr/local/cuda/lib64/"};
  if (const char *home = std::getenv("CUDA_HOME"); home && *home)
    folders.insert(folders.begin(), std::string(home) + "/lib64/");
  std::vector<std::string> names;
  for (const int v : versions)
    for (const std::string &folder : folders)
      names.push_back(folder + "libnvrtc.so." + std::to_string(v));
  for (const std::string &folder : folders)
    names.push_back(folder + "libnvrtc.so");
  return names;
}

std::string nvrtcVersion(int driver) {
  const Nvrtc *nvrtc = Nvrtc::get(driver);
  return nvrtc ? nvrtc->version() : "";
}

namespace {

enum class Wanted { MachineCode, Verbose, Ptx };

CudaCode compile(const std::string &text, const std::string &architecture, int driver, Wanted wantedCode) {
  const Nvrtc *nvrtc = Nvrtc::get(driver);
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
  const bool isKnown = std::find(known.begin(), known.end(), wanted) != known.end();
  const bool machineCode = isKnown && wantedCode != Wanted::Ptx;
  if (isKnown && !machineCode)
    target = "compute_" + std::to_string(wanted);
  if (!isKnown) { // the newest version below it, which the driver compiles further
    std::erase_if(known, [&](int each) { return each > wanted; });
    if (known.empty())
      throw DeviceError(Failure::Build, nvrtc->version() + " makes no code for " + architecture +
                                            ", an older device than it knows");
    target = "compute_" + std::to_string(*std::max_element(known.begin(), known.end()));
  }

  NvrtcProgramOwner owner{*nvrtc};
  const std::string option = "--gpu-architecture=" + target;
  std::vector<const char *> options = {option.c_str(), "--std=c++17", "--disable-warnings"};
  if (wantedCode != Wanted::MachineCode)
    options.push_back("--generate-line-info"); // the instructions are the same
  if (wantedCode == Wanted::Verbose)
    options.push_back("--ptxas-options=-v");
  const auto messages = [&] {
    const std::string log =
        nvrtcText(owner.program, nvrtc->nvrtcGetProgramLogSize, nvrtc->nvrtcGetProgramLog);
    return log.substr(0, log.find('\0'));
  };
  if (nvrtc->nvrtcCreateProgram(&owner.program, text.c_str(), "kernel", 0, nullptr, nullptr) != 0)
    throw DeviceError(Failure::Build, "nvrtcCreateProgram failed");
  if (nvrtc->nvrtcCompileProgram(owner.program, static_cast<int>(options.size()), options.data()) != 0)
    throw DeviceError(Failure::Build, "the kernel does not compile for " + architecture + " by " +
                                          nvrtc->version() + ":\n" + messages());
  return {machineCode ? nvrtcText(owner.program, nvrtc->nvrtcGetCUBINSize, nvrtc->nvrtcGetCUBIN)
                      : nvrtcText(owner.program, nvrtc->nvrtcGetPTXSize, nvrtc->nvrtcGetPTX),
          messages()};
}

} // namespace

std::string compileCuda(const std::string &text, const std::string &architecture, int driver) {
  return compile(text, architecture, driver, Wanted::MachineCode).binary;
}

std::string ptxOfCuda(const std::string &text, const std::string &architecture) {
  const std::string ptx = compile(text, architecture, 0, Wanted::Ptx).binary;
  return ptx.substr(0, ptx.find('\0'));
}

CudaCode compileCudaVerbosely(const std::string &text, const std::string &architecture) {
  return compile(text, architecture, 0, Wanted::Verbose);
}

} // namespace pb::device
