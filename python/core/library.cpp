// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "python/core/library.h"
#include <dlfcn.h>
#include <utility>

namespace pbc_python {

std::shared_ptr<const Library> Library::open(const std::string &path) {
  void *const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    throw Failure(PBC_ERROR_INTERNAL, dlerror());
  void *const entry = dlsym(handle, "pbc_this_library");
  if (!entry)
    throw Failure(PBC_ERROR_VERSION, path + " was not made by pbc --shared");
  const pbc_library *const about = reinterpret_cast<const pbc_library *(*)()>(entry)();
  if (about->abi_version != PBC_ABI_VERSION)
    throw Failure(PBC_ERROR_VERSION, path + " speaks version " + std::to_string(about->abi_version) +
                                         " of the interface, and this package version " +
                                         std::to_string(PBC_ABI_VERSION) + ": compile it again");
  return std::shared_ptr<const Library>(new Library(*about));
}

Context::Context(std::shared_ptr<const Library> library, const Options &given)
    : library_(std::move(library)) {
  pbc_options options{};
  options.threads = given.threads;
  options.configuration = given.configuration.c_str();
  options.devices = given.devices.empty() ? nullptr : given.devices.c_str();
  options.seed = given.seed;
  if (const int status = about().create(PBC_ABI_VERSION, &options, &context_)) {
    const std::string message = context_ ? about().message(context_) : "not enough memory";
    about().destroy(context_);
    throw Failure(status, message);
  }
}

Context::~Context() { about().destroy(context_); }

std::string Context::configuration() const {
  const char *const text = about().configuration(context_);
  return text ? text : "";
}

void Context::call(int function, pbc_array *const *arrays, const int64_t *sizes, double accuracy) const {
  if (const int status = about().call(context_, function, arrays, sizes, accuracy))
    throw Failure(status, about().message(context_));
}

} // namespace pbc_python
