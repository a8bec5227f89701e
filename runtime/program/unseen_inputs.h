// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Gives each of several timed runs inputs that this process has not seen before, so that a rule which remembers its
// last input is not timed on looking that up. A user's process seldom sees the same input twice.
//
//   UnseenInputs unseen(instance, seed, Origin::Random);
//   unseen.change();        // a few elements in all parts of each input differ now from those of all earlier runs
//   runner.run(instance);
//   unseen.restore();       // the inputs are again what they were
//
// How elements change: a floating-point number moves by a few units in the last place. Random integers are replaced
// by others of the same matrix. Integers from files and generators, and whole numbers among their floating-point
// ones, stay what they are: they may be indices, and the program may rely on their order. Zero, infinities and
// numbers that are not normal stay in any case.
//
// Invariants: one element in 64 changes, at least one and at most some thousands of each input, so this takes little time
// in comparison with a run; no change makes a run slower or faster by itself; restore() leaves alone what the run itself
// has written.
// 0-dimensional inputs never change. Inputs that hold nothing but kept numbers do not change at all.
#pragma once
#include "runtime/base/random.h"
#include "runtime/program/instance.h"
#include <cstdint>

namespace pb::program {

/// Where the values of inputs come from.
enum class Origin { Random, FilesOrGenerator };

class UnseenInputs {
public:
  /// The instance must outlive this object.
  UnseenInputs(const Instance &, unsigned long seed, Origin);
  /// Restores the elements that were changed before, and changes others.
  void change();
  void restore();

private:
  struct Change {
    unsigned char *at = nullptr;
    std::uint64_t before = 0, after = 0; // the bytes of the element
    std::size_t bytes = 0;
  };
  template <class T>
  void changeSome(T *first, long count);
  template <class T>
  T changed(T value, const T *first, long count);

  const Instance &instance_;
  base::Random random_;
  Origin origin_;
  std::vector<Change> changes_;
};

} // namespace pb::program
