// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/confinement.h"

#include <array>
#include <cerrno>
#include <cstddef>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace pbc::tuner {
namespace {

#if defined(__x86_64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kArchitecture = AUDIT_ARCH_AARCH64;
#else
constexpr unsigned kArchitecture = 0; // unknown architecture: there is no filter
#endif

/// A program of the filter's machine. The answer EPERM comes last, the answer "allowed" before it; jumps are
/// patched when the length is known.
class Filter {
public:
  void load(std::size_t offset) { add(BPF_LD | BPF_W | BPF_ABS, static_cast<unsigned>(offset), 0, 0); }
  /// Refuses if the loaded word has this value.
  void refuseIf(unsigned value) { add(BPF_JMP | BPF_JEQ | BPF_K, value, kRefuse, 0); }
  void allowUnless(unsigned value) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, kAllow); }
  /// Skips the next `count` instructions unless the loaded word has this value.
  void skipUnless(unsigned value, unsigned char count) { add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count); }
  void allow() { add(BPF_RET | BPF_K, SECCOMP_RET_ALLOW, 0, 0); }

  sock_fprog finished() {
    allow();
    const std::size_t allowed = size_ - 1;
    add(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM, 0, 0);
    for (std::size_t i = 0; i < allowed; ++i)
      for (unsigned char *jump : {&code_[i].jt, &code_[i].jf})
        if (*jump == kAllow || *jump == kRefuse)
          *jump = static_cast<unsigned char>(allowed + (*jump == kRefuse) - i - 1);
    return {static_cast<unsigned short>(size_), code_.data()};
  }

private:
  static constexpr unsigned char kAllow = 254, kRefuse = 255; // further than any jump here

  void add(unsigned code, unsigned value, unsigned char ifTrue, unsigned char ifFalse) {
    code_[size_++] = {static_cast<unsigned short>(code), ifTrue, ifFalse, value};
  }
  std::array<sock_filter, 96> code_{};
  std::size_t size_ = 0;
};

constexpr std::size_t kNumber = offsetof(seccomp_data, nr), kArch = offsetof(seccomp_data, arch),
                      kFirst = offsetof(seccomp_data, args[0]); // its lower half: little-endian machines

} // namespace

bool canConfineSignals() {
  const unsigned action = SECCOMP_RET_ERRNO;
  return kArchitecture != 0 && syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
}

Protected thisProcess() { return {getpid(), getpgrp(), getppid()}; }

bool confineSignals(const Protected &others) {
  if (kArchitecture == 0)
    return false;
  Filter filter;
  filter.load(kArch);
  filter.allowUnless(kArchitecture); // system calls of another architecture are not checked
  filter.load(kNumber);
  filter.refuseIf(SYS_setsid);
  filter.refuseIf(SYS_setpgid);
  // Calls whose first argument is a process, or, if it is negative, a group or (-1) all processes.
  for (const int call : {SYS_kill, SYS_tkill, SYS_tgkill, SYS_rt_sigqueueinfo, SYS_rt_tgsigqueueinfo}) {
    const std::array<pid_t, 5> refused{-1, others.tuner, -others.tuner, -others.tunersGroup,
                                       others.tunersParent > 0 ? others.tunersParent : others.tuner};
    filter.skipUnless(static_cast<unsigned>(call), static_cast<unsigned char>(refused.size() + 2));
    filter.load(kFirst);
    for (const pid_t process : refused)
      filter.refuseIf(static_cast<unsigned>(process));
    filter.allow();
  }
#ifdef SYS_pidfd_open
  // A descriptor from pidfd_open can also be used to send a signal.
  filter.skipUnless(SYS_pidfd_open, 4);
  filter.load(kFirst);
  filter.refuseIf(static_cast<unsigned>(others.tuner));
  filter.refuseIf(static_cast<unsigned>(others.tunersParent > 0 ? others.tunersParent : others.tuner));
  filter.allow();
#endif
  const sock_fprog program = filter.finished();
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
    return false;
  // SPEC_ALLOW: without it, older systems slow the program down to prevent attacks that do not matter here.
  return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_SPEC_ALLOW, &program) == 0 ||
         prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program, 0, 0) == 0;
}

} // namespace pbc::tuner
