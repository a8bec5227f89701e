// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/serve_session.h"
#include "runtime/base/closest.h"
#include "runtime/base/errors.h"
#include "runtime/base/random.h"
#include "runtime/config/configuration.h"
#include "runtime/config/fit.h"
#include "runtime/matrix/reading.h"
#include "runtime/matrix/writing.h"
#include "runtime/program/accuracy.h"
#include "runtime/program/compare.h"
#include "runtime/program/devices.h"
#include "runtime/program/peak_memory.h"
#include "runtime/program/serve_request.h"
#include "runtime/program/values.h"
#include <algorithm>
#include <chrono>
#include <cstring>
#include <limits>
#include <nlohmann/json.hpp>
#include <utility>

namespace pb::program {
namespace {

using Json = nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;
constexpr long kStartSize = 1024;
constexpr long kMostBuilds = 3;       // runs that include a compilation and are not counted
constexpr double kRepeatFor = 0.003;  // seconds of warming runs where nothing is compared
constexpr double kEnergyPatience = 2; // seconds after which counters must have changed

/// JSON has no infinity, so the largest double replaces it.
double finite(double v) { return std::min(v, std::numeric_limits<double>::max()); }

} // namespace

ServeSession::ServeSession(const Program &program, const Transform &transform, int threads,
                           std::function<void(const std::string &)> tell)
    : program_(program), transform_(transform), threads_(threads), tell_(std::move(tell)) {
  watchBuilds([this](const std::string &kernel, bool begins) { noteBuild(kernel, begins); });
}

ServeSession::~ServeSession() { watchBuilds({}); }

void ServeSession::noteBuild(const std::string &kernel, bool begins) {
  builds_ += begins;
  if (tell_)
    tell_(Json{{"event", begins ? "compiling" : "compiled"}, {"kernel", kernel}}.dump());
}

std::string ServeSession::answer(const std::string &line) {
  Json reply;
  try {
    const Json request = Json::parse(line, nullptr, false);
    if (!request.is_object())
      throw base::UserError("expected one JSON object a line");
    reply = handle(request);
  } catch (const std::bad_alloc &) {
    reply = {{"ok", false}, {"error", "has not enough memory"}, {"memory", true}};
  } catch (const std::exception &e) {
    reply = {{"ok", false}, {"error", e.what()}};
  } catch (...) {
    reply = {{"ok", false},
             {"error",
              "the code of the program, a rule body or a condition, threw an exception of an unknown type"}};
  }
  return reply.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json ServeSession::handle(const Json &request) {
  const std::string op = request.contains("op") ? request::text(request["op"], "\"op\"") : "";
  if (op == "prepare")
    return prepare(request);
  if (op == "measure")
    return measure(request);
  if (op == "sizes")
    return sizes(request);
  if (op == "fit")
    return fit(request);
  if (op == "meters")
    return meters();
  const std::vector<std::string> known = {"prepare", "measure", "sizes", "fit", "meters"};
  throw base::UserError("unknown \"op\" '" + op + "'" + base::didYouMean(op, known) +
                        "; known: " + base::listed(known));
}

Runner &ServeSession::runner(int threads) {
  if (runner_ && runner_->threads() == threads)
    return *runner_;
  mostThreads_ = std::max(mostThreads_, threads);
  try {
    if (runner_)
      runner_->setThreads(threads);
    else
      runner_ = std::make_unique<Runner>(threads, &program_);
  } catch (...) {
    runner_.reset();
    throw;
  }
  return *runner_;
}

void ServeSession::resetConfiguration(int *threads) {
  config::applyDefaults(program_);
  if (!program_.bakedConfiguration)
    return;
  const auto errors = config::apply(program_, program_.bakedConfiguration, "baked configuration", threads);
  if (!errors.empty())
    throw base::UserError(errors[0]);
}

void ServeSession::configure(const Json &request, int *threads) {
  resetConfiguration(threads);
  if (!request.contains("config"))
    return;
  std::string all;
  for (const auto &e :
       config::apply(program_, request::text(request["config"], "\"config\""), "config", threads))
    all += (all.empty() ? "" : "\n") + e;
  if (!all.empty())
    throw base::UserError(all);
}

bool ServeSession::fitOutputs() {
  const std::vector<Extents> extents = extentsFor(transform_, instance_->sizes);
  bool same = true;
  for (size_t i = 0; i < extents.size(); ++i) {
    Matrix &m = instance_->matrices[i];
    if (transform_.matrices[i].role == Role::Input)
      continue;
    if (m.extents() != extents[i])
      m = Matrix::allocate(transform_.matrices[i].element, extents[i]);
    same = same && extents[i] == reference_[i - static_cast<size_t>(inputCount(transform_))].extents();
  }
  return same;
}

const std::vector<Matrix> *ServeSession::load(const Json &request) {
  if (!request.contains("inputs") || request["inputs"].is_null())
    return nullptr;
  const Json &names = request["inputs"];
  const auto wanted = static_cast<size_t>(inputCount(transform_));
  if (!names.is_array())
    throw base::UserError("\"inputs\" must be a list of files");
  if (names.size() != wanted)
    throw base::UserError(std::string(transform_.name) + " takes " + std::to_string(wanted) + " input file" +
                          (wanted == 1 ? "" : "s") + ", not " + std::to_string(names.size()));
  std::vector<std::string> files;
  for (const Json &n : names) {
    files.push_back(request::text(n, "an entry of \"inputs\""));
    if (files.back() == "-")
      throw base::UserError("standard input is taken by requests, '-' cannot be an input");
  }
  if (files != files_ || loaded_.size() != wanted) {
    files_.clear();
    loaded_ = loadInputs(transform_, files);
    files_ = files;
  }
  return &loaded_;
}

std::vector<long> ServeSession::startSizes(const Json &request) {
  const std::vector<std::string> known(transform_.sizeNames, transform_.sizeNames + transform_.sizeCount);
  std::vector<long> asked(known.size(), -1);
  if (request.contains("sizes")) {
    if (!request["sizes"].is_object())
      throw base::UserError("\"sizes\" must be an object, {\"w\":1024}");
    for (const auto &[name, value] : request["sizes"].items()) {
      const auto at = std::find(known.begin(), known.end(), name);
      if (at == known.end())
        throw base::UserError(std::string(transform_.name) + " has no size variable '" + name + "'" +
                              base::didYouMean(name, known) +
                              (known.empty() ? "" : "; known: " + base::listed(known)));
      asked[static_cast<size_t>(at - known.begin())] = request::integer(value, "the size '" + name + "'");
    }
  }
  std::vector<long> sizes(known.size(), kStartSize);
  if (const std::vector<Matrix> *files = load(request)) {
    for (size_t i = 0; i < sizes.size(); ++i)
      if (asked[i] >= 0)
        sizes[i] = asked[i];
    sizes = solveSizes(transform_, *files, sizes);
  }
  for (size_t i = 0; i < sizes.size(); ++i)
    if (asked[i] >= 0)
      sizes[i] = asked[i];
  return sizes;
}

Json ServeSession::sizes(const Json &request) {
  Json values = Json::object();
  const std::vector<long> all = startSizes(request);
  for (size_t i = 0; i < all.size(); ++i)
    values[transform_.sizeNames[i]] = all[i];
  return {{"ok", true}, {"sizes", values}};
}

Json ServeSession::fit(const Json &request) {
  int threads = 0;
  resetConfiguration(&threads);
  const std::string where =
      request.contains("where") ? request::text(request["where"], "\"where\"") : "config";
  const config::Fitted fitted =
      config::fit(program_, request.contains("config") ? request::text(request["config"], "\"config\"") : "",
                  where, &threads);
  Json entries = Json::array();
  for (const config::Entry &e : fitted.entries)
    entries.push_back({{"transform", e.transform},
                       {"key", e.key},
                       {"line", e.line},
                       {"column", e.column},
                       {"state", config::name(e.state)},
                       {"problems", e.problems},
                       {"instead", e.instead}});
  return {{"ok", true},
          {"config", config::describe(program_)},
          {"threads", threads},
          {"errors", fitted.errors},
          {"entries", entries}};
}

Json ServeSession::prepare(const Json &request) {
  unseen_.reset();
  instance_.reset();
  reference_.clear();
  seed_ = static_cast<unsigned long>(request::number(request, "seed", 1, 0, 0x1p53));
  int threads = threads_;
  configure(request, &threads);
  base::seedThreads(seed_);
  instance_ = inputs(request, threads);
  // Nothing counts as prepared until this function has ended.
  Instance &instance = *instance_;
  bool isDone = false;
  const std::shared_ptr<void> forget(nullptr, [&](void *) {
    if (!isDone)
      instance_.reset();
  });
  inputs_.clear();
  for (int i = 0; i < inputCount(transform_); ++i) {
    const Matrix &m = instance.matrices[static_cast<size_t>(i)];
    inputs_.push_back(m.leading(m.extents()));
  }
  for (const Matrix &m : instance.outputs())
    matrix::fillWithNonsense(m);
  base::seedThreads(seed_);
  const long builds = builds_;
  double seconds = runner(threads).run(instance);
  for (const Matrix &m : instance.outputs())
    reference_.push_back(m.leading(m.extents()));
  defaultChangesInputs_ = restoreInputs() >= 0;
  exchangeReference(request);
  if (builds_ != builds) { // to get the time without a compiler
    base::seedThreads(seed_);
    seconds = runner(threads).run(instance);
    restoreInputs();
  }
  Json reply = {{"ok", true}, {"n", largestExtent(instance)}, {"seconds", seconds}};
  if (request.contains("judge") && request["judge"] == true) {
    reply["finite"] = areFinite(reference_);
    reply["stable"] = isStable(threads);
  }
  unseen_.emplace(instance, seed_, originOfInputs(request));
  isDone = true;
  return reply;
}

/// Inputs with special values count as made on purpose.
Origin ServeSession::originOfInputs(const Json &request) {
  const bool isGenerated =
      request.contains("generator") ? !request["generator"].is_null() : transform_.generator != nullptr;
  return isGenerated || load(request) || request.contains("values") ? Origin::FilesOrGenerator
                                                                    : Origin::Random;
}

Instance ServeSession::inputs(const Json &request, int threads) {
  const std::vector<long> all = startSizes(request);
  std::string generator = transform_.generator ? transform_.generator : "";
  if (request.contains("generator"))
    generator = request["generator"].is_null() ? "" : request::text(request["generator"], "\"generator\"");
  const std::vector<Matrix> *files = load(request);
  if (request.contains("values") && (files || !generator.empty()))
    throw base::UserError("\"values\" is for random inputs: these come from " +
                          (files ? "files" : "the generator " + generator));
  if (files)
    return croppedInstance(transform_, *files, all);
  Instance instance = randomInstance(program_, transform_, all, seed_,
                                     generator.empty() ? nullptr : generator.c_str(), threads);
  if (request.contains("values"))
    setValues(instance, request::text(request["values"], "\"values\""), seed_);
  return instance;
}

bool ServeSession::isStable(int threads) {
  nudge(*instance_, seed_);
  base::seedThreads(seed_);
  runner(threads).run(*instance_);
  restoreInputs();
  return compareAll(instance_->outputs(), reference_, nullptr).agrees;
}

int ServeSession::restoreInputs() {
  int changed = -1;
  for (size_t i = inputs_.size(); i-- > 0;) {
    const Matrix &now = instance_->matrices[i], &before = inputs_[i];
    const auto bytes = static_cast<size_t>(before.bytes());
    if (bytes == 0 || std::memcmp(now.data(), before.data(), bytes) == 0)
      continue;
    std::memcpy(now.data(), before.data(), bytes);
    changed = static_cast<int>(i);
  }
  return changed;
}

void ServeSession::exchangeReference(const Json &request) {
  const auto fileOf = [&](const char *key, size_t output) {
    return request::text(request[key], std::string("\"") + key + "\"") + std::to_string(output) + ".npy";
  };
  const auto inputs = static_cast<size_t>(inputCount(transform_));
  for (size_t i = 0; i < reference_.size(); ++i) {
    const MatrixInfo &m = transform_.matrices[inputs + i];
    if (request.contains("keep"))
      matrix::OutputFile(fileOf("keep", i), reference_[i].extents(), m.extents).write(reference_[i]);
    if (request.contains("reference"))
      reference_[i] = matrix::readMatrix(fileOf("reference", i), {m.name, m.element, m.rank, m.extents});
  }
}

EnergyMeter &ServeSession::meter() {
  if (!meter_)
    meter_ = std::make_unique<EnergyMeter>(energySources());
  return *meter_;
}

Json ServeSession::meters() {
  return {{"ok", true},
          {"energy", meter().names()},
          {"energy_window", meter().window()},
          {"energy_problem", meter().problem()},
          {"peak_memory", knowsPeakMemory()}};
}

RunCost ServeSession::runOnce(Runner &workers, bool wantsEnergy, On inputs) {
  if (inputs == On::Unseen)
    unseen_->change();
  else
    unseen_->restore();
  RunCost cost;
  if (!wantsEnergy) {
    cost.seconds = cost.spent = workers.run(*instance_);
    return cost;
  }
  // On a busy machine counters may be updated late, and then a window is too short.
  const double window = meter().window(), patience = std::max(kEnergyPatience, 2 * window);
  const double before = meter().joules();
  const auto isOver = [&] {
    return cost.spent >= window && ((cost.joules = meter().joules() - before) > 0 || cost.spent >= patience);
  };
  int runs = 0;
  for (; !isOver(); ++runs) {
    if (runs > 0 && defaultChangesInputs_)
      restoreInputs();
    if (runs > 0)
      unseen_->change();
    cost.spent += workers.run(*instance_);
  }
  if (cost.joules <= 0)
    throw base::UserError("the counters of energy do not move");
  if (runs > 1 && inputs == On::Prepared) { // the outputs of these inputs are wanted
    unseen_->restore();
    if (defaultChangesInputs_)
      restoreInputs();
    workers.run(*instance_);
  }
  cost.seconds = cost.spent / runs;
  cost.joules /= runs;
  return cost;
}

double ServeSession::peakBytes(int threads) {
  runner_.reset();
  double bytes = 0;
  for (const Matrix &m : instance_->matrices)
    bytes += static_cast<double>(m.bytes());
  const PeakMemory peak(std::max(threads, mostThreads_));
  runner(threads).run(*instance_);
  restoreInputs();
  return bytes + peak.bytes();
}

Json ServeSession::measure(const Json &request) {
  if (!instance_)
    throw base::UserError("nothing is prepared: send {\"op\":\"prepare\", ...} first");
  const request::Metrics metrics = request::metricsOf(request);
  if (metrics.energy && meter().names().empty())
    throw base::UserError(meter().problem());
  const double limit = request::number(request, "limit", 1e9, 0, 1e9);
  const auto trials = static_cast<long>(request::number(request, "trials", 1, 1, 1e6));
  int threads = threads_;
  configure(request, &threads);
  const auto begin = Clock::now();
  const bool isLookedAt = !(request.contains("compare") && request["compare"] == false);
  const bool isLookedAtLast = request.contains("compare") && request["compare"] == "last";
  const bool comparable = fitOutputs() && isLookedAt;
  const std::vector<Matrix> outputs = instance_->outputs();
  const auto spoil = [&] {
    for (const Matrix &m : outputs)
      matrix::fillWithNonsense(m);
    base::seedThreads(seed_);
  };
  if (isLookedAt)
    spoil();
  else
    base::seedThreads(seed_);
  Runner &workers = runner(threads);
  Difference difference;
  size_t worst = 0;
  Json accuracy;
  int changed = -1; // the first input that the run writes into
  const auto restore = [&] {
    unseen_->restore();
    if (const int input = restoreInputs(); input >= 0 && !defaultChangesInputs_)
      changed = input;
  };
  RunTimes times({trials, limit, metrics.energy, metrics.memory});
  for (long run = 0; !times.isComplete(); ++run) {
    const long builds = builds_;
    // The compared run is on the inputs of the reference. All others are on inputs that no run has seen, so that a
    // candidate which remembers its last input gains nothing by that.
    const RunCost cost = runOnce(workers, metrics.energy, run == 0 && isLookedAt ? On::Prepared : On::Unseen);
    if (run == 0 && comparable)
      difference = compareAll(outputs, reference_, &worst);
    if (run == 0 && isLookedAt && transform_.metric)
      accuracy = accuracyOf(program_, *instance_, workers).value; // null if it is not a number
    if ((run == 0 && isLookedAt) || changed >= 0 || defaultChangesInputs_)
      restore();
    if (run == 0)
      times.began(cost.seconds, isLookedAt
                                    ? std::chrono::duration<double>(Clock::now() - begin).count() - cost.spent
                                    : kRepeatFor);
    if (builds_ != builds && run < kMostBuilds)
      times.skip(); // a time that includes a compilation is not the program's
    else
      times.add(cost);
  }
  if (isLookedAtLast && comparable && difference.agrees && changed < 0) {
    spoil();
    runOnce(workers, false, On::Prepared);
    difference = compareAll(outputs, reference_, &worst);
  }
  if (isLookedAt)
    restore();
  unseen_->restore();
  Json reply = {{"ok", true},
                {"agrees", !isLookedAt || (comparable && difference.agrees && changed < 0)},
                {"difference", finite(difference.value)},
                {"seconds", times.seconds()}};
  if (changed >= 0)
    reply["changes"] = transform_.matrices[changed].name;
  else if (comparable && !difference.agrees) {
    const MatrixInfo &info = transform_.matrices[inputCount(transform_) + static_cast<int>(worst)];
    reply["at"] = print(difference, info.name, outputs[worst].extents());
  }
  if (transform_.metric && isLookedAt)
    reply["accuracy"] = accuracy;
  if (metrics.energy)
    reply["joules"] = times.joules();
  if (metrics.memory)
    reply["bytes"] = peakBytes(threads);
  return reply;
}

} // namespace pb::program
