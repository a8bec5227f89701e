// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/options.h"
#include "compiler/driver/memory_limit.h"
#include "compiler/driver/problems.h"
#include "compiler/emit/device_texts.h"
#include "compiler/sema/module.h"
#include "pbc/version.h"
#include "runtime/base/parse_status.h"
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/ranges.h>
#include <map>
#include <sstream>

namespace pbc::driver {

namespace {

/// What --emit can print, in the order of the pipeline.
struct Printable {
  std::string name;
  Stage stage;
  std::size_t language = 0; // of the kernels for devices
};

std::vector<Printable> printable() {
  std::vector<Printable> all{{"ast", Stage::Ast},         {"module", Stage::Module},
                             {"facts", Stage::Facts},     {"grid", Stage::Grid},
                             {"graph", Stage::Graph},     {"plan", Stage::Plan},
                             {"lifted", Stage::Lifted},   {"chains", Stage::Chains},
                             {"kernels", Stage::Kernels}, {"loops", Stage::Loops}};
  for (const emit::DeviceLanguage &language : emit::deviceLanguages())
    all.push_back({language.name, Stage::Devices,
                   static_cast<std::size_t>(&language - emit::deviceLanguages().data())});
  for (const auto &[name, stage] :
       {std::pair("cpp", Stage::Cpp), std::pair("llvm", Stage::Llvm), std::pair("asm", Stage::Asm)})
    all.push_back({name, stage});
  return all;
}

std::vector<std::string> stageNames() {
  std::vector<std::string> names;
  for (const Printable &p : printable())
    names.push_back(p.name);
  return names;
}

/// The values that --cpu may combine, the least capable one first, and the meaning of `multi`.
constexpr const char *kLevels[] = {"x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4"};
constexpr const char *kMulti = "x86-64-v2,x86-64-v3,x86-64-v4";

/// "x86-64-v2,x86-64-v4" as a list; empty if they are not levels in their order.
std::vector<std::string> levels(const std::string &text) {
  std::vector<std::string> out;
  std::istringstream words(text);
  auto next = std::begin(kLevels);
  for (std::string word; std::getline(words, word, ',');) {
    next = std::find(next, std::end(kLevels), word);
    if (next++ == std::end(kLevels))
      return {};
    out.push_back(word);
  }
  return out;
}

/// Options of the original that have no meaning here: they are accepted with a note.
constexpr std::pair<const char *, const char *> kWithoutMeaning[] = {
    {"--preproc", "the preprocessor is part of pbc"},
    {"--runtimedir", "the runtime is part of pbc (PBC_RUNTIME names another)"},
    {"--heuristics", "the tuner decides: pbc tune ./PROG"}};

/// Tabs are spaces.
bool isControl(char c) { return (static_cast<unsigned char>(c) < 32 && c != '\t') || c == 127; }

/// Splits flags in the form that a linking compiler takes: `-lm`, `-Lfolder`, `-Wl,-rpath,folder`, a path.
void addLinkFlags(const std::string &text, std::vector<std::string> &out) {
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!word.starts_with("-Wl,")) {
      out.push_back(word);
      continue;
    }
    std::istringstream parts(word.substr(4));
    for (std::string part; std::getline(parts, part, ',');)
      out.push_back(part);
  }
}

/// "sm_90"
bool isArchitecture(const std::string &text) {
  return text.starts_with("sm_") && text.size() > 4 && text.size() < 8 &&
         text.find_first_not_of("0123456789", 3) == std::string::npos;
}

/// "opencl:0"; whether this machine has it, is not asked.
bool isOwnDevice(const std::string &text) {
  const std::string api = text.substr(0, text.find(':'));
  const std::string number = text.substr(std::min(text.size(), api.size() + 1));
  return (api == "opencl" || api == "cuda" || api == "fake") && (text == api || !number.empty()) &&
         number.find_first_not_of("0123456789") == std::string::npos;
}

std::vector<std::string> elementNames() {
  std::vector<std::string> names;
  for (const sema::Element e : sema::kAllElements)
    names.emplace_back(sema::name(e));
  return names;
}

} // namespace

