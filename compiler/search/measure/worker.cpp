// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/measure/worker.h"
#include "compiler/search/measure/cores.h"
#include "compiler/search/measure/fastest_run.h"
#include "compiler/search/measure/leaf_library.h"
#include "compiler/search/measure/message.h"
#include "compiler/search/measure/sample_memory.h"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <ctime>
#include <fmt/format.h>

namespace pbc::search {
namespace {

struct Question {
  std::uint32_t leaf = 0;
  std::int32_t runs = 0; // 0: this is the reference
  double most = 0;
};

struct Answer {
  std::int32_t fate;
  std::int32_t runs;
  double seconds, difference;
};

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// The time for which this thread ran: other programs on its core do not count.
double ownSeconds() {
  timespec t = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return double(t.tv_sec) + 1e-9 * double(t.tv_nsec);
}

/// The fastest of the runs, each of at least some 50 microseconds: shorter kernels run several times in one. Up to twice as many if all that
/// were asked for were disturbed.
Answer time(SampleMemory &memory, LeafFunction leaf, int count, const Question &question) {
  Cores cores(count);
  const std::function<void(int)> runPart = [&](int part) { memory.run(leaf, part, count); };
  constexpr double kShortest = 5e-5;
  Answer answer{std::int32_t(Fate::Measured), 0, HUGE_VAL, 0};
  constexpr double kLongest = 2;
  long repeat = 1;
  const double start = now();
  FastestRun fastest;
  for (int run = 0; run < (fastest.hasUndisturbed() ? 1 : 2) * question.runs; ++run) {
    const double beginOnWall = now(), begin = ownSeconds();
    for (long r = 0; r < repeat; ++r)
      cores.run(runPart);
    const double seconds = (ownSeconds() - begin) / double(repeat);
    fastest.add(seconds, (now() - beginOnWall) / double(repeat));
    answer.seconds = fastest.seconds();
    ++answer.runs;
    if ((question.most > 0 && answer.seconds > question.most && run >= 1) || now() - start > kLongest)
      break;
    if (run == 0 && seconds < kShortest)
      repeat = std::min(10000L, long(kShortest / std::max(seconds, 1e-9)) + 1);
  }
  return answer;
}

} // namespace

void Worker::serve(Child::Questions &questions) const {
  SampleMemory memory(arrays_);
  LeafLibrary library;
  while (const std::optional<std::string> message = questions.next()) {
    MessageReader reader(*message);
    const auto question = reader.number<Question>();
    Answer answer{std::int32_t(Fate::Crashed), 0, 0, 0};
    if (const LeafFunction leaf = library.leaf(reader.text(), question.leaf)) {
      memory.fill();
      for (int part = 0; part < cores_; ++part)
        memory.run(leaf, part, cores_);
      if (question.runs == 0) {
        memory.keepResults();
        answer.fate = std::int32_t(Fate::Measured);
      } else if (const double difference = memory.difference(); difference > memory.allowedDifference()) {
        answer = {std::int32_t(Fate::Wrong), 1, 0, difference};
      } else {
        answer = time(memory, leaf, cores_, question);
        answer.difference = difference;
      }
    }
    MessageWriter writer;
    writer.number(answer);
    questions.answer(writer.message());
  }
}

Measurement Worker::reference(const std::string &library) {
  referenceLibrary_ = library;
  if (!child_.start([this](Child::Questions &questions) { serve(questions); }))
    return {Fate::Crashed, 0, 0, 0, "no process could be started"};
  return ask({library}, true, {});
}

Measurement Worker::measure(const LibraryLeaf &leaf, const MeasureLimits &limits) {
  if (!child_.isRunning()) {
    const Measurement again = reference(referenceLibrary_);
    if (again.fate != Fate::Measured)
      return again;
  }
  return ask(leaf, false, limits);
}

Measurement Worker::ask(const LibraryLeaf &leaf, bool isReference, const MeasureLimits &limits) {
  MessageWriter writer;
  writer.number(Question{leaf.number, isReference ? 0 : std::max(1, limits.runs), limits.most});
  writer.text(leaf.library);
  const Child::Reply reply = child_.ask(writer.message(), limits.secondsOfWaiting);
  if (reply.fate != Child::Fate::Answered)
    return withoutAnswer(reply.fate, limits);
  const auto answer = MessageReader(reply.answer).number<Answer>();
  Measurement made{Fate(answer.fate), answer.seconds, answer.runs, answer.difference, ""};
  if (made.fate == Fate::Wrong)
    made.why = whyWrong(answer.difference);
  if (made.fate == Fate::Crashed)
    made.why = "its library could not be loaded";
  return made;
}

Measurement withoutAnswer(Child::Fate fate, const MeasureLimits &limits) {
  if (fate == Child::Fate::TimedOut)
    return {Fate::TimedOut, 0, 0, 0,
            fmt::format("it ran for more than {:g} seconds", limits.secondsOfWaiting)};
  return {Fate::Crashed, 0, 0, 0, "its process ended"};
}

std::string whyWrong(double difference) {
  return fmt::format("its results differ by {:.2g} from those of the kernel", difference);
}

} // namespace pbc::search
