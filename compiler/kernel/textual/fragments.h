// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Makes isl's objects of their texts in a kernel; functions.h makes these texts.
//
//   f.function({"-1 + x", span}, statement)      [n] -> { S[x, y] -> [(-1 + x)] }
//   f.set({"{ S[x, y] : x < n }", span}, ...)    [n] -> { S[x, y] : x < n }
//
// isl reports no place and no reason when it cannot read a text. What goes wrong most often is therefore found before: a name
// that the kernel does not have. Reading is limited, as some short texts stand for very many pieces.
#pragma once
#include "compiler/kernel/schedule.h"
#include "compiler/kernel/textual/reader.h"

namespace pbc::kernel::textual {

class Fragments {
public:
  /// `parameters`: all names that stand for parameters anywhere in the kernel, in isl's order.
  Fragments(const Reader &reader, const poly::Context &ctx, const std::vector<std::string> &parameters)
      : reader_(reader), ctx_(ctx), parameters_(parameters), prefix_(poly::parameterPrefix(parameters)) {}

  /// A function of the parameters.
  isl::pw_aff ofParameters(const Fragment &) const;
  isl::pw_aff function(const Fragment &, const Statement &) const;
  isl::set condition(const Fragment &) const;
  /// A set of one statement's instances.
  isl::set domain(const Fragment &, const Statement &) const;
  isl::union_set instances(const Fragment &) const;
  isl::union_map dependences(const Fragment &) const;
  isl::union_pw_aff functions(const Fragment &) const;
  /// From a statement to the elements of a buffer: "{ S[x] -> A[x + 1]; ... }".
  isl::map relation(const Fragment &, const Statement &) const;
  /// The same, from "x + 1" or "x + 1 : x < n".
  isl::map element(const Fragment &inBrackets, const Statement &, const Buffer &) const;

private:
  template <class T>
  T read(const Fragment &, const std::string &text, const std::string &what, const Statement *) const;
  void requireKnownNames(const Fragment &, const Statement *) const;
  static std::string tuple(const Statement &);

  const Reader &reader_;
  const poly::Context &ctx_;
  std::vector<std::string> parameters_;
  std::string prefix_;
};

} // namespace pbc::kernel::textual
