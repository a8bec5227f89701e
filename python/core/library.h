// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A library that `pbc --shared` has made, opened by this process, and contexts of it.
//
//   auto library = Library::open("/cache/libmm.so");     // throws Failure, with what the loader says
//   Context context(library, 2, "mm.cfg");
//   context.call(0, arrays, sizes, 0);                   // throws Failure with the library's message
//
// Invariant: a library stays open for the rest of the process, because its threads and memory may outlive what Python knows of it.
#pragma once
#include "runtime/abi/pbc.h"
#include <memory>
#include <stdexcept>
#include <string>

namespace pbc_python {

/// What a library refused, or why it cannot be used; `status` is one of PBC_ERROR_...
class Failure : public std::runtime_error {
public:
  Failure(int status, const std::string &message) : std::runtime_error(message), status_(status) {}
  int status() const { return status_; }

private:
  int status_;
};

class Library {
public:
  static std::shared_ptr<const Library> open(const std::string &path);
  const pbc_library &about() const { return *about_; }

private:
  explicit Library(const pbc_library &about) : about_(&about) {}
  const pbc_library *about_;
};

class Context {
public:
  /// How a context is made.
  struct Options {
    int threads = 0;           // 0: as the configuration says
    std::string configuration; // a file, or "" for none
    std::string devices;       // their names, or "" for those of the environment
    std::uint64_t seed = 0;    // of random numbers; 0: the usual one
  };
  Context(std::shared_ptr<const Library>, const Options &);
  ~Context();
  Context(const Context &) = delete;
  Context &operator=(const Context &) = delete;

  const pbc_library &about() const { return library_->about(); }
  /// The text of its configuration, "" if it has none.
  std::string configuration() const;
  void call(int function, pbc_array *const *arrays, const int64_t *sizes, double accuracy) const;

private:
  std::shared_ptr<const Library> library_;
  pbc_context *context_ = nullptr;
};

} // namespace pbc_python
