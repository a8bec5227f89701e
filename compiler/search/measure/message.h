// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What a search and its workers tell each other: numbers and text, one after the other, on one machine.
//
//   MessageWriter w; w.number(3); w.text("leaf.so");
//   MessageReader r(w.message()); r.number<int>() == 3; r.text() == "leaf.so"
//
// Invariant: both sides name the same types in the same order.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace pbc::search {

class MessageWriter {
public:
  template <class Number>
  void number(const Number &value) {
    static_assert(std::is_trivially_copyable_v<Number>);
    message_.append(reinterpret_cast<const char *>(&value), sizeof value);
  }
  void text(std::string_view text) {
    number(std::uint64_t(text.size()));
    message_.append(text);
  }
  const std::string &message() const { return message_; }

private:
  std::string message_;
};

class MessageReader {
public:
  explicit MessageReader(std::string_view message) : rest_(message) {}
  template <class Number>
  Number number() {
    Number value{};
    const std::string_view bytes = take(sizeof value);
    std::copy(bytes.begin(), bytes.end(), reinterpret_cast<char *>(&value));
    return value;
  }
  std::string text() {
    const auto size = number<std::uint64_t>();
    return std::string(take(size));
  }

private:
  std::string_view take(std::size_t bytes) {
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(taken.size());
    return taken;
  }
  std::string_view rest_;
};

} // namespace pbc::search
