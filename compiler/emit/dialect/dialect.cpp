// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/emit/dialect/dialect.h"
#include <fmt/format.h>
#include <stdexcept>

namespace pbc::emit {
namespace {

[[noreturn]] void noGroups() {
  throw std::logic_error("a printed language without groups of items gets a loop over items");
}

} // namespace

std::string Dialect::type(Scalar s) const { return body::cxxType(s); }
std::string Dialect::itemId(loop::Parallel::Over, int) const { noGroups(); }
std::string Dialect::copy(const std::string &to, const std::string &from, bool isWide) const {
  if (isWide)
    throw std::logic_error("this language has no copies of 16 bytes");
  return to + " = " + from;
}

std::string Dialect::together(const std::string &, const std::string &, const std::string &, Move) const {
  throw std::logic_error("this language has no moves of 16 bytes");
}

std::string Dialect::streamed(const std::string &, const std::string &, long) const {
  throw std::logic_error("this language has no stores past the caches");
}

std::string Dialect::constant(const std::string &name, const std::string &value) const {
  return fmt::format("#undef {0}\n#define {0} ({1})\n", name, value);
}

std::string Dialect::barrier() const { noGroups(); }
std::string Dialect::shuffle(const std::string &, const std::string &, const std::string &,
                             const std::string &, bool) const {
  noGroups();
}
std::string Dialect::vote(const std::string &, const std::string &) const { noGroups(); }
std::string Dialect::partial(Scalar, const std::string &) const { noGroups(); }
std::string Dialect::taskArray() const {
  throw std::logic_error("a printed language without tasks gets an array of one");
}
std::string Dialect::sizedArray(const std::string &, const std::string &, const std::string &) const {
  throw std::logic_error("a printed language without tasks gets an array of one");
}
std::string Dialect::localArray(const std::string &, const std::string &, const std::string &) const {
  noGroups();
}

std::string Dialect::parameters(const Signature &s) const {
  std::string all;
  for (const Parameter &p : s.parameters)
    all += (all.empty() ? "" : ", ") + parameter(p);
  return all;
}

} // namespace pbc::emit
