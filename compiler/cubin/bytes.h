// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Numbers, names and parts of a text of bytes, in the order of x86 and of cubins.
//
//   Bytes("\x05\x00own\x00").number<std::uint16_t>(0)     5
//
// Invariant: what lies outside is not read; Unreadable is thrown instead.
#pragma once
#include "compiler/cubin/cubin.h"
#include <cstdint>
#include <string_view>

namespace pbc::cubin {

/// Numbers and parts of a text of bytes, in the order of x86 and of cubins.
class Bytes {
public:
  explicit Bytes(std::string_view all) : all_(all) {}

  template <class Number>
  Number number(std::size_t at) const {
    Number value{};
    const std::string_view found = part(at, sizeof(value));
    found.copy(reinterpret_cast<char *>(&value), sizeof(value));
    return value;
  }
  std::string_view part(std::size_t at, std::size_t size) const {
    if (at > all_.size() || size > all_.size() - at)
      throw Unreadable("it is cut off");
    return all_.substr(at, size);
  }
  std::string name(std::size_t at) const {
    const std::size_t end = all_.find('\0', at);
    if (at >= all_.size() || end == std::string_view::npos)
      throw Unreadable("a name in it has no end");
    return std::string(all_.substr(at, end - at));
  }
  std::size_t size() const { return all_.size(); }

private:
  std::string_view all_;
};

} // namespace pbc::cubin
