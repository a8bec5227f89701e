// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What `pbc explain` says of the memory of a transform: how many versions of each temporary are stored, and why not fewer.
//
//   through T<0..steps>[n], T<k> from T<k-1>
//   =>   storage of T: 2 slots for its steps + 1 versions, 16 * n bytes; in one slot, `step` would overwrite ...
//        memory: 16000 bytes of temporaries, 16000 bytes of its inputs and outputs, without what its calls need     with --n=1000
//
// Numbers of bytes are exact for matrices; bodies that call transforms or allocate memory need more. Matrices that an alternative
// computes in tiles where they do not fit into the second cache count as half of that cache, for one worker.
#pragma once
#include "compiler/driver/options.h"
#include "compiler/emit/emit.h"
#include "compiler/schedule/versions.h"
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>

namespace pbc::driver {

class ExplainedStorage {
public:
  /// Throws Refusal for a size that cannot be read.
  ExplainedStorage(const emit::Input &, const poly::Context &,
                   const std::vector<std::vector<schedule::Storage>> &, const BoundOptions &sizes);

  /// Adds the entries "storage", of temporaries if there are some, and, where all sizes have values, "memory".
  void add(const sema::Transform &, nlohmann::ordered_json &transform) const;

private:
  /// Nothing if a size in it has no value.
  std::optional<double> cellsOf(const sema::Transform &, const sema::Matrix &) const;
  std::optional<double> bytesOf(const sema::Transform &, const std::set<int> &matrices) const;
  /// With the copies of matrices that are updated in place.
  std::optional<double> temporariesOf(const sema::Transform &, std::size_t alternative) const;

  const emit::Input &in_;
  const poly::Context &context_;
  const std::vector<std::vector<schedule::Storage>> &storage_;
  std::optional<long> n_;
  std::map<std::string, long> given_;
};

/// Lines, with two spaces in front.
std::string storageText(const nlohmann::ordered_json &transform);

} // namespace pbc::driver
