// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/request_token.h"

#include "tuner/space/program_space.h"

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fmt/format.h>
#include <sys/random.h>

namespace pbc::tuner {

RequestToken::RequestToken(long number) {
  std::array<std::uint64_t, 2> random{};
  ssize_t got = -1;
  do
    got = getrandom(random.data(), sizeof random, 0);
  while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof random))
    throw TunerError(fmt::format("cannot get random numbers: {}", std::strerror(errno)));
  text_ = fmt::format("{}:{:016x}{:016x}", number, random[0], random[1]);
}

std::optional<std::string> RequestToken::read(const std::string &line) const {
  if (line.size() <= text_.size() || !line.starts_with(text_) || line[text_.size()] != ' ')
    return {};
  return line.substr(text_.size() + 1);
}

} // namespace pbc::tuner
