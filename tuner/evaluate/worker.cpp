#include "tuner/evaluate/worker.h"

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
  if (!process_) {
    // A configuration of an older version beside the program must not keep it from being tuned anew.
    std::vector<std::string> command{program_, "--serve", "--noconfig"};
    if (options_.threads > 0)
      command.push_back(fmt::format("--threads={}", options_.threads));
    if (!options_.transform.empty())
      command.push_back("--transform=" + options_.transform);
    process_ = std::make_unique<ChildProcess>(command, options_.limits);
    processPrepared_ = false;
  }
  const auto fail = [&](Failure kind, std::string reason, bool stopped = false) {
    process_.reset();
    reply.failure = {kind, std::move(reason), stopped};
    return reply;
  };
  std::string line;
  auto read = process_->writeLine(request) ? ChildProcess::Read::Line : ChildProcess::Read::Ended;
  // The program may print on standard output too: what is no JSON object is not for us.
  while (read == ChildProcess::Read::Line && (line.empty() || line.front() != '{'))
    read = process_->readLine(seconds - (steadySeconds() - start), &line);
  reply.seconds = steadySeconds() - start;
  switch (read) {
  case ChildProcess::Read::Stopped:
    return fail(Failure::Error, "stopped", true);
  case ChildProcess::Read::Timeout:
    return fail(Failure::TooSlow,
                fmt::format("was stopped after {:.2g} s: it hangs or is much slower", seconds));
  case ChildProcess::Read::Ended: {
    process_->waitForEnd(2);
    const std::string end = process_->describeEnd();
    return fail(process_->endedBySignal() ? Failure::Crash : Failure::Exit, end);
  }
  case ChildProcess::Read::Line:
    break;
  }
  json answer = json::parse(line, nullptr, false);
  if (!answer.is_object())
    return fail(Failure::Error, "answers with something that is not JSON: " + line.substr(0, 100));
  if (!answer.value("ok", false)) {
    reply.failure = {Failure::Error, answer.value("error", "refuses the request")};
    return reply;
  }
  reply.value = std::move(answer);
  return reply;
}

std::string Worker::prepareRequest(const Sizes &sizes) const {
  json request{{"op", "prepare"}, {"sizes", sizes}, {"seed", options_.seed}};
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

Answer<Prepared> Worker::prepare(const Sizes &sizes, double seconds) {
  prepared_ = sizes;
  preparePatience_ = seconds;
  processPrepared_ = false;
  Reply reply = ask(prepareRequest(sizes), seconds);
  if (!reply.value)
    return {{}, reply.failure};
  try {
    Prepared prepared{reply.value->at("n").get<long>(), reply.value->at("seconds").get<double>()};
    processPrepared_ = true;
    return {prepared, {}};
  } catch (const json::exception &problem) {
    return {{}, {Failure::Error, problem.what()}};
  }
}

Answer<Measured> Worker::measure(const std::string &toml, int trials, double limit, double patience) {
  if ((!process_ || !processPrepared_) && prepared_) {
    const auto again = prepare(*prepared_, preparePatience_);
    // That the default fails now is not the candidate's fault, but there is nothing to compare it with.
    if (!again)
      return {{}, {Failure::Error, "could not be prepared: " + again.failure.reason, again.failure.stopped}};
  }
  const json request{{"op", "measure"}, {"config", toml}, {"trials", trials}, {"limit", limit}};
  Reply reply = ask(request.dump(), patience);
  if (!reply.value)
    return {{}, reply.failure};
  try {
    Measured measured;
    measured.agrees = reply.value->at("agrees").get<bool>();
    const json &difference = reply.value->value("difference", json());
    measured.difference = difference.is_number() ? difference.get<double>() : 0; // NaN arrives as null
    measured.seconds = reply.value->at("seconds").get<std::vector<double>>();
    if (reply.value->contains("accuracy")) {
      const json &accuracy = reply.value->at("accuracy");
      measured.accuracy = accuracy.is_number() ? accuracy.get<double>() : std::nan("");
    }
    if (measured.seconds.empty())
      return {{}, {Failure::Error, "reports no time"}};
    measured.overhead = reply.seconds;
    for (double seconds : measured.seconds)
      measured.overhead -= seconds;
    return {measured, {}};
  } catch (const json::exception &problem) {
    return {{}, {Failure::Error, problem.what()}};
  }
}

} // namespace pbc::tuner
