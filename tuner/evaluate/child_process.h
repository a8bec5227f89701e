// One child process that is spoken to line by line, and that cannot outlive us.
//
//   ChildProcess child({"./prog", "--serve"}, {});
//   child.writeLine("{...}");
//   child.readLine(0.5)  ->  Line{"{...}"} | Timeout | Ended | Stopped
//
// The child has its own process group: Ctrl-C in the terminal reaches the tuner only, and killing the group
// takes the child's own children along. It dies with us (PR_SET_PDEATHSIG), and the kernel's out-of-memory
// killer prefers it to us. Its standard error is kept, as the reason for its end. Invariant: after kill() or
// the destructor no process of the group is left.
#pragma once
#include <string>
#include <sys/types.h>
#include <vector>

namespace pbc::tuner {

struct ProcessLimits {
  long memoryBytes = 0; // of address space; 0: no limit
};

class ChildProcess {
public:
  enum class Read { Line, Timeout, Ended, Stopped };

  ChildProcess(const std::vector<std::string> &command, const ProcessLimits &);
  ~ChildProcess();
  ChildProcess(const ChildProcess &) = delete;
  ChildProcess &operator=(const ChildProcess &) = delete;

  /// False if the child does not read any more.
  bool writeLine(const std::string &);
  /// Waits for a whole line. Stopped: the user wants to end (interrupt.h).
  Read readLine(double seconds, std::string *line);
  /// Kills the group and waits for the child.
  void kill();
  /// Waits for the end of a child that has closed its output; kills it after `seconds`.
  void waitForEnd(double seconds);

  bool running() const { return pid_ > 0; }
  /// "ended by signal 11 (Segmentation fault)" or "ended with exit status 1", and what it said last.
  std::string describeEnd() const;
  bool endedBySignal() const;
  int exitStatus() const;
  const std::string &errors() const { return errors_; }

private:
  void drainErrors();

  pid_t pid_ = -1;
  int talk_ = -1;   // socket: the child's standard input
  int listen_ = -1; // pipe: its standard output
  int complain_ = -1;
  int status_ = 0;
  std::string pending_, errors_;
};

/// Of a clock that never goes back.
double steadySeconds();

/// Runs a command to its end and returns its standard output. Throws TunerError if it cannot be started,
/// fails or takes longer than `seconds`.
std::string outputOf(const std::vector<std::string> &command, double seconds);

} // namespace pbc::tuner
