// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/search/device/device_worker.h"
#include "compiler/search/device/device_run.h"
#include "compiler/search/measure/message.h"
#include <algorithm>
#include <utility>

namespace pbc::search {
namespace {

enum class Question : std::uint8_t { Reference, Leaf };

void put(MessageWriter &writer, const DeviceLeaf &leaf) {
  writer.text(leaf.source.text);
  writer.text(leaf.source.entry);
  writer.number(leaf.source.dynamicBytes);
  writer.number(leaf.grid);
  writer.number(leaf.arguments.size());
  for (const LeafArgument &argument : leaf.arguments)
    writer.number(argument);
}

DeviceLeaf leafOf(MessageReader &reader) {
  DeviceLeaf leaf;
  leaf.source.text = reader.text();
  leaf.source.entry = reader.text();
  leaf.source.dynamicBytes = reader.number<long>();
  leaf.grid = reader.number<pb::device::Grid>();
  std::copy(std::begin(leaf.grid.group), std::end(leaf.grid.group), leaf.source.group);
  leaf.arguments.resize(reader.number<std::size_t>());
  for (LeafArgument &argument : leaf.arguments)
    argument = reader.number<LeafArgument>();
  return leaf;
}

std::string answerOf(const Measurement &made, long localBytes) {
  MessageWriter writer;
  writer.number(made.fate);
  writer.number(made.seconds);
  writer.number(made.runs);
  writer.number(made.difference);
  writer.text(made.why);
  writer.number(localBytes);
  return writer.message();
}

/// What the process has.
class Served {
public:
  Served(const Arrays &arrays, const std::string &device) : memory_(arrays), device_(device) {}

  std::string answer(const std::string &message) {
    MessageReader reader(message);
    try {
      const Measurement made =
          reader.number<Question>() == Question::Reference ? reference(reader) : leaf(reader);
      return answerOf(made, run_ ? long(run_->about().localBytes) : 0);
    } catch (const pb::device::DeviceError &problem) {
      run_.reset();
      return answerOf({Fate::Crashed, 0, 0, 0, problem.what()}, 0);
    }
  }

private:
  Measurement reference(MessageReader &reader) {
    const LeafFunction plain = library_.leaf(reader.text(), 0);
    if (!plain)
      return {Fate::Crashed, 0, 0, 0, "its library could not be loaded"};
    memory_.fill();
    memory_.run(plain);
    memory_.keepResults();
    run_ = std::make_unique<DeviceRun>(device_, memory_);
    return {Fate::Measured, 0, 1, 0, ""};
  }

  Measurement leaf(MessageReader &reader) {
    MeasureLimits limits;
    limits.runs = reader.number<int>();
    limits.most = reader.number<double>();
    if (!run_)
      run_ = std::make_unique<DeviceRun>(device_, memory_);
    return run_->measure(leafOf(reader), limits);
  }

  SampleMemory memory_;
  LeafLibrary library_;
  const std::string &device_;
  std::unique_ptr<DeviceRun> run_;
};

} // namespace

DeviceWorker::DeviceWorker(const Arrays &arrays, std::string device)
    : arrays_(arrays), device_(std::move(device)) {}

Measurement DeviceWorker::reference(const std::string &library) {
  referenceLibrary_ = library;
  if (!child_.start([this](Child::Questions &questions) {
        Served served(arrays_, device_);
        while (const std::optional<std::string> question = questions.next())
          questions.answer(served.answer(*question));
      }))
    return {Fate::Crashed, 0, 0, 0, "no process could be started"};
  MessageWriter writer;
  writer.number(Question::Reference);
  writer.text(library);
  return ask(writer.message(), {.secondsOfWaiting = 120});
}

Measurement DeviceWorker::measure(const DeviceLeaf &leaf, const MeasureLimits &limits) {
  if (!child_.isRunning()) {
    const Measurement again = reference(referenceLibrary_);
    if (again.fate != Fate::Measured)
      return again;
  }
  MessageWriter writer;
  writer.number(Question::Leaf);
  writer.number(std::max(1, limits.runs));
  writer.number(limits.most);
  put(writer, leaf);
  return ask(writer.message(), limits);
}

Measurement DeviceWorker::ask(const std::string &question, const MeasureLimits &limits) {
  const Child::Reply reply = child_.ask(question, limits.secondsOfWaiting);
  if (reply.fate != Child::Fate::Answered)
    return withoutAnswer(reply.fate, limits);
  MessageReader reader(reply.answer);
  Measurement made;
  made.fate = reader.number<Fate>();
  made.seconds = reader.number<double>();
  made.runs = reader.number<int>();
  made.difference = reader.number<double>();
  made.why = reader.text();
  if (const long bytes = reader.number<long>(); bytes > 0)
    localBytes_ = bytes;
  return made;
}

} // namespace pbc::search
