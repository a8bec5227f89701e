// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/serve_channel.h"
#include "runtime/base/errors.h"
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <unistd.h>
#include <utility>

namespace pb::program {
namespace {

[[noreturn]] void cannotServe() {
  throw base::UserError(std::string("cannot serve: ") + std::strerror(errno));
}

/// Moves the file to a random descriptor, as high as the system allows, and closes the old one.
int hidden(int descriptor) {
  constexpr rlim_t kMost = 1 << 16; // more would make the table of descriptors large
  rlimit before{};
  getrlimit(RLIMIT_NOFILE, &before);
  // The limit is raised for this one descriptor only, so code that tries all allowed descriptors does not find it.
  const rlimit raised{std::max(before.rlim_cur, std::min(before.rlim_max, kMost)), before.rlim_max};
  setrlimit(RLIMIT_NOFILE, &raised);
  unsigned random = 0;
  if (getrandom(&random, sizeof random, GRND_NONBLOCK) != sizeof random)
    random = static_cast<unsigned>(getpid()) * 2654435761u;
  const auto upper = static_cast<unsigned>(std::max<rlim_t>(raised.rlim_cur / 2, 1));
  const int moved = fcntl(descriptor, F_DUPFD_CLOEXEC, static_cast<int>(upper + random % upper));
  const int problem = errno;
  setrlimit(RLIMIT_NOFILE, &before);
  if (moved < 0) {
    errno = problem;
    cannotServe();
  }
  close(descriptor);
  return moved;
}

/// Makes standard input empty.
void emptyInput() {
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  if (nothing < 0 || dup2(nothing, 0) < 0)
    cannotServe();
  close(nothing);
}

} // namespace

ServeChannel ServeChannel::streams() {
  std::fflush(stdout);
  const int requests = dup(0), answers = dup(1);
  if (requests < 0 || answers < 0 || dup2(2, 1) < 0)
    cannotServe();
  emptyInput();
  const int hiddenRequests = hidden(requests);
  return {hiddenRequests, hidden(answers)};
}

ServeChannel ServeChannel::over(int descriptor) {
  if (fcntl(descriptor, F_GETFD) < 0)
    throw base::UserError("--channel=" + std::to_string(descriptor) +
                          ": no such descriptor is open; it is for `pbc tune`, without it --serve reads "
                          "standard input");
  std::fflush(stdout);
  const int socket = hidden(descriptor);
  if (dup2(2, 1) < 0)
    cannotServe();
  emptyInput();
  return {socket, socket};
}

ServeChannel::ServeChannel(ServeChannel &&other) noexcept
    : requests_(std::exchange(other.requests_, -1)), answers_(std::exchange(other.answers_, -1)),
      pending_(std::move(other.pending_)) {}

ServeChannel::~ServeChannel() {
  if (requests_ >= 0)
    close(requests_);
  if (answers_ >= 0 && answers_ != requests_)
    close(answers_);
}

bool ServeChannel::readLine(std::string *line) {
  for (std::size_t searched = 0;;) {
    const std::size_t newline = pending_.find('\n', searched);
    if (newline != std::string::npos) {
      *line = pending_.substr(0, newline);
      pending_.erase(0, newline + 1);
      return true;
    }
    searched = pending_.size();
    char buffer[65536];
    const long n = ::read(requests_, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0) { // the last line need not have an end
      *line = std::exchange(pending_, {});
      return !line->empty();
    }
    pending_.append(buffer, static_cast<std::size_t>(n));
  }
}

bool ServeChannel::readRequest(std::string *token, std::string *request) {
  std::string line;
  do
    if (!readLine(&line))
      return false;
  while (line.find_first_not_of(" \t\r") == std::string::npos);
  std::size_t begin = line.find('{'), end = std::min(begin, line.find(' '));
  if (begin == std::string::npos || end == std::string::npos || end == begin)
    begin = end = 0; // there is no token or no request; the answer reports this
  *token = line.substr(0, end);
  *request = line.substr(begin);
  return true;
}

void ServeChannel::tell(const std::string &token, const std::string &line) const {
  // A rule body may have left the beginning of a line on the same file.
  const std::string text = token.empty() ? line + "\n" : "\n" + token + " " + line + "\n";
  for (std::size_t done = 0; done < text.size();) {
    const long n = ::write(answers_, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR)
      throw base::UserError(std::string("cannot answer: ") + std::strerror(errno));
    if (n > 0)
      done += static_cast<std::size_t>(n);
  }
}

} // namespace pb::program
