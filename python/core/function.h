// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A transform of a library as a function of Python.
//
//   c = MatMul(a, b)               outputs are new NumPy arrays; several come as a tuple
//   MatMul(a, b, out=c)            into the caller's memory
//   Grid(5.0, w=3, h=2)            sizes that no input tells
//   Solve(b, accuracy=1e7)
//   Scale(a)                       what it updates in place is the caller's array; numbers come back as results
//
// Python's lock is not held while the library computes. Invariant: the arguments stay alive until the call has ended.
#pragma once
#include "python/core/library.h"
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <string>
#include <vector>

namespace pbc_python {

/// The context that all functions of a program share; a new configuration replaces it. Calls that are under way keep the old one.
class SharedContext {
public:
  explicit SharedContext(std::shared_ptr<const Context> c) : context_(std::move(c)) {}
  std::shared_ptr<const Context> get() const {
    const std::lock_guard hold(mutex_);
    return context_;
  }
  void set(std::shared_ptr<const Context> c) {
    const std::lock_guard hold(mutex_);
    context_ = std::move(c);
  }

private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Context> context_;
};

class Function {
public:
  Function(std::shared_ptr<SharedContext> context, int index);
  /// `keywords`: invalid where there are none.
  nanobind::object call(const nanobind::tuple &inputs, const nanobind::dict &keywords) const;
  const pbc_function &about() const { return about_; }
  /// In the order of the table: what a call takes, inputs and then what it updates, and what it makes.
  const std::vector<const pbc_argument *> &inputs() const { return inputs_; }
  const std::vector<const pbc_argument *> &outputs() const { return outputs_; }

private:
  std::shared_ptr<SharedContext> context_;
  const int index_;
  const pbc_function &about_;
  std::vector<const pbc_argument *> inputs_, outputs_;
};

/// Whether a function updates the argument in place.
inline bool isUpdated(const pbc_argument &a) { return a.is_output == 2; }

} // namespace pbc_python
