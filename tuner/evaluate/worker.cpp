// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/evaluate/worker.h"

#include "tuner/evaluate/interrupt.h"
#include "tuner/evaluate/request_token.h"
#include "tuner/write_file.h"

#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {

using nlohmann::json;

struct Worker::Reply {
  std::optional<json> value;
  WorkerFailure failure;
  double seconds = 0;
};

namespace {

std::string tooLarge(const ProcessLimits &limits) {
  if (limits.memoryBytes <= 0)
    return "has not enough memory";
  return fmt::format("wants more than its share of the memory, {:.3g} GB (--memory=MB allows another)",
                     static_cast<double>(limits.memoryBytes) / 1e9);
}

/// Mentions the memory of a process that timed out, because endless allocation often exceeds the time before
/// the memory.
std::string muchMemory(long bytes, const ProcessLimits &limits) {
  if (limits.memoryBytes <= 0 || bytes < limits.memoryBytes / 8)
    return "";
  return fmt::format(" with {:.2g} GB of memory", static_cast<double>(bytes) / 1e9);
}

std::string disagreementIn(const json &reply) {
  if (reply.contains("changes"))
    return "writes into its input " + reply["changes"].get<std::string>();
  const json &difference = reply.value("difference", json());
  const std::string at = reply.contains("at") ? " at " + reply["at"].get<std::string>() : "";
  // If the difference is larger, one of the two is infinite or not a number; NaN arrives as null.
  constexpr double kNumber = 1e300;
  if (!difference.is_number() || difference.get<double>() > kNumber)
    return fmt::format("gives a different result from the default ({})",
                       at.empty() ? "not a number" : at.substr(1));
  return fmt::format("gives a different result from the default (difference {:.3g}{})",
                     difference.get<double>(), at);
}

/// Kernels of devices that the program compiles before it answers. This time does not count as the answer's.
struct Compilations {
  std::string kernel; // the one that is being compiled
  int depth = 0;
  double begin = 0, total = 0;

  bool running() const { return depth > 0; }
  double seconds() const { return steadySeconds() - begin; }
  /// Whether the line is about such a compilation.
  bool note(const std::string &line) {
    const json event = json::parse(line, nullptr, false);
    if (!event.is_object() || !event.contains("event"))
      return false;
    if (event["event"] == "compiling") {
      kernel = event.value("kernel", "");
      if (depth++ == 0)
        begin = steadySeconds();
    } else if (depth > 0) {
      --depth;
      total += depth == 0 ? seconds() : 0;
    }
    return true;
  }
};

} // namespace

