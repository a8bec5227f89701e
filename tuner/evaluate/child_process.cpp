// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/child_process.h"

#include "tuner/evaluate/interrupt.h"
#include "tuner/space/program_space.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace pbc::tuner {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kLimitsData = false; // the shadow of all memory counts as data
#else
constexpr bool kLimitsData = true;
#endif

constexpr std::size_t kPipe = 65536; // bytes that a pipe holds

/// Space for frames and stacks that a program reserves but does not use.
constexpr long kReserved = 512L << 20;

void closeIfOpen(int &descriptor) {
  if (descriptor >= 0)
    ::close(descriptor);
  descriptor = -1;
}

/// Runs in the child, between fork and exec, so it may only call what is allowed there.
[[noreturn]] void becomeProgram(char *const *arguments, int input, int output, int errors, pid_t parent,
                                const ProcessLimits &limits) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent)
    _exit(127); // the parent ended before the line above
  const int file = open("/proc/self/oom_score_adj", O_WRONLY);
  if (file >= 0) {
    [[maybe_unused]] const ssize_t ignored = write(file, "1000", 4);
    close(file);
  }
  if (limits.memoryBytes > 0 && kLimitsData) {
    const auto bytes = static_cast<rlim_t>(limits.memoryBytes + kReserved);
    const rlimit limit{bytes, bytes};
    setrlimit(RLIMIT_DATA, &limit);
  }
  const rlimit noCore{0, 0}; // candidates crash, and their core files are useless
  setrlimit(RLIMIT_CORE, &noCore);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  for (int signal : {SIGINT, SIGTERM, SIGPIPE})
    std::signal(signal, SIG_DFL);
  dup2(input, 0);
  dup2(output, 1);
  dup2(errors, 2);
  execv(arguments[0], arguments);
  const char *why = std::strerror(errno);
  [[maybe_unused]] const ssize_t ignored = write(2, why, std::strlen(why));
  _exit(127);
}

} // namespace

double steadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ChildProcess::ChildProcess(const std::vector<std::string> &command, const ProcessLimits &limits)
    : memoryLimit_(limits.memoryBytes) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  int talk[2], listen[2], complain[2];
  // A socket, not a pipe, towards the child: writing to a dead child must not raise SIGPIPE in the tuner.
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, talk) != 0 || pipe2(listen, O_CLOEXEC) != 0 ||
      pipe2(complain, O_CLOEXEC) != 0)
    throw TunerError(fmt::format("cannot make a pipe to the program: {}", std::strerror(errno)));
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ == 0)
    becomeProgram(arguments.data(), talk[1], listen[1], complain[1], parent, limits);
  ::close(talk[1]);
  ::close(listen[1]);
  ::close(complain[1]);
  talk_ = talk[0];
  listen_ = listen[0];
  complain_ = complain[0];
  if (pid_ < 0)
    throw TunerError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  setpgid(pid_, pid_); // parent and child both call it, because either may be first
  fcntl(complain_, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  kill();
  closeIfOpen(talk_);
  closeIfOpen(listen_);
  closeIfOpen(complain_);
}

bool ChildProcess::writeLine(const std::string &line) {
  const std::string text = line + "\n";
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = send(talk_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return false;
    sent += static_cast<std::size_t>(count);
  }
  return true;
}

void ChildProcess::drainErrors() {
  char buffer[4096];
  for (ssize_t count; (count = read(complain_, buffer, sizeof buffer)) > 0;)
    errors_.append(buffer, static_cast<std::size_t>(count));
  constexpr std::size_t kKept = 4000;
  if (errors_.size() > kKept)
    errors_.erase(0, errors_.size() - kKept);
}

ChildProcess::Read ChildProcess::readLine(double seconds, std::string *line) {
  const double end = steadySeconds() + seconds;
  for (;;) {
    const std::size_t newline = pending_.find('\n');
    if (newline != std::string::npos) {
      *line = pending_.substr(0, newline);
      pending_.erase(0, newline + 1);
      return Read::Line;
    }
    if (stopRequested())
      return Read::Stopped;
    const double left = end - steadySeconds();
    if (left > 0)
      late_ = 0;
    else if (late_ > kPipe)
      return Read::Timeout;
    if (memoryLimit_ > 0 && residentBytes() > memoryLimit_)
      return Read::TooLarge;
    pollfd polled[2] = {{listen_, POLLIN, 0}, {complain_, POLLIN, 0}};
    // The wait ends now and then, in case a signal arrives just before the call.
    const double patience = left > 0 ? std::min(left * 1000 + 1, 100.0) : 0;
    const int ready = poll(polled, complain_ >= 0 ? 2 : 1, static_cast<int>(patience));
    if (ready < 0 && errno != EINTR)
      return Read::Ended;
    if (ready == 0 && left <= 0)
      return Read::Timeout;
    if (ready <= 0)
      continue;
    if (complain_ >= 0 && polled[1].revents) {
      drainErrors();
      if (polled[1].revents & POLLHUP)
        closeIfOpen(complain_);
    }
    if (!polled[0].revents) {
      if (left <= 0)
        return Read::Timeout;
      continue;
    }
    char buffer[kPipe];
    const ssize_t count = read(listen_, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR)
      continue;
    if (count <= 0)
      return Read::Ended;
    pending_.append(buffer, static_cast<std::size_t>(count));
    if (left <= 0)
      late_ += static_cast<std::size_t>(count);
  }
}

