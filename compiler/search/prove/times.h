// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Where a search has the times of its leaves from: the machine at hand (machine_times.h), or a record (compiler/search/record).
#pragma once
#include "compiler/script/script.h"
#include "compiler/search/measure/worker.h"
#include <stdexcept>

namespace pbc::search {

class Times {
public:
  Times() = default;
  Times(const Times &) = delete;
  Times &operator=(const Times &) = delete;
  virtual ~Times() = default;

  /// `most`: a time beyond which the exact value does not matter; 0: it always does.
  virtual Measurement of(const script::Script &, double most) = 0;
  /// It measures, so that the machine should do nothing else meanwhile.
  virtual bool isMeasured() const { return false; }
};

/// A kernel that cannot be searched: a sentence.
class Unsearchable : public std::runtime_error {
public:
  using std::runtime_error::runtime_error;
};

} // namespace pbc::search
