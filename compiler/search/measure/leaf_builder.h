// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// From scripts to a shared library: runs the steps on the kernel, prints it, compiles it alone or many together.
//
//   LeafBuilder builder(lifted, arrays);
//   builder.build(script)    { "/tmp/.../3.so" }   or   { why = "step 2, `tile(...)`, does not apply: ..." }
//   builder.compile({builder.leaf(a).functions, builder.leaf(b).functions})    one library with both
//
// The libraries are in a folder of the builder's, which goes with it. leaf() and compile() may run in two threads at once.
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

  /// A leaf that was printed.
  struct Leaf {
    std::string functions; // leafFunctions(); "": a step does not apply
    std::string why;       // a sentence
  };
  /// Scripts that begin as the one before cost only the steps that differ.
  Leaf leaf(const script::Script &);

  struct Built {
    std::string library; // its path; "" if there is none
    std::string why;     // a sentence
  };
  /// The functions of some leaves; the library's leaf number i is the i-th.
  Built compile(const std::vector<std::string> &leaves);
  Built build(const script::Script &);
  /// Removes the file, after its leaf was measured.
  static void remove(const Built &);

private:
  struct AfterStep {
    script::Step step;
    kernel::Scheduled kernel;
  };

  kernel::Scheduled lifted_;
  const Arrays &arrays_;
  std::vector<AfterStep> before_; // of the last script
  build::Preambles preambles_{nullptr};
  std::string folder_;
  int number_ = 0;
};

} // namespace pbc::search
