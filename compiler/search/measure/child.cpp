// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/measure/child.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pbc::search {
namespace {

/// False: the other end is closed.
bool writeAll(int file, const void *data, std::size_t bytes) {
  const char *at = static_cast<const char *>(data);
  while (bytes > 0) {
    const ssize_t n = write(file, at, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n, bytes -= std::size_t(n);
  }
  return true;
}

bool readAll(int file, void *data, std::size_t bytes) {
  char *at = static_cast<char *>(data);
  while (bytes > 0) {
    const ssize_t n = read(file, at, bytes);
    if (n < 0 && errno == EINTR)
      continue;
    if (n <= 0)
      return false;
    at += n, bytes -= std::size_t(n);
  }
  return true;
}

bool send(int file, const std::string &message) {
  const auto bytes = std::uint64_t(message.size());
  return writeAll(file, &bytes, sizeof bytes) && writeAll(file, message.data(), message.size());
}

bool receive(int file, std::string &message) {
  std::uint64_t bytes = 0;
  if (!readAll(file, &bytes, sizeof bytes))
    return false;
  message.resize(bytes);
  return readAll(file, message.data(), bytes);
}

/// Writes into a pipe whose reader has ended must not end this process.
class WithoutSigpipe {
public:
  WithoutSigpipe() {
    struct sigaction ignore = {};
    ignore.sa_handler = SIG_IGN;
    sigaction(SIGPIPE, &ignore, &before_);
  }
  WithoutSigpipe(const WithoutSigpipe &) = delete;
  WithoutSigpipe &operator=(const WithoutSigpipe &) = delete;
  ~WithoutSigpipe() { sigaction(SIGPIPE, &before_, nullptr); }

private:
  struct sigaction before_ = {};
};

/// Whether something can be read before the time is over.
bool isReadable(int file, double seconds) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point end =
      Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
  pollfd waiting{file, POLLIN, 0};
  for (;;) {
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - Clock::now()).count();
    const int ready = poll(&waiting, 1, int(std::max<long>(0, left)));
    if (ready >= 0 || errno != EINTR)
      return ready != 0;
  }
}

} // namespace

std::optional<std::string> Child::Questions::next() {
  std::string question;
  if (isOver_ || !receive(in_, question))
    return std::nullopt;
  return question;
}

void Child::Questions::answer(const std::string &text) { isOver_ = !send(out_, text); }

bool Child::start(const std::function<void(Questions &)> &serve) {
  stop();
  int question[2], answer[2];
  if (pipe2(question, O_CLOEXEC) != 0)
    return false;
  if (pipe2(answer, O_CLOEXEC) != 0) {
    close(question[0]), close(question[1]);
    return false;
  }
  process_ = fork();
  if (process_ == 0) {
    close(question[1]), close(answer[0]);
    signal(SIGINT, SIG_IGN); // from the terminal, it is for the search, which ends its workers
    Questions questions(question[0], answer[1]);
    serve(questions);
    _exit(0);
  }
  close(question[0]), close(answer[1]);
  to_ = question[1], from_ = answer[0];
  if (process_ < 0)
    stop();
  return process_ > 0;
}

Child::Reply Child::ask(const std::string &question, double seconds) {
  Reply reply;
  {
    const WithoutSigpipe without;
    if (!isRunning() || !send(to_, question)) {
      stop();
      return reply;
    }
  }
  reply.fate = isReadable(from_, seconds) ? receive(from_, reply.answer) ? Fate::Answered : Fate::Ended
                                          : Fate::TimedOut;
  if (reply.fate != Fate::Answered)
    stop();
  return reply;
}

void Child::stop() {
  if (to_ >= 0)
    close(to_);
  if (from_ >= 0)
    close(from_);
  to_ = from_ = -1;
  if (process_ > 0) {
    kill(process_, SIGKILL);
    while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  process_ = -1;
}

} // namespace pbc::search
