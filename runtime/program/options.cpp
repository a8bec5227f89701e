// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/options.h"
#include "runtime/base/closest.h"
#include "runtime/base/errors.h"
#include "runtime/config/configuration.h"
#include <charconv>
#include <climits>
#include <cstdio>
#include <functional>

namespace pb::program {
namespace {

struct Option {
  const char *name;
  const char *value;                                       // placeholder in --help; null for a flag
  const char *doc;                                         // null: another name of the option before it
  std::function<void(Options &, const std::string &)> set; // a flag gets "yes" or "no"
};

void setSize(Options &o, const std::string &text) {
  const size_t equals = text.find('=');
  if (equals == text.npos || equals == 0)
    throw base::UserError("--size expects VARIABLE=NUMBER, for example --size w=640, found '" + text + "'");
  o.sizes[text.substr(0, equals)] =
      parseInteger(text.substr(equals + 1), "--size " + text.substr(0, equals), 0, INT_MAX);
}

double parseSeconds(const std::string &text, const std::string &what) {
  double seconds = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (error != std::errc{} || end != text.data() + text.size() || !(seconds > 0 && seconds < 1e9))
    throw base::UserError(what + " expects seconds, found '" + text + "'");
  return seconds;
}

const std::vector<Option> &table() {
  static const std::vector<Option> options = {
      {"help", nullptr, "this text", [](Options &o, auto &v) { o.help = v == "yes"; }},
      {"config", "FILE",
       "take choices and tunables from FILE (default: PROGRAM.cfg beside the program, if there is one)",
       [](Options &o, auto &v) { o.config = v, o.useConfig = true; }},
      {"cfg", "FILE", nullptr, [](Options &o, auto &v) { o.config = v, o.useConfig = true; }},
      {"noconfig", nullptr, "read no configuration file",
       [](Options &o, auto &v) { o.useConfig = v == "no"; }},
      {"warnings", nullptr,
       "warn if the configuration is for another version of the program or another machine (off: "
       "--nowarnings, "
       "or PB_WARNINGS=no)",
       [](Options &o, auto &v) { o.warnings = v == "yes"; }},
      {"threads", "N", "worker threads (default: the configuration's, else one per processor)",
       [](Options &o, auto &v) {
         o.threads = static_cast<int>(parseInteger(v, "--threads", 1, config::kMaxThreads));
       }},
      {"devices", "LIST",
       "devices for steps that the configuration places on one: ids from --info, separated by commas, "
       "`all` or `none` (default: PB_DEVICES, else all)",
       [](Options &o, auto &v) { o.devices = v; }},
      {"trace", "FILE", "write a trace of what ran when to FILE, for ui.perfetto.dev",
       [](Options &o, auto &v) { o.trace = v; }},
      {"transform", "NAME", "run another transform than the main one",
       [](Options &o, auto &v) { o.transform = v; }},
      {"tx", "NAME", nullptr, [](Options &o, auto &v) { o.transform = v; }},
      {"n", "N", "no input files: random inputs (or the generator's), every size variable and number N",
       [](Options &o, auto &v) { o.n = parseInteger(v, "--n", 0, INT_MAX); }},
      {"random", "N", nullptr, [](Options &o, auto &v) { o.n = parseInteger(v, "--random", 0, INT_MAX); }},
      {"size", "V=N", "the same for one size variable, or one that no input file tells; may be repeated",
       setSize},
      {"seed", "N", "seed of random inputs and of random numbers in rules (default 1)",
       [](Options &o, auto &v) {
         o.seed = static_cast<unsigned long>(parseInteger(v, "--seed", 0, LONG_MAX));
       }},
      {"time", nullptr, "repeat the transform and print its median time, without reading and writing files",
       [](Options &o, auto &v) { o.time = v == "yes"; }},
      {"accuracy", nullptr, "print the accuracy of the result, by the transform's accuracy_metric",
       [](Options &o, auto &v) { o.accuracy = v == "yes"; }},
      {"check", nullptr,
       "run every alternative of every choice in turn and compare the outputs with the default's; inputs "
       "must have their structures",
       [](Options &o, auto &v) { o.check = v == "yes"; }},
      {"limit", "SECONDS",
       "time for one alternative of --check (default: 10 s and 10 times the default's time)",
       [](Options &o, auto &v) { o.limit = parseSeconds(v, "--limit"); }},
      {"trials", "N", "samples of --time (default: as many as half a second gives, at least 3)",
       [](Options &o, auto &v) { o.trials = parseInteger(v, "--trials", 1, 1'000'000); }},
      {"max-sec", "SECONDS", "end the run with an error after this time",
       [](Options &o, auto &v) { o.seconds = parseSeconds(v, "--max-sec"); }},
      {"hash", nullptr, "print a hash of the outputs", [](Options &o, auto &v) { o.hash = v == "yes"; }},
      {"force-output", nullptr, "print the outputs in addition to writing their files",
       [](Options &o, auto &v) { o.show = v == "yes"; }},
      {"iogen-create", "PREFIX",
       "write the random inputs of --n and the outputs: PREFIX_in0.dat, PREFIX_out0.dat",
       [](Options &o, auto &v) { o.createFiles = v; }},
      {"iogen-run", "PREFIX", "run on inputs that --iogen-create wrote",
       [](Options &o, auto &v) { o.runFiles = v; }},
      {"iogen-n", "N", nullptr, [](Options &o, auto &v) { o.n = parseInteger(v, "--iogen-n", 0, INT_MAX); }},
      {"reset", nullptr,
       "write the default configuration to the file of --config, else to PROGRAM.cfg, and end",
       [](Options &o, auto &v) { o.reset = v == "yes"; }},
      {"print-config", nullptr, "print the configuration in use (TOML)",
       [](Options &o, auto &v) { o.printConfig = v == "yes"; }},
      {"name", nullptr, "print the name of the transform that runs",
       [](Options &o, auto &v) { o.name = v == "yes"; }},
      {"info", nullptr, "describe the program for a tuner (JSON)",
       [](Options &o, auto &v) { o.info = v == "yes"; }},
      {"serve", nullptr, "answer a tuner's requests on standard input",
       [](Options &o, auto &v) { o.serve = v == "yes"; }},
      {"channel", "N", "with --serve: on the socket that is open at descriptor N instead",
       [](Options &o, auto &v) { o.channel = static_cast<int>(parseInteger(v, "--channel", 0, INT_MAX)); }},
  };
  return options;
}

/// Options of the original that have no meaning here: they are accepted with a note. Those that ask for
/// something other than one run are refused.
struct Meaningless {
  const char *name;
  bool hasValue;
  const char *why; // null: what they ask for happens anyway
  bool isRefused = false;
};
constexpr const char *kSamples = "--time takes as many samples as it needs; --trials=N sets their number",
                     *kRace = "`pbc tune` compares configurations; --time measures one",
                     *kGraph = "run --time with --n=N for each size or value",
                     *kTuning = "`pbc tune` finds configurations", *kHere = "a run stays on this machine";
constexpr Meaningless kMeaningless[] = {
    {"fixedrandom", false, nullptr}, // the seed is fixed: --seed
    {"isolation", false, "a run is a process of its own"},
    {"retries", true, "a run that fails is not repeated"},
    {"max-memory", true, "limit memory by the system's means (ulimit -v)"},
    {"trials-sec", true, kSamples},
    {"trials-max", true, kSamples},
    {"race-with", true, kRace, true},
    {"race-multiplier", true, kRace},
    {"race-multiplier-lowacc", true, kRace},
    {"race-accuracy", true, kRace},
    {"race-split-ratio", true, kRace},
    {"graph-input", false, kGraph, true},
    {"graph-param", true, kGraph, true},
    {"graph-parallel", false, kGraph, true},
    {"graph-template", false, kGraph, true},
    {"graph-accuracy", false, kGraph, true},
    {"min", true, kGraph},
    {"max", true, kGraph},
    {"step", true, kGraph},
    {"exp", false, kGraph},
    {"smoothing", true, kGraph},
    {"offset", true, kGraph},
    {"optimize", true, kTuning, true},
    {"acctrain", false, kTuning, true},
    {"acctrials", true, kTuning},
    {"accimprovetries", true, kTuning},
    {"autotune-transform", true, kTuning, true},
    {"autotune-site", true, kTuning, true},
    {"autotune-tunable", true, kTuning, true},
    {"autotune-log", true, kTuning, true},
    {"hosts", true, kHere},
    {"slave-host", true, kHere, true},
    {"slave-port", true, kHere, true},
    {"pbs", false, kHere},
    {"reexecchild", false, "a run is a process of its own"},
    {"tireexec", false, "a run is a process of its own"},
    {"resolution", false, "--time says how much its samples differ", true},
    {"opencl-info", false, "there is no OpenCL", true},
};

const Option *find(const std::string &name) {
  for (const Option &o : table())
    if (name == o.name)
      return &o;
  return nullptr;
}

/// The option with this name, or the only one that begins with it.
const Option *findByBegin(const std::string &name) {
  if (const Option *exact = find(name))
    return exact;
  const Option *only = nullptr;
  for (const Option &o : table())
    if (name.size() > 1 && std::string_view(o.name).starts_with(name)) {
      if (only)
        return nullptr;
      only = &o;
    }
  return only;
}

/// Reads an option without meaning, with its value, and prints a note.
bool skipMeaningless(const std::string &name, bool hasValue, size_t *next) {
  for (const Meaningless &m : kMeaningless) {
    if (name != m.name && !(!m.hasValue && name == std::string("no") + m.name))
      continue;
    if (m.isRefused && name == m.name)
      throw base::UserError("--" + name + " does not exist here: " + m.why);
    if (m.why)
      std::fprintf(stderr, "%s: warning: --%s has no meaning here: %s\n", base::programName(), name.c_str(),
                   m.why);
    if (m.hasValue && !hasValue)
      ++*next;
    return true;
  }
  return false;
}

[[noreturn]] void unknown(const std::string &name) {
  std::vector<std::string> names;
  for (const Option &o : table())
    names.push_back(std::string("--") + o.name);
  throw base::UserError("unknown option '" + name + "'" + base::didYouMean(name, names) +
                        "; --help lists the options");
}

bool isPositional(const std::string &a) {
  return a.empty() || a[0] != '-' || a == "-" ||
         (a.size() > 1 && (a[1] == '.' || (a[1] >= '0' && a[1] <= '9'))) || a == "-inf" || a == "-nan";
}

} // namespace

long parseInteger(const std::string &text, const std::string &what, long low, long high) {
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < low || value > high)
    throw base::UserError(what + " expects a whole number from " + std::to_string(low) + " to " +
                          std::to_string(high) + ", found '" + text + "'");
  return value;
}