std::string asOneLine(std::string text) {
  for (char &c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      c = ' ';
  return text;
}

std::string nameOf(const Sizes &sizes) {
  std::string result;
  for (const auto &[name, value] : sizes)
    result += fmt::format("{}{}={}", result.empty() ? "" : " ", name, value);
  return result;
}

Worker::Worker(std::string program, WorkerOptions options)
    : program_(std::move(program)), options_(std::move(options)) {}

Worker::Reply Worker::ask(const std::string &request, double seconds) {
  Reply reply;
  const double start = steadySeconds();
  const auto fail = [&](Failure kind, std::string reason, bool stopped = false) {
    process_.reset();
    reply.failure = {kind, asOneLine(std::move(reason)), stopped};
    return reply;
  };
  if (!options_.version.empty() && versionOf(program_) != options_.version) {
    requestStop();
    return fail(Failure::Error, "stopped", true);
  }
  if (!process_) {
    // A configuration of an older version beside the program must not prevent a new tuning.
    std::vector<std::string> command{program_, "--serve", "--noconfig",
                                     fmt::format("--channel={}", kChannel)};
    if (options_.threads > 0)
      command.push_back(fmt::format("--threads={}", options_.threads));
    if (!options_.transform.empty())
      command.push_back("--transform=" + options_.transform);
    process_ = std::make_unique<ChildProcess>(command, options_.limits, Talk::OverChannel);
    processPrepared_ = isUsed_ = false;
    preparedBytes_ = 0;
  }
  const RequestToken token(++requests_);
  std::string line;
  std::optional<std::string> said;
  auto read = ChildProcess::Read::Line;
  if (!process_->writeLine(token.before(request), seconds))
    read = stopRequested()        ? ChildProcess::Read::Stopped
           : process_->hasEnded() ? ChildProcess::Read::Ended
                                  : ChildProcess::Read::Timeout;
  Compilations compilations;
  const auto left = [&] {
    return compilations.running() ? options_.longestCompilation - compilations.seconds()
                                  : seconds + compilations.total - (steadySeconds() - start);
  };
  // Before the answer come lines about kernels that are compiled. Lines without the request's token are ignored.
  while (read == ChildProcess::Read::Line && (!said || compilations.note(*said)))
    if ((read = process_->readLine(left(), &line)) == ChildProcess::Read::Line)
      said = token.read(line);
  reply.seconds = steadySeconds() - start - compilations.total;
  switch (read) {
  case ChildProcess::Read::Stopped:
    return fail(Failure::Error, "stopped", true);
  case ChildProcess::Read::TooLarge:
    return fail(Failure::OutOfMemory, tooLarge(options_.limits));
  case ChildProcess::Read::Timeout:
    if (compilations.running())
      return fail(Failure::Compiling, fmt::format("has a kernel, {}, that is not compiled within {:.3g} s",
                                                  compilations.kernel, options_.longestCompilation));
    process_->kill();
    return fail(Failure::TooSlow, fmt::format("was stopped after {:.2g} s{}: it hangs or is much slower",
                                              seconds, muchMemory(process_->peakBytes(), options_.limits)));
  case ChildProcess::Read::Ended: {
    process_->waitForEnd(2);
    const std::string end = process_->describeEnd();
    if (process_->endedForMemory(preparedBytes_))
      return fail(Failure::OutOfMemory, fmt::format("{}; it {}", tooLarge(options_.limits), end));
    return fail(process_->endedBySignal() ? Failure::Crash : Failure::Exit, end);
  }
  case ChildProcess::Read::Line:
    break;
  }
  json answer = json::parse(*said, nullptr, false);
  if (!answer.is_object())
    return fail(Failure::Error, "answers with something that is not JSON: " + said->substr(0, 100));
  if (answer.value("memory", false))
    return fail(Failure::OutOfMemory, tooLarge(options_.limits)); // ending the process also frees its memory
  if (!answer.value("ok", false)) {
    reply.failure = {Failure::Error, asOneLine(answer.value("error", "refuses the request"))};
    return reply;
  }
  reply.value = std::move(answer);
  return reply;
}

std::string Worker::prepareRequest() const {
  json request{{"op", "prepare"}, {"sizes", *prepared_}, {"seed", options_.seed}};
  if (!wishes_.values.empty())
    request["values"] = wishes_.values;
  if (wishes_.judge)
    request["judge"] = true;
  if (!options_.inputs.empty())
    request["inputs"] = options_.inputs;
  if (!base_.empty())
    request["config"] = base_;
  if (!options_.keep.empty())
    request["keep"] = options_.keep;
  if (!options_.reference.empty())
    request["reference"] = options_.reference;
  return request.dump();
}

void Worker::setBase(const std::string &toml) {
  base_ = toml;
  processPrepared_ = false;
}

Answer<Sizes> Worker::sizes(double seconds) {
  json request{{"op", "sizes"}};
  if (!options_.inputs.empty())
    request["inputs"] = options_.inputs;
  Reply reply = ask(request.dump(), seconds);
  if (!reply.value)
    return {{}, reply.failure};
  try {
    return {reply.value->at("sizes").get<Sizes>(), {}};
  } catch (const json::exception &problem) {
    return {{}, {Failure::Error, problem.what()}};
  }
}

Answer<Prepared> Worker::prepare(const Sizes &sizes, double seconds, const InputWishes &wishes) {
  prepared_ = sizes;
  wishes_ = wishes;
  preparePatience_ = seconds;
  processPrepared_ = false;
  Reply reply = ask(prepareRequest(), seconds);
  if (!reply.value)
    return {{}, reply.failure};
  try {
    const Prepared prepared{reply.value->at("n").get<long>(), reply.value->at("seconds").get<double>(),
                            reply.value->value("finite", true), reply.value->value("stable", true)};
    processPrepared_ = true;
    preparedBytes_ = process_->residentBytes();
    return {prepared, {}};
  } catch (const json::exception &problem) {
    return {{}, {Failure::Error, problem.what()}};
  }
}

Answer<Meters> Worker::meters(double seconds) {
  Reply reply = ask(json{{"op", "meters"}}.dump(), seconds);
  if (!reply.value)
    return {{}, reply.failure};
  try {
    const json &value = *reply.value;
    return {Meters{value.at("energy"), value.value("energy_problem", ""), value.value("energy_window", 0.0),
                   value.at("peak_memory").get<bool>()},
            {}};
  } catch (const json::exception &problem) {
    return {{}, {Failure::Error, problem.what()}};
  }
}

Answer<Measured> Worker::measure(const std::string &toml, int trials, double limit, double patience,
                                 const std::vector<Metric> &metrics, Compared compared) {
  if ((!process_ || !processPrepared_) && prepared_) {
    const auto again = prepare(Sizes(*prepared_), preparePatience_, InputWishes(wishes_));
    if (!again) // there is nothing to compare with
      return {{}, {again.failure.kind, "the default: " + again.failure.reason, again.failure.stopped, true}};
  }
  json request{{"op", "measure"}, {"config", toml}, {"trials", trials}, {"limit", limit}};
  if (compared == Compared::Nothing)
    request["compare"] = false;
  else if (compared == Compared::Last)
    request["compare"] = "last";
  for (const Metric metric : metrics)
    if (metric != Metric::Time)
      request["metrics"].push_back(nameOf(metric));
  Reply reply = ask(request.dump(), patience);
  isUsed_ = true;
  if (!reply.value) {
    if (reply.failure.kind == Failure::Error && !reply.failure.stopped)
      reply.failure.reason = "fails: " + reply.failure.reason; // the program's own words
    return {{}, reply.failure};
  }
  try {
    Measured measured;
    measured.agrees = reply.value->at("agrees").get<bool>();
    if (!measured.agrees)
      measured.disagreement = disagreementIn(*reply.value);
    measured.seconds = reply.value->at("seconds").get<std::vector<double>>();
    if (reply.value->contains("accuracy")) {
      const json &accuracy = reply.value->at("accuracy");
      measured.accuracy = accuracy.is_number() ? accuracy.get<double>() : std::nan("");
    }
    if (measured.seconds.empty())
      return {{}, {Failure::Error, "reports no time"}};
    if (reply.value->contains("joules"))
      measured.joules = reply.value->at("joules").get<std::vector<double>>();
    if (reply.value->contains("bytes"))
      measured.bytes = reply.value->at("bytes").get<double>();
    measured.overhead = reply.seconds;
    for (double seconds : measured.seconds) {
      if (!(seconds >= 0))
        return {{}, {Failure::Error, fmt::format("reports a time of {} s", seconds)}};
      measured.overhead -= seconds;
    }
    // All runs were made during this request, so the sum of their times cannot exceed the request's time.
    constexpr double kClocks = 1e-3; // seconds; the clocks of the two processes may differ a little
    if (-measured.overhead > kClocks + 0.01 * reply.seconds)
      return {{},
              {Failure::Error, fmt::format("reports {:.3g} s of runs, and has had {:.3g} s for them",
                                           reply.seconds - measured.overhead, reply.seconds)}};
    return {measured, {}};
  } catch (const json::exception &problem) {
    return {{}, {Failure::Error, problem.what()}};
  }
}

} // namespace pbc::tuner