ParsedOptions parseOptions(int argc, char **argv, bool explains) {
  ParsedOptions parsed;
  Options &o = parsed.options;
  CLI::App app{
      "pbc compiles a .pbcc program: transforms, rules and algorithmic choices.\n"
      "Further commands: `pbc tune ./PROG` finds the best choices on this machine (pbc tune --help); `pbc "
      "explain FILE` shows what the compiler makes of each rule and loop; `pbc explain ./PROG` shows why a "
      "program's choices were made, and `pbc report ./PROG` makes a page of it; `pbc config "
      "check|diff|explain` inspects "
      "configuration files; `pbc opt FILE.kernel` runs steps of schedules on kernels in text form; `pbc "
      "compose` weaves adaptors into a schedule; `pbc space FILE` prints the programs that a kernel can "
      "become; `pbc prove FILE` "
      "searches the fastest of them, and says how far from it the result can be; `pbc emulate FILE` predicts "
      "what limits kernels for devices; `pbc "
      "model` evaluates cost models; `pbc man` prints manual pages, and `pbc completion SHELL` what "
      "completes "
      "command lines.",
      "pbc"};
  app.footer("Example:\n  pbc samples/sort.pbcc -o sort && pbc tune ./sort && ./sort in.npy out.npy");
  if (explains) {
    app.name("pbc explain");
    app.description(
        "Shows for each rule whether the compiler can analyse its body, or which line prevents it; and for "
        "each alternative its loops, their order, what runs in parallel, and which transformations do not "
        "apply, with the reason. The options are those of pbc.");
    app.footer(
        "Examples:\n  pbc explain samples/heat.pbcc\n"
        "  pbc explain ./heat           for a compiled program: what tuning has found, and why\n"
        "  pbc explain ./heat NAME      for one choice or tunable; --config=FILE, --journal=FILE, --json");
    app.add_flag("--json", o.json, "as data");
    app.add_option_function<std::string>(
           "--device",
           [&o](const std::string &name) { (isArchitecture(name) ? o.machineCodeOf : o.builtOn) = name; },
           "instead: what the machine code of each kernel for this device of NVIDIA is like (sm_80, "
           "sm_90): registers, "
           "spills, the innermost loop, the widths of loads and stores; no GPU is needed. Or whether a "
           "device of this machine (opencl:0, cuda:0, fake) builds each kernel")
        ->check(CLI::Validator(
            [](const std::string &text) {
              return isArchitecture(text) || isOwnDevice(text)
                         ? ""
                         : "`" + text +
                               "` is no device: write sm_ and its number, as in sm_90, or a device of this "
                               "machine, as in opencl:0";
            },
            "sm_N|opencl:N|cuda:N|fake"));
    app.add_option("--index", o.indexBits,
                   "with --device: how many bits the kernels' indices have, 32 where sizes allow it "
                   "(default), or 64 as for matrices with 2^31 and more cells")
        ->check(CLI::IsMember({32, 64}));
    app.add_flag(
        "--kernels", o.listsOptions,
        "also the steps that made each kernel's schedule, with their alternatives, and its options: the "
        "values in use, and the others that a configuration may ask for");
    app.add_flag(
        "--this-machine", o.forThisMachine,
        "with --kernels: alternatives for the caches and registers of this machine, instead of typical "
        "ones");
    app.add_option("--n", o.bounds.n,
                   "also the time below which no schedule of a rule stays if all sizes have this value, and "
                   "what limits it")
        ->check(CLI::Range(1L, 2147483647L).description("a whole number above 0"));
    app.add_option("--size", o.bounds.sizes,
                   "the same for one size, NAME=VALUE; may be given several times; with --device: for which "
                   "kernels are built "
                   "that depend on a size")
        ->take_all()
        ->allow_extra_args(false);
    app.add_option("--machine", o.bounds.machine,
                   "with --n: a machine that comes with pbc, as epyc7001, or FILE.toml of pbc model measure "
                   "(default: this machine is measured for some seconds)");
    app.add_flag("--why", o.bounds.isWhy,
                 "with --n: also what limits each rule's schedule on one core, and which other one is "
                 "predicted to be faster");
    app.add_flag("--times", o.bounds.withTimes,
                 "with --n: also how long each rule is predicted to take on one core, by each of its "
                 "schedules");
    app.add_option("--threads", o.bounds.threads, "with --n: on so many cores together (default 1)")
        ->check(CLI::Range(1, 1024));
  }
  app.set_version_flag("--version", PBC_NAME_AND_VERSION);
  std::vector<std::string> defines, libraries, folders;
  const CLI::Option *const program = app.add_option("input", o.input, "the program, FILE.pbcc");
  const CLI::Option *const named =
      app.add_option("--input", o.input, "")->group(""); // as the original has it
  app.add_option("-o,--output", o.output,
                 "the executable to write (default: the source's name without its suffix), or the library");
  bool isShared = false, isStatic = false;
  CLI::Option *const shared = app.add_flag(
      "--shared", isShared,
      "make a shared library for C, libNAME.so, and its header NAME.h: a function for each transform");
  app.add_flag("--static", isStatic, "make a static library for C, libNAME.a, and its header")
      ->excludes(shared);
  app.add_option("--header", o.header, "with --shared or --static: the header to write");
  std::string stage;
  app.add_option("--emit", stage, fmt::format("print one stage instead: {}", fmt::join(stageNames(), " ")));
  app.add_flag("--dot", o.dot, "with --emit=graph: as Graphviz");
  app.add_option("--main", o.mainTransform, "the transform that the executable runs");
  app.add_option("--config,--hardcode", o.configuration,
                 "build this configuration file into the program, which then starts with it, and make the "
                 "kernels as its [kernels] says");
  app.add_option("-D", defines, "NAME or NAME=TEXT: define a macro")->take_all()->allow_extra_args(false);
  app.add_option("-I", o.includePath, "folder in which #include searches")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--schedule", o.schedules,
                 "a file of schedules: other ways to run the loops of rules, among which configurations "
                 "choose by size")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option(
         "--adaptors", o.adaptors,
         "a file of adaptors, which schedules of rules with structures are composed with; they replace "
         "those of the library")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("-l", libraries, "a library to link")->take_all()->allow_extra_args(false);
  app.add_option("-L,--libdir", folders, "folder with libraries")->take_all()->allow_extra_args(false);
  app.add_option_function<std::string>(
         "--element", [&o](const std::string &name) { o.element = *sema::findElement(name); },
         "type of the elements of matrices that are declared without one, and ElementT in bodies: "
         "double, float, int, long or byte (default double)")
      ->check(CLI::IsMember(elementNames()));
  std::vector<std::string> linkFlags;
  app.add_option("--link-flags", linkFlags,
                 "further arguments for the linker; LDFLAGS and LDLIBS of the environment come first")
      ->take_all()
      ->allow_extra_args(false);
  app.add_option("--outputinfo", o.infoFile, "write choices and tunables to this file, as XML");
  app.add_option("--outputobj", o.objectFolder, "keep the generated C++ and the objects in this folder");
  app.add_flag("!--nolink", o.links, "stop before linking");
  app.add_flag("!--nocompile", o.compiles, "stop before the generated C++ is compiled");
  app.add_option("-j,--jobs", o.jobs, "number of units that are compiled at once (default 2)")
      ->check(CLI::Range(1, 256));
  std::string memory;
  app.add_option("--memory-limit", memory,
                 "how much memory the compilation may need, as 6G or `none` (default: PBC_MEMORY_LIMIT, else "
                 "half of this machine's)");
  std::map<std::string, std::string> withoutMeaning;
  for (const auto &[name, why] : kWithoutMeaning)
    app.add_option(name, withoutMeaning[name], "")->group("");
  std::string cpu;
  app.add_option("--cpu", cpu,
                 "processor to compile for, as clang's -march (default: this machine's); with several "
                 "levels, or `multi`, the program has code for each and chooses when it starts");
  app.add_option("-O", o.optimisation, "optimisation of the generated C++, 0 to 3 (default 3)")
      ->check(CLI::Range(0, 3));
  app.add_flag("--bounds-check", o.boundsCheck, "check every element access in rule bodies at run time");
  app.add_flag("--reassociate", o.reassociates,
               "treat all rules as `fast`: sums and products may be computed in another order");
  app.add_flag(
      "!--no-vector-math", o.vectorMath,
      "compute exp, log, sin, ... in vector loops as in scalar code: with an error below 1 unit in the last "
      "place instead of 4");
  app.add_flag("!--no-devices", o.forDevices,
               "make no kernels for OpenCL and CUDA: the program runs on the processor only");
  app.add_flag("--time-passes", o.timePasses, "print the time of each step");
  app.add_flag("--no-cache", o.noCache, "compile everything again");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &e) {
    parsed.status = pb::base::parseStatus(app, e);
    return parsed;
  }
  if (program->count() + named->count() != 1) {
    if (program->count())
      say("pbc: error: two programs are named\nhelp: give one FILE.pbcc\n");
    else
      say("pbc: error: no program is named\nhelp: give one FILE.pbcc; pbc --help lists the options\n");
    parsed.status = 1;
    return parsed;
  }
  if (!o.bounds.isWanted() && (!o.bounds.machine.empty() || o.bounds.threads > 1 || o.bounds.isPredicted())) {
    say("pbc explain: error: --machine, --threads, --why and --times are for bounds and predictions, which "
        "need "
        "sizes\nhelp: --n=1024 gives "
        "all "
        "sizes a value, --size=NAME=1024 one\n");
    parsed.status = 1;
    return parsed;
  }
  if (explains)
    o.stage = Stage::Explain;
  if (!stage.empty()) {
    const std::vector<Printable> all = printable();
    const auto at = std::find_if(all.begin(), all.end(), [&](const Printable &p) { return p.name == stage; });
    if (at == all.end()) {
      say(fmt::format("pbc: error: there is no stage `{}`\nhelp: --emit={}\n", stage,
                      fmt::join(stageNames(), ", ")));
      parsed.status = 1;
      return parsed;
    }
    o.stage = at->stage;
    o.deviceLanguage = at->language;
  }
  if (!cpu.empty())
    o.cpus = {cpu};
  if (cpu == "multi" || cpu.find(',') != std::string::npos)
    o.cpus = levels(cpu == "multi" ? kMulti : cpu);
  if (o.cpus.empty()) {
    say(fmt::format("pbc: error: --cpu={} does not name levels of x86-64 in their order\nhelp: x86-64, "
                    "x86-64-v2, x86-64-v3 and "
                    "x86-64-v4 can be combined in a program, the least capable one first\n",
                    cpu));
    parsed.status = 1;
    return parsed;
  }
  const char *limitOfEnvironment = std::getenv("PBC_MEMORY_LIMIT");
  if (memory.empty() && limitOfEnvironment)
    memory = limitOfEnvironment;
  const auto limit = memory.empty() ? defaultMemoryLimit() : sizeOf(memory);
  if (!limit) {
    say(fmt::format("pbc: error: `{}` is not a size of memory\nhelp: 6G, 500M or none\n", memory));
    parsed.status = 1;
    return parsed;
  }
  o.memoryLimit = *limit;
  for (const std::string &d : defines)
    if (std::any_of(d.begin(), d.end(), isControl)) {
      std::string shown;
      for (const char c : d)
        shown += c == '\n' ? "\\n" : std::string(1, c); // say() escapes the others
      say(fmt::format(
          "pbc: error: -D {} has a line break or another control character, which no macro can hold\n"
          "help: -D NAME or -D NAME=TEXT defines a macro of one line\n",
          shown));
      parsed.status = 1;
      return parsed;
    }
  for (const std::string &folder : o.includePath)
    if (std::error_code none; !std::filesystem::is_directory(folder, none))
      say(fmt::format("pbc: warning: -I {} is no folder: no file is found in it\n", folder));
  for (const auto &d : defines) {
    const auto equals = d.find('=');
    o.defines.emplace_back(d.substr(0, equals), equals == std::string::npos ? "1" : d.substr(equals + 1));
  }
  for (const auto &[name, why] : kWithoutMeaning)
    if (!withoutMeaning[name].empty())
      say(fmt::format("pbc: warning: {} has no effect any more: {}\n", name, why));
  for (const char *variable : {"LDFLAGS", "LDLIBS"})
    if (const char *value = std::getenv(variable))
      addLinkFlags(value, o.linkArguments);
  for (const auto &f : folders)
    o.linkArguments.push_back("-L" + f);
  for (const auto &l : libraries)
    o.linkArguments.push_back("-l" + l);
  for (const auto &f : linkFlags)
    addLinkFlags(f, o.linkArguments);
  if (isShared || isStatic) {
    o.product = isShared ? Product::SharedLibrary : Product::StaticLibrary;
  } else if (!o.header.empty()) {
    say("pbc: error: --header is for libraries\nhelp: add --shared or --static\n");
    parsed.status = 1;
    return parsed;
  }
  if (o.output.empty()) {
    o.output = std::filesystem::path(o.input).stem().string();
    if (o.product != Product::Program)
      o.output = "lib" + o.output + (isShared ? ".so" : ".a");
  }
  if (!o.links && o.objectFolder.empty())
    o.objectFolder = o.output + ".obj";
  parsed.run = true;
  return parsed;
}

} // namespace pbc::driver
