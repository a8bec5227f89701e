// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One child process that communicates line by line and cannot outlive its parent.
//
//   ChildProcess child({"./prog", "--serve"}, {});
//   child.writeLine("{...}");
//   child.readLine(0.5)  ->  Line{"{...}"} | Timeout | Ended | Stopped | TooLarge
//
// The child has its own process group: Ctrl-C in the terminal reaches the tuner only, and killing the group
// also kills the child's own children. It dies with its parent (PR_SET_PDEATHSIG), and the kernel's
// out-of-memory killer prefers it to the parent. Its memory is limited in two ways. The system refuses more
// data than the limit (RLIMIT_DATA; not address space, of which drivers of devices reserve terabytes), so
// that most programs end with an error of their own. And its resident memory is checked while the parent
// waits, because shared memory does not count as data. The child's standard error is kept, to explain its
// end. Invariant: after kill() or the destructor no process of the group is left.
#pragma once
#include "tuner/evaluate/memory.h"

#include <string>
#include <sys/types.h>
#include <vector>

namespace pbc::tuner {

struct ProcessLimits {
  long memoryBytes = 0; // 0: no limit
};

class ChildProcess {
public:
  enum class Read { Line, Timeout, Ended, Stopped, TooLarge };

  ChildProcess(const std::vector<std::string> &command, const ProcessLimits &);
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  /// False if the child no longer reads.
  bool writeLine(const std::string &);
  /// Waits for a whole line. Stopped: the user wants to end (interrupt.h). TooLarge: the child has more
  /// memory than its limit. If no time is left (`seconds` <= 0) it does not wait, but still reads what is
  /// there, including an end of file: up to the capacity of a pipe.
  Read readLine(double seconds, std::string *line);
  /// Kills the group and waits for the child.
  void kill();
  /// Waits for the end of a child that has closed its output; kills it after `seconds`.
  void waitForEnd(double seconds);

  bool running() const { return pid_ > 0; }
  /// "ended by signal 11 (Segmentation fault)" or "ended with exit status 1", and the last text on its
  /// standard error.
  std::string describeEnd() const;
  bool endedBySignal() const;
  long residentBytes() const { return tuner::residentBytes(pid_); }
  /// The most memory that it had at once; known only after its end.
  long peakBytes() const { return peakBytes_; }
  /// Whether memory was the likely reason for its end: it had most of its limit, and at least twice `before`;
  /// or it was killed, not by the tuner, and had so much memory (an eighth) that the system may have done it.
  bool endedForMemory(long before = 0) const;
  int exitStatus() const;
  const std::string &errors() const { return errors_; }

private:
  void drainErrors();

  pid_t pid_ = -1;
  int talk_ = -1;   // socket: the child's standard input
  int listen_ = -1; // pipe: its standard output
  int complain_ = -1;
  int status_ = 0;
  const long memoryLimit_;
  long peakBytes_ = 0;    // the most memory that it had; known only after its end
  bool isKilled_ = false; // by the tuner
  std::size_t late_ = 0;  // bytes that were read after its time was up
  std::string pending_, errors_;
};

/// The time of a clock that never goes back.
double steadySeconds();

/// Runs a command to its end and returns its standard output. Throws TunerError if it cannot be started,
/// fails or takes longer than `seconds`.
std::string outputOf(const std::vector<std::string> &command, double seconds);

} // namespace pbc::tuner
