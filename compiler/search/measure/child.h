// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A process that answers questions of this one, and may crash or hang without harm to it.
//
//   Child child;
//   child.start([&](Child::Questions &questions) {
//     while (const auto question = questions.next())
//       questions.answer(answerTo(*question));
//   });
//   child.ask(question, 20)     { "...", Child::Fate::Answered }
//
// Invariant: after an answer that did not come, there is no process.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <sys/types.h>

namespace pbc::search {

class Child {
public:
  Child() = default;
  ~Child() { stop(); }
  Child(const Child &) = delete;
  Child &operator=(const Child &) = delete;

  /// In the process: what it is asked.
  class Questions {
  public:
    Questions(int in, int out) : in_(in), out_(out) {}
    /// Waits. Nothing: there will be no more.
    std::optional<std::string> next();
    void answer(const std::string &);

  private:
    const int in_, out_;
    bool isOver_ = false;
  };

  /// Ends the process before, if there is one. False: none could be started.
  bool start(const std::function<void(Questions &)> &serve);
  bool isRunning() const { return process_ > 0; }

  enum class Fate { Answered, TimedOut, Ended };
  struct Reply {
    std::string answer;
    Fate fate = Fate::Ended;
  };
  /// Stops the process where the answer takes longer than that.
  Reply ask(const std::string &question, double seconds);
  void stop();

private:
  pid_t process_ = -1;
  int to_ = -1, from_ = -1;
};

} // namespace pbc::search