void ChildProcess::waitForEnd(double seconds) {
  const double end = steadySeconds() + seconds;
  while (pid_ > 0 && steadySeconds() < end) {
    rusage usage{};
    const pid_t result = wait4(pid_, &status_, WNOHANG, &usage);
    if (result == pid_) {
      peakBytes_ = usage.ru_maxrss * 1024;
      ::kill(-pid_, SIGKILL); // processes that it may have left behind
      pid_ = -1;
      if (complain_ >= 0)
        drainErrors();
      return;
    }
    usleep(1000);
  }
  kill();
}

void ChildProcess::kill() {
  if (pid_ <= 0)
    return;
  isKilled_ = true;
  ::kill(-pid_, SIGKILL);
  ::kill(pid_, SIGKILL); // in case it has no group of its own yet
  rusage usage{};
  while (wait4(pid_, &status_, 0, &usage) < 0 && errno == EINTR) {
  }
  peakBytes_ = usage.ru_maxrss * 1024;
  pid_ = -1;
  if (complain_ >= 0)
    drainErrors();
}

bool ChildProcess::endedBySignal() const { return WIFSIGNALED(status_); }

bool ChildProcess::endedForMemory(long before) const {
  // Not all that counts against the limit (stacks of threads, for example) is memory that it really used.
  const bool isKilledByOthers = !isKilled_ && endedBySignal() && WTERMSIG(status_) == SIGKILL;
  return (memoryLimit_ > 0 && peakBytes_ > memoryLimit_ / 2 && peakBytes_ > 2 * before) ||
         (isKilledByOthers && peakBytes_ >= memoryLimit_ / 8);
}

int ChildProcess::exitStatus() const { return WIFEXITED(status_) ? WEXITSTATUS(status_) : -1; }

std::string ChildProcess::describeEnd() const {
  std::string result =
      endedBySignal() ? fmt::format("ends by signal {} ({})", WTERMSIG(status_), strsignal(WTERMSIG(status_)))
                      : fmt::format("ends with exit status {}", exitStatus());
  std::string last = errors_;
  while (!last.empty() && std::isspace(static_cast<unsigned char>(last.back())))
    last.pop_back();
  // Indented lines belong to the message above them: the values of an assertion.
  std::size_t newline = last.rfind('\n');
  for (std::size_t before; newline != std::string::npos && last.compare(newline + 1, 2, "  ") == 0;
       newline = before) {
    before = newline ? last.rfind('\n', newline - 1) : std::string::npos;
    last.replace(newline, last.find_first_not_of(' ', newline + 1) - newline, "; ");
  }
  if (newline != std::string::npos)
    last.erase(0, newline + 1);
  if (last.size() > 300)
    last.resize(300);
  return last.empty() ? result : result + ": " + last;
}

std::string outputOf(const std::vector<std::string> &command, double seconds) {
  ChildProcess child(command, {});
  std::string output, line;
  for (const double end = steadySeconds() + seconds;;) {
    switch (child.readLine(end - steadySeconds(), &line)) {
    case ChildProcess::Read::Line:
      output += line + "\n";
      continue;
    case ChildProcess::Read::Timeout:
      throw TunerError(fmt::format("{} {} did not end within {:.0f} s", command.front(),
                                   command.size() > 1 ? command[1] : "", seconds));
    case ChildProcess::Read::Stopped:
      throw TunerError("stopped");
    case ChildProcess::Read::TooLarge:
    case ChildProcess::Read::Ended:
      break;
    }
    break;
  }
  child.waitForEnd(5);
  if (child.endedBySignal() || child.exitStatus() != 0)
    throw TunerError(
        fmt::format("{} {} {}", command.front(), command.size() > 1 ? command[1] : "", child.describeEnd()));
  return output;
}

} // namespace pbc::tuner