Options parseOptions(const std::vector<std::string> &arguments) {
  Options options;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string &a = arguments[i];
    if (a == "--") {
      options.positional.insert(options.positional.end(), arguments.begin() + static_cast<long>(i) + 1,
                                arguments.end());
      break;
    }
    if (isPositional(a)) {
      options.positional.push_back(a);
      continue;
    }
    if (a == "-h") {
      options.help = true;
      continue;
    }
    const size_t equals = a.find('=');
    const std::string name = a.substr(0, equals).substr(std::min<size_t>(2, a.size()));
    std::string value = equals == a.npos ? "" : a.substr(equals + 1);
    if (a[1] != '-')
      unknown(a);
    if (skipMeaningless(name, equals != a.npos, &i))
      continue;
    const Option *option = findByBegin(name);
    if (!option && equals == a.npos && name.starts_with("no")) { // --nox
      option = findByBegin(name.substr(2));
      if (!option || option->value)
        unknown(a);
      option->set(options, "no");
      continue;
    }
    if (!option)
      unknown(a.substr(0, equals));
    if (!option->value) {
      if (equals == a.npos)
        value = "yes";
      if (value != "yes" && value != "no")
        throw base::UserError(std::string("--") + option->name + " is yes or no, found '" + value + "'");
    } else if (equals == a.npos) {
      if (++i == arguments.size())
        throw base::UserError(std::string("--") + option->name + " expects a value: --" + option->name + "=" +
                              option->value);
      value = arguments[i];
    }
    option->set(options, value);
  }
  return options;
}

std::string optionsHelp() {
  std::string text;
  for (const Option &o : table()) {
    if (!o.doc)
      continue;
    std::string left = std::string("  --") + o.name + (o.value ? std::string("=") + o.value : "");
    if (left.size() < 22)
      left.resize(22, ' ');
    text += left + " " + o.doc + "\n";
  }
  return text;
}

} // namespace pb::program
