// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/library/open_library.h"

#include <cstdlib>

namespace pb::device {

SharedLibrary openCudaLibrary(const char *file, const std::vector<const char *> &versions, const char *name,
                              const std::string &folder) {
  std::vector<std::string> folders, names;
  const char *named = std::getenv("PB_CUDA_LIBRARIES");
  if (!folder.empty()) {
    folders = {folder + "/"};
  } else if (named && *named) {
    folders = {std::string(named) + "/"};
  } else {
    if (const char *home = std::getenv("CUDA_HOME"); home && *home)
      folders.push_back(std::string(home) + "/lib64/");
    folders.emplace_back("");
    folders.emplace_back("/usr/local/cuda/lib64/");
  }
  for (const std::string &each : folders) {
    for (const char *version : versions)
      names.push_back(each + file + "." + version);
    names.push_back(each + file);
  }
  SharedLibrary library(names);
  if (!library)
    throw DeviceError(Failure::Build, std::string(name) + " is not on this machine: no " + file + "." +
                                          versions.front() + " or older was found" +
                                          (folders.size() == 1 ? " in " + folders.front()
                                                               : ", nor in $CUDA_HOME/lib64 or "
                                                                 "/usr/local/cuda/lib64"));
  return library;
}

void lacksFunction(const char *name, const char *symbol) {
  throw DeviceError(Failure::Build,
                    std::string("the ") + name + " of this machine has no function " + symbol);
}

void requireCall(int status, const char *call) {
  if (status != 0)
    throw DeviceError(Failure::Launch, std::string(call) + " ended with status " + std::to_string(status));
}

} // namespace pb::device
