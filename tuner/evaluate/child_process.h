// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// One child process that communicates line by line and cannot outlive its parent.
//
//   ChildProcess child({"./prog", "--serve", "--channel=3"}, {}, Talk::OverChannel);
//   child.writeLine("{...}", 1);
//   child.readLine(0.5, &line)  ->  Line | Timeout | Ended | Stopped | TooLarge
//
// Over the channel, a socket at descriptor 3 of the child, lines go both ways; what the child prints on its standard
// streams is kept as the explanation of a failure. Without a channel, its standard output is read, and nothing can be
// written to it. Its standard input is empty.
//
// The child has its own session: Ctrl-C in the terminal reaches the tuner only, and killing its group also kills
// the child's own children. Its signals do not reach the tuner (confinement.h). It dies with its parent
// (PR_SET_PDEATHSIG), and the kernel's out-of-memory killer prefers it to the parent. Its memory is limited in
// two ways. The system refuses more data than the limit (RLIMIT_DATA; not address space, of which drivers of
// devices reserve terabytes), so that most programs end with an error of their own. And its resident memory is
// checked while the parent waits, because shared memory does not count as data.
//
// Invariant: no call waits for the child longer than it says, whatever the child writes or does not read. After
// kill() or the destructor no process of the group is left.
#pragma once
#include "tuner/evaluate/memory.h"

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

namespace pbc::tuner {

struct ProcessLimits {
  long memoryBytes = 0; // 0: no limit
};

enum class Talk {
  ByOutput,    // its standard output is read
  OverChannel, // both ways, over a socket at kChannel
};
inline constexpr int kChannel = 3; // the child's descriptor when it starts

class ChildProcess {
public:
  enum class Read { Line, Timeout, Ended, Stopped, TooLarge };

  ChildProcess(const std::vector<std::string> &command, const ProcessLimits &, Talk = Talk::ByOutput);
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  /// Writes to the channel. Returns false if the child does not read the line within this time.
  bool writeLine(const std::string &, double seconds);
  /// Waits for a whole line. Stopped: the user wants to end (interrupt.h). TooLarge: the child has more
  /// memory than its limit. If no time is left (`seconds` <= 0) it does not wait, but still reads what is
  /// there, including an end of file, up to the capacity of a pipe.
  Read readLine(double seconds, std::string *line);
  /// Kills the group and waits for the child.
  void kill();
  /// Waits for the end of a child that has closed its output; kills it after `seconds`.
  void waitForEnd(double seconds);

  bool running() const { return pid_ > 0; }
  /// Whether the child has ended by itself, even if other processes still hold its output open.
  bool hasEnded() const;
  /// "ended by signal 11 (Segmentation fault)" or "ended with exit status 1", and the last text on its
  /// standard error.
  std::string describeEnd() const;
  bool endedBySignal() const;
  long residentBytes() const { return tuner::residentBytes(pid_); }
  /// The most memory that the child had at once; known only after its end.
  long peakBytes() const { return peakBytes_; }
  /// Whether memory was the likely reason for the child's end: it had most of its limit and at least twice
  /// `before`, or it was killed, not by the tuner, and had so much memory (an eighth of the limit) that the
  /// system may have killed it.
  bool endedForMemory(long before = 0) const;
  int exitStatus() const;
  const std::string &errors() const { return errors_; }

private:
  void drainErrors();
  std::optional<std::string> takeLine();

  pid_t pid_ = -1;
  int talk_ = -1;     // the channel, or a pipe from its standard output
  int complain_ = -1; // a pipe from its other output
  int status_ = 0;
  const long memoryLimit_;
  long peakBytes_ = 0;       // the most memory that it had; known after its end
  bool isKilled_ = false;    // by kill()
  std::size_t late_ = 0;     // bytes that were read after the time was over
  std::size_t searched_ = 0; // bytes at the start of `pending_` that contain no line end
  std::string pending_, errors_;
};

/// The time of a clock that never goes back.
double steadySeconds();

/// The path of the running pbc, which also compiles. Throws TunerError.
std::string compilerPath();

/// Runs a command to its end and returns its standard output. Throws TunerError if it cannot be started,
/// fails or takes longer than `seconds`.
std::string outputOf(const std::vector<std::string> &command, double seconds);

} // namespace pbc::tuner
