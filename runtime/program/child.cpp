// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/child.h"
#include "runtime/base/errors.h"
#include "runtime/program/runner.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

namespace pb::program {

namespace {

/// Returns 0 in the child.
pid_t forked() {
  std::fflush(stdout);
  std::fflush(stderr);
  const pid_t child = fork();
  if (child < 0)
    throw base::UserError(std::string("cannot start a process: ") + std::strerror(errno));
  if (child == 0)
    prctl(PR_SET_PDEATHSIG, SIGKILL); // no child is left behind when the parent is stopped
  return child;
}

} // namespace

bool inChild(const std::function<bool()> &question) {
  const pid_t child = forked();
  if (child == 0) {
    try {
      _exit(question() ? 0 : 1);
    } catch (...) {
      _exit(1);
    }
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

struct alignas(64) SharedRun::Shared {
  base::FailureNote note;
  bool finished = false; // a body that calls exit(0) is a success for the system, but not here
  double seconds = 0;
  Accuracy accuracy;
  char remark[300] = {};
};

SharedRun::SharedRun(const Instance &instance, const Program *measures)
    : instance_(instance), measures_(measures) {
  const auto first = static_cast<size_t>(inputCount(*instance.transform));
  bytes_ = sizeof(Shared);
  auto padded = [](const Matrix &m) { return (static_cast<unsigned long>(m.bytes()) + 127) / 64 * 64; };
  for (size_t i = first; i < instance.matrices.size(); ++i)
    bytes_ += padded(instance.matrices[i]);
  void *at = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (at == MAP_FAILED)
    throw base::UserError("not enough memory to check " + std::to_string(bytes_) + " bytes of outputs");
  shared_ = new (at) Shared;
  char *data = static_cast<char *>(at) + sizeof(Shared);
  for (size_t i = first; i < instance_.matrices.size(); ++i) {
    Matrix &m = instance_.matrices[i];
    m = Matrix::over(m.element(), m.extents(), data);
    data += padded(m);
    outputs_.push_back(m);
  }
}

SharedRun::~SharedRun() { munmap(shared_, bytes_); }

void SharedRun::work(const std::function<void()> &prepare, int threads) {
  const rlimit none{0, 0};
  setrlimit(RLIMIT_CORE, &none);
  base::noteFailuresIn(&shared_->note);
  try {
    prepare();
    Runner runner(threads, measures_);
    shared_->seconds = runner.run(instance_);
    if (!runner.remarks().empty())
      std::snprintf(shared_->remark, sizeof shared_->remark, "%s", runner.remarks().front().c_str());
    if (measures_ && instance_.transform->better != Better::None)
      shared_->accuracy = accuracyOf(*measures_, instance_, runner);
    shared_->finished = true;
    std::fflush(stdout);
  } catch (const std::exception &e) {
    pb_fail(e.what());
  } catch (...) {
    pb_fail("the code of the program, a rule body or a condition, threw an exception of an unknown type");
  }
  _exit(0);
}

ChildResult SharedRun::start(const std::function<void()> &prepare, int threads, double limit) {
  using Clock = std::chrono::steady_clock;
  shared_ = new (shared_) Shared;
  for (const Matrix &m : outputs_)
    matrix::fillWithNonsense(m);
  const pid_t child = forked();
  if (child == 0)
    work(prepare, threads);

  ChildResult result;
  const auto begin = Clock::now();
  int status = 0;
  long pause = 50'000; // ns; grows, so that polling does not disturb long runs
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child)
      break;
    if (ended < 0 && errno != EINTR)
      throw base::UserError(std::string("lost a process: ") + std::strerror(errno));
    if (std::chrono::duration<double>(Clock::now() - begin).count() > limit) {
      kill(child, SIGKILL);
      waitpid(child, &status, 0);
      char text[80];
      std::snprintf(text, sizeof text, "does not end within %.3g s", limit);
      result.failure = text;
      return result;
    }
    const timespec t{0, pause};
    nanosleep(&t, nullptr);
    pause = std::min(pause * 3 / 2, 10'000'000l);
  }
  result.seconds = shared_->seconds;
  result.accuracy = shared_->accuracy;
  result.remark = shared_->remark;
  if (shared_->note.kind != base::FailureNote::None) {
    result.failure = std::string("fails: ") + shared_->note.text;
    result.recursionTooDeep = shared_->note.kind == base::FailureNote::RecursionTooDeep;
  } else if (WIFSIGNALED(status)) {
    result.failure = std::string("crashes (") + strsignal(WTERMSIG(status)) + ")";
  } else if (WEXITSTATUS(status) || !shared_->finished) {
    result.failure = "ends the program with status " + std::to_string(WEXITSTATUS(status));
  }
  return result;
}

} // namespace pb::program
