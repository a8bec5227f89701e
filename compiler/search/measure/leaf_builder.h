// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From a script to a shared library: runs the steps on the kernel, prints it, compiles it alone.
//
//   LeafBuilder builder(lifted, arrays, request);
//   builder.build(script)    { "/tmp/.../3.so" }   or   { why = "step 2, `tile(...)`, does not apply: ..." }
//
// The libraries are in a folder of the builder's, which goes with it.
#pragma once
#include "compiler/build/compile.h"
#include "compiler/build/preambles.h"
#include "compiler/kernel/transform/run.h"
#include "compiler/search/measure/leaf_program.h"

namespace pbc::search {

class LeafBuilder {
public:
  LeafBuilder(const kernel::Scheduled &lifted, const Arrays &);
  ~LeafBuilder();
  LeafBuilder(const LeafBuilder &) = delete;
  LeafBuilder &operator=(const LeafBuilder &) = delete;

  struct Built {
    std::string library; // its path; "" if there is none
    std::string why;     // a sentence
  };
  Built build(const script::Script &);
  /// Removes the file, after its leaf was measured.
  static void remove(const Built &);

private:
  const kernel::Scheduled &lifted_;
  const Arrays &arrays_;
  build::Preambles preambles_{nullptr};
  std::string folder_;
  int number_ = 0;
};

} // namespace pbc::search
