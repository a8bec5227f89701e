// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/child_process.h"

#include "tuner/evaluate/confinement.h"
#include "tuner/evaluate/interrupt.h"
#include "tuner/space/program_space.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
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
constexpr int kNap = 100;            // milliseconds between two checks of everything else

/// Space for frames and stacks that a program reserves but does not use.
constexpr long kReserved = 512L << 20;

void closeIfOpen(int &descriptor) {
  if (descriptor >= 0)
    ::close(descriptor);
  descriptor = -1;
}

/// Moves the file to a descriptor above kChannel, so that it does not collide with the child's own descriptors.
int aboveChannel(int descriptor) {
  if (descriptor > kChannel)
    return descriptor;
  const int higher = fcntl(descriptor, F_DUPFD_CLOEXEC, kChannel + 1);
  ::close(descriptor);
  return higher;
}

/// The child's ends of the pipes and the channel. `channel`: -1 without one.
struct Ends {
  int channel, output, errors;
};

/// Runs in the child after fork: makes only calls that are allowed before exec.
[[noreturn]] void becomeProgram(char *const *arguments, const Ends &ends, const Protected &parent,
                                const ProcessLimits &limits) {
  setsid();
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent.tuner)
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
  // All of these are above 3; otherwise close-on-exec would close descriptors that the child needs.
  const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
  dup2(nothing, 0);
  dup2(ends.output, 1);
  dup2(ends.errors, 2);
  if (ends.channel >= 0)
    dup2(ends.channel, kChannel);
  confineSignals(parent);
  execv(arguments[0], arguments);
  const char *why = std::strerror(errno);
  [[maybe_unused]] const ssize_t ignored = write(2, why, std::strlen(why));
  _exit(127);
}

} // namespace

double steadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ChildProcess::ChildProcess(const std::vector<std::string> &command, const ProcessLimits &limits, Talk talk)
    : memoryLimit_(limits.memoryBytes) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  const bool isOverChannel = talk == Talk::OverChannel;
  // The channel is a socket, not a pipe, so that writing to a dead child raises no SIGPIPE in the tuner.
  int ours[2], complain[2];
  if ((isOverChannel ? socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ours) : pipe2(ours, O_CLOEXEC)) !=
          0 ||
      pipe2(complain, O_CLOEXEC) != 0)
    throw TunerError(fmt::format("cannot make a pipe to the program: {}", std::strerror(errno)));
  for (int *end : {&ours[0], &ours[1], &complain[0], &complain[1]})
    *end = aboveChannel(*end);
  const Protected parent = thisProcess();
  pid_ = fork();
  if (pid_ == 0)
    becomeProgram(arguments.data(),
                  {isOverChannel ? ours[1] : -1, isOverChannel ? complain[1] : ours[1], complain[1]}, parent,
                  limits);
  ::close(ours[1]);
  ::close(complain[1]);
  talk_ = ours[0];
  complain_ = complain[0];
  if (pid_ < 0)
    throw TunerError(fmt::format("cannot start a process: {}", std::strerror(errno)));
  fcntl(talk_, F_SETFL, fcntl(talk_, F_GETFL) | O_NONBLOCK);
  fcntl(complain_, F_SETFL, O_NONBLOCK);
}

ChildProcess::~ChildProcess() {
  kill();
  closeIfOpen(talk_);
  closeIfOpen(complain_);
}

bool ChildProcess::hasEnded() const {
  siginfo_t info{};
  return pid_ <= 0 || (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
                       info.si_pid == pid_);
}

bool ChildProcess::writeLine(const std::string &line, double seconds) {
  const std::string text = line + "\n";
  const double end = steadySeconds() + seconds;
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = send(talk_, text.data() + sent, text.size() - sent, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (count > 0)
      sent += static_cast<std::size_t>(count);
    if (count >= 0 || errno == EINTR)
      continue;
    if (errno != EAGAIN || stopRequested() || hasEnded() || steadySeconds() > end)
      return false;
    pollfd polled[2] = {{talk_, POLLOUT, 0}, {complain_, POLLIN, 0}};
    poll(polled, complain_ >= 0 ? 2 : 1, kNap);
    if (complain_ >= 0 && polled[1].revents)
      drainErrors();
  }
  return true;
}

void ChildProcess::drainErrors() {
  constexpr int kMost =
      16; // buffers at once, so that a child that writes endlessly cannot keep the tuner here
  char buffer[4096];
  ssize_t count = 1;
  for (int k = 0; k < kMost && (count = read(complain_, buffer, sizeof buffer)) > 0; ++k)
    errors_.append(buffer, static_cast<std::size_t>(count));
  if (count == 0)
    closeIfOpen(complain_);
  constexpr std::size_t kKept = 4000;
  if (errors_.size() > kKept)
    errors_.erase(0, errors_.size() - kKept);
}

std::optional<std::string> ChildProcess::takeLine() {
  constexpr std::size_t kLongest = 64 << 20; // a line longer than that is not read
  const std::size_t newline = pending_.find('\n', searched_);
  if (newline == std::string::npos) {
    if (pending_.size() > kLongest)
      pending_.clear();
    searched_ = pending_.size();
    return {};
  }
  std::string line = pending_.substr(0, newline);
  pending_.erase(0, newline + 1);
  searched_ = 0;
  return line;
}

ChildProcess::Read ChildProcess::readLine(double seconds, std::string *line) {
  const double end = steadySeconds() + seconds;
  for (;;) {
    if (std::optional<std::string> next = takeLine()) {
      *line = std::move(*next);
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
    const bool isOver = hasEnded(); // must come before its remaining output is read
    pollfd polled[2] = {{talk_, POLLIN, 0}, {complain_, POLLIN, 0}};
    // The wait is short, in case that a signal arrives just before the call.
    const double patience = left > 0 && !isOver ? std::min(left * 1000 + 1, 1.0 * kNap) : 0;
    const int ready = poll(polled, complain_ >= 0 ? 2 : 1, static_cast<int>(patience));
    if (ready < 0 && errno != EINTR)
      return Read::Ended;
    if (ready > 0 && complain_ >= 0 && polled[1].revents)
      drainErrors();
    if (ready < 0 || !polled[0].revents) {
      if (isOver)
        return Read::Ended;
      if (left <= 0)
        return Read::Timeout;
      continue;
    }
    char buffer[kPipe];
    const ssize_t count = read(talk_, buffer, sizeof buffer);
    if (count < 0 && (errno == EINTR || errno == EAGAIN))
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
  ::kill(pid_, SIGKILL); // in case that it has no session of its own yet
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
  // Indented lines, such as the values of an assertion, belong to the message above them, as help does.
  std::size_t newline = last.rfind('\n');
  const auto belongs = [&](std::size_t line) {
    return last.compare(line, 2, "  ") == 0 || last.compare(line, 5, "help:") == 0;
  };
  for (std::size_t before; newline != std::string::npos && belongs(newline + 1); newline = before) {
    before = newline ? last.rfind('\n', newline - 1) : std::string::npos;
    last.replace(newline, last.find_first_not_of(' ', newline + 1) - newline, "; ");
  }
  if (newline != std::string::npos)
    last.erase(0, newline + 1);
  if (last.size() > 300)
    last.resize(300);
  return last.empty() ? result : result + ": " + last;
}

std::string compilerPath() {
  char path[PATH_MAX];
  const ssize_t n = readlink("/proc/self/exe", path, sizeof path);
  if (n <= 0 || n == PATH_MAX)
    throw TunerError(fmt::format("cannot find the compiler: {}", std::strerror(errno)));
  return {path, static_cast<std::size_t>(n)};
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
