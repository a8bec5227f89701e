// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/pipeline.h"
#include "compiler/body/prelude.h"
#include "compiler/body/verify.h"
#include "compiler/build/cache.h"
#include "compiler/build/compile.h"
#include "compiler/build/find_libraries.h"
#include "compiler/build/link.h"
#include "compiler/build/preambles.h"
#include "compiler/choice/sizes.h"
#include "compiler/choice/verify.h"
#include "compiler/driver/explain.h"
#include "compiler/driver/finished_program.h"
#include "compiler/driver/refused_configuration.h"
#include "compiler/driver/standard_library.h"
#include "compiler/driver/undefined.h"
#include "compiler/emit/device_texts.h"
#include "compiler/emit/emit.h"
#include "compiler/kernel/default_schedule.h"
#include "compiler/kernel/lift.h"
#include "compiler/kernel/print.h"
#include "compiler/kernel/verify.h"
#include "compiler/schedule/verify.h"
#include "compiler/schedule/versions.h"
#include "compiler/sema/check.h"
#include "compiler/sema/verify.h"
#include "compiler/syntax/parse.h"
#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <functional>
#include <iterator>
#include <stdexcept>
#include <unistd.h>

namespace pbc::driver {

namespace {

/// An invariant of ours that does not hold: never the user's fault.
struct InternalError : std::logic_error {
  using std::logic_error::logic_error;
};

std::string whyUnreadable(const std::string &path) {
  std::error_code error;
  if (std::filesystem::is_directory(path, error))
    return "it is a folder";
  if (std::filesystem::file_size(path, error) > source::SourceManager::kLargestFile && !error)
    return "it is larger than 64 MiB";
  return error ? error.message() : "permission denied";
}

class Pipeline {
public:
  /// With `take` it stops after the kernels, which it gives to `take`.
  Pipeline(const Options &o, std::function<void(const kernel::Kernel &)> take)
      : options_(o), take_(std::move(take)), diagnostics_(sources_),
        cache_(o.noCache ? "" : build::Cache::defaultFolder()), preambles_(&cache_) {}

  int run() {
    const auto file = sources_.load(options_.input);
    if (!file) {
      const bool isSource = options_.input.ends_with(".pbcc");
      fmt::print(stderr, "pbc: error: cannot read {}: {}\nhelp: give the path of a .pbcc file{}\n",
                 options_.input, whyUnreadable(options_.input),
                 isSource ? "" : "; pbc explain takes that of a program, too");
      return 1;
    }
    std::error_code noSuchFile;
    if (options_.stage == Stage::Program &&
        std::filesystem::equivalent(options_.input, options_.output, noSuchFile)) {
      fmt::print(
          stderr,
          "pbc: error: the program {} would overwrite its own source\nhelp: name another file with -o\n",
          options_.output);
      return 1;
    }
    const auto old = std::filesystem::status(options_.output, noSuchFile);
    if (options_.stage == Stage::Program && std::filesystem::exists(old) &&
        !std::filesystem::is_regular_file(old) && !std::filesystem::is_directory(old)) {
      fmt::print(
          stderr,
          "pbc: error: {} is a device or a pipe, which a program would replace\nhelp: name a file with -o\n",
          options_.output);
      return 1;
    }
    const int status = steps(*file);
    if (const std::string messages = diagnostics_.render(isatty(2) != 0); !messages.empty())
      fmt::print(stderr, "{}", messages);
    if (options_.timePasses)
      fmt::print(stderr, "{}", times_);
    return status;
  }

private:
  /// Runs one step, measures it, and says whether the next may run.
  bool step(const char *name, const std::function<void()> &f) {
    const auto begin = std::chrono::steady_clock::now();
    f();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    times_ += fmt::format("{:<28} {:8.2f} ms\n", name, took.count());
    return !diagnostics_.hasErrors();
  }

  int show(const std::string &text) {
    std::fwrite(text.data(), 1, text.size(), stdout);
    return 0;
  }

  /// The whole way. Why each step stands where it stands is in docs/architecture.md.
  int steps(source::FileId file) {
    source::MappedText text;
    if (!step("preprocess", [&] {
          text = syntax::preprocess(sources_, file, diagnostics_, options_.defines, options_.includePath,
                                    standardFolder_);
        }))
      return 1;
    if (options_.stage == Stage::Program && fromCache(text))
      return 0;

    syntax::Program program;
    if (!step("parse", [&] {
          program = syntax::parse(text, file, diagnostics_);
          leaveOutUnused(program, sources_, standardFolder_, options_.mainTransform);
        }))
      return 1;
    if (options_.stage == Stage::Ast)
      return show(syntax::print(program));

    sema::Module module;
    const std::string name = std::filesystem::path(options_.input).stem().string();
    if (!step("check", [&] { module = sema::check(program, name, options_.mainTransform, diagnostics_); }))
      return 1;
    if (options_.reassociates)
      for (auto &t : module.transforms)
        for (auto &r : t.rules)
          r.fast = true;
    verify("check", [&] { return sema::verify(module); });
    if (options_.stage == Stage::Module)
      return show(sema::print(module));

    std::vector<std::vector<body::Facts>> facts;
    if (!step("understand bodies", [&] { facts = understand(module); }))
      return 1;
    verify("understand bodies", [&] { return body::verify(module, facts); });
    if (options_.stage == Stage::Facts)
      return show(body::print(module, facts, &sources_));

    poly::Context context;
    std::vector<choice::Choices> choices;
    if (!step("choice grid", [&] {
          choice::checkSizes(module, facts, context, diagnostics_);
          if (!diagnostics_.hasErrors())
            choices = choice::chooseGrids(module, facts, context, diagnostics_);
        }))
      return 1;
    verify("choice grid", [&] { return choice::verify(module, choices, context); });
    if (options_.stage == Stage::Grid)
      return show(choice::print(module, choices));
    if (options_.stage == Stage::Graph)
      return show(choice::printGraph(module, choices, options_.dot));

    std::vector<schedule::TransformPlans> plans;
    if (!step("plans", [&] { plans = schedule::plan(module, facts, choices, context, diagnostics_); }))
      return 1;
    verify("plans", [&] { return schedule::verify(module, choices, plans); });
    if (options_.stage == Stage::Plan)
      return show(schedule::print(module, plans));
    step("versions", [&] { module = schedule::foldVersions(module, facts, choices, plans); });

    const auto baked = bakedConfiguration();
    if (!baked)
      return 1;
    emit::Kernels kernels;
    emit::Fusions fusions;
    if (!step("kernels", [&] {
          const KernelRequests requests = kernelRequests();
          if (diagnostics_.hasErrors())
            return;
          kernels = makeKernels(module, facts, choices, plans, requests, context);
          fusions = emit::fuse(module, plans, kernels);
          requests.check({module, facts, choices, plans, kernels, fusions}, diagnostics_);
          kernelOptions_ = requests.text();
        }))
      return 1;
    if (take_)
      return give(kernels);
    if (options_.stage == Stage::Kernels)
      return show(printKernels(module, kernels, fusions));
    if (options_.stage == Stage::Explain)
      return show(explain({.module = module,
                           .facts = facts,
                           .choices = choices,
                           .plans = plans,
                           .kernels = kernels,
                           .fusions = fusions,
                           .sources = &sources_,
                           .devices = &devices_},
                          context, options_.json, spaces_));

    if (options_.stage == Stage::OpenCl || options_.stage == Stage::Cuda)
      return show(emit::deviceTexts({.module = module,
                                     .facts = facts,
                                     .choices = choices,
                                     .plans = plans,
                                     .kernels = kernels,
                                     .fusions = fusions,
                                     .devices = &devices_},
                                    options_.stage == Stage::Cuda));

    std::vector<emit::Unit> units;
    step("emit", [&] {
      units = emit::emit({module, facts, choices, plans, kernels, fusions, &sources_, options_.cpus,
                          understood_.rawBlocks, understood_.directivesOf, kernelOptions_, &devices_},
                         context, *baked);
    });
    if (options_.stage == Stage::Cpp)
      return show(joined(units));
    if (options_.stage == Stage::Program) {
      for (const auto &u : units)
        if (!leave(u.name + ".cpp", u.text))
          return 1;
      if (!options_.infoFile.empty() &&
          !writeFile(options_.infoFile, emit::infoXml({module, facts, choices, plans, kernels, fusions})))
        return 1;
      if (!options_.compiles)
        return 0;
    }

    const std::vector<build::CompileRequest> toCompile = requests(units);
    std::vector<build::CompileResult> objects;
    step("compile", [&] { objects = build::compileAll(toCompile, &cache_, options_.jobs); });
    for (std::size_t i = 0; i < objects.size(); ++i) {
      const std::string name = std::filesystem::path(toCompile[i].name).stem().string();
      times_ +=
          objects[i].fromCache
              ? fmt::format("  {:<26}  from the cache\n", name)
              : fmt::format(
                    "  {:<26} {:8.2f} ms  (front end {:.1f}, optimiser {:.1f}, code {:.1f})\n", name,
                    1e3 * (objects[i].frontSeconds + objects[i].optimiseSeconds + objects[i].codegenSeconds),
                    1e3 * objects[i].frontSeconds, 1e3 * objects[i].optimiseSeconds,
                    1e3 * objects[i].codegenSeconds);
      if (objects[i].ok)
        continue;
      if (objects[i].messages.find("unknown target CPU") != std::string::npos) {
        fmt::print(stderr,
                   "pbc: error: there is no processor `{}`\nhelp: `native`, or a name that clang's -march "
                   "knows, such as x86-64-v3\n",
                   toCompile[i].cpu);
        return 1;
      }
      if (objects[i].messages.find("<inline asm>") != std::string::npos) {
        fmt::print(stderr,
                   "pbc: error: the assembler refuses an `asm` statement of `{}`:\n{}help: instructions must "
                   "be ones that the "
                   "processor of --cpu has\n",
                   units[i].name, objects[i].messages);
        return 1;
      }
      throw InternalError(
          fmt::format("the generated C++ of `{}` does not compile:\n{}", units[i].name, objects[i].messages));
    }
    if (options_.stage == Stage::Llvm || options_.stage == Stage::Asm) {
      std::string all;
      for (const auto &o : objects)
        all += o.output;
      return show(all);
    }
    std::vector<build::LinkInput> inputs;
    for (std::size_t i = 0; i < objects.size(); ++i)
      inputs.push_back(
          {std::filesystem::path(toCompile[i].name).stem().string() + ".o", std::move(objects[i].output)});
    for (const auto &object : inputs)
      if (!leave(object.name, object.bytes))
        return 1;
    return options_.links ? linkProgram(std::move(inputs), module) : 0;
  }

  static bool writeFile(const std::filesystem::path &path, const std::string &bytes) {
    std::ofstream out(path, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (out.flush())
      return true;
    fmt::print(stderr, "pbc: error: cannot write {}: {}\n", path.string(), std::strerror(errno));
    return false;
  }

  /// Into the folder that is to keep what is made on the way, if there is one.
  bool leave(const std::string &name, const std::string &bytes) const {
    if (options_.objectFolder.empty())
      return true;
    std::error_code ignored; // then writing fails, with its own words
    std::filesystem::create_directories(options_.objectFolder, ignored);
    return writeFile(std::filesystem::path(options_.objectFolder) / name, bytes);
  }

  std::vector<std::vector<body::Facts>> understand(const sema::Module &module) {
    // Bodies are read as the units are compiled, with the same preamble.
    const body::FrontEnd frontEnd{
        .arguments =
            [&](const body::Beginning &b) {
              std::string messages;
              return build::frontArguments(commonRequest(options_.cpus.front(), b.mayThrow), messages);
            },
        .preamble =
            [&](const body::Beginning &b) {
              const auto headers = headersOf(commonRequest(options_.cpus.front(), b.mayThrow), b);
              return headers ? preambles_.get(*headers) : nullptr;
            }};
    understood_ = body::understand(module, diagnostics_, options_.includePath, &frontEnd);
    std::vector<std::vector<body::Facts>> facts = std::move(understood_.facts);
    // Kernels use raw pointers; the checks are in the regions' own methods.
    if (options_.boundsCheck)
      for (auto &ofTransform : facts)
        for (auto &f : ofTransform) {
          f.onDevice = std::make_shared<const body::DeviceBody>(
              body::DeviceBody{.obstacle = "--bounds-check checks on the processor only"});
          if (f.liftable)
            f.liftable = false, f.obstacle = "--bounds-check keeps bodies as they are written";
        }
    return facts;
  }

  /// What all units, and the reader of bodies, ask of the front end.
  build::CompileRequest commonRequest(const std::string &cpu, bool mayThrow) const {
    build::CompileRequest r;
    r.optimisation = options_.optimisation;
    r.cpu = cpu;
    r.boundsCheck = options_.boundsCheck;
    r.extraArguments = {"-w"};
    // Without exceptions, code for unwinding need not be made: a seventh of the compile time.
    if (!mayThrow)
      r.extraArguments.push_back("-fno-exceptions");
    return r;
  }

  /// The headers that a unit begins with, for a preamble.
  static std::optional<preamble::Request> headersOf(build::CompileRequest common,
                                                    const body::Beginning &beginning) {
    // Folders are part of the preamble only where it looks into them, so that programs in many folders share one.
    const bool isQuoted = beginning.directives.find('"') != std::string::npos;
    for (const std::string &option : beginning.headerPath)
      if (isQuoted || option.starts_with("-I"))
        common.extraArguments.push_back(option);
    std::string messages;
    preamble::Request headers{body::headerLines() + beginning.directives, body::headers(beginning.library),
                              build::frontArguments(common, messages)};
    return headers.arguments.empty() ? std::nullopt : std::optional(std::move(headers));
  }

  void verify(const char *what, const std::function<std::vector<std::string>()> &check) {
#ifdef PBC_VERIFY
    const auto violations = check();
    if (!violations.empty())
      throw InternalError(fmt::format("{}: {}", what, fmt::join(violations, "; ")));
#else
    (void)what, (void)check;
#endif
  }

  /// What a step became.
  struct Made {
    const schedule::Step *step;
    kernel::Kernel kernel;
    std::shared_ptr<const kernel::OnDevice> device;
  };

  emit::Kernels makeKernels(const sema::Module &module, const std::vector<std::vector<body::Facts>> &facts,
                            const std::vector<choice::Choices> &choices,
                            const std::vector<schedule::TransformPlans> &plans,
                            const KernelRequests &requests, poly::Context &context) {
    emit::Kernels all;
    for (const auto &t : module.transforms) {
      all.emplace_back();
      devices_.emplace_back();
      std::vector<Made> made; // plans share most of their steps
      for (const auto &plan : plans[t.index].plans) {
        all.back().emplace_back();
        devices_.back().emplace_back();
        for (const auto &s : plan.steps) {
          if (s.callsTransforms) {
            all.back().back().emplace_back(std::nullopt);
            devices_.back().back().push_back(nullptr);
            continue;
          }
          const auto same = std::find_if(made.begin(), made.end(),
                                         [&](const Made &m) { return schedule::isSameStep(*m.step, s); });
          if (same != made.end()) {
            all.back().back().emplace_back(same->kernel);
            devices_.back().back().push_back(same->device);
            continue;
          }
          kernel::Kernel k = kernel::lift(t, s, facts[t.index], choices[t.index].grid, context);
          verify("lift", [&] { return kernel::verify(k); });
          const std::string name = schedule::stepName(t, s);
          const kernel::Asked asked = requests.of(t.name, name);
          const kernel::Kernel lifted = k;
          kernel::Scheduler scheduler(std::move(k));
          k = scheduler.schedule(asked);
          std::shared_ptr<const kernel::OnDevice> device;
          if (const sema::Rule *rule = schedule::libraryRule(t, s); rule && options_.forDevices)
            device = std::make_shared<kernel::OnDevice>(kernel::OnDevice{.libraryRule = rule->index});
          else if (options_.forDevices)
            device = std::make_shared<kernel::OnDevice>(kernel::onDevice(lifted, k, context));
          if (options_.listsOptions)
            addSpace(spaces_, t.index, name, kernel::spaceOf(scheduler, asked));
          verify("default schedule", [&] { return kernel::verify(k); });
          made.push_back({&s, k, device});
          all.back().back().emplace_back(std::move(k));
          devices_.back().back().push_back(std::move(device));
        }
      }
    }
    return all;
  }

  int give(const emit::Kernels &all) const {
    for (const auto &ofTransform : all)
      for (const auto &ofPlan : ofTransform)
        for (const auto &k : ofPlan)
          if (k)
            take_(*k);
    return 0;
  }

  static std::string printKernels(const sema::Module &module, const emit::Kernels &all,
                                  const emit::Fusions &fusions) {
    std::string out;
    for (const auto &t : module.transforms)
      for (std::size_t plan = 0; plan < all[t.index].size(); ++plan) {
        for (const auto &k : all[t.index][plan])
          if (k)
            out += kernel::print(*k);
        out += kernel::print(t, fusions[t.index][plan]);
      }
    return out;
  }

  static std::string joined(const std::vector<emit::Unit> &units) {
    std::string out;
    for (const auto &u : units)
      out += fmt::format("// ==== {}.cpp\n{}", u.name, u.text);
    return out;
  }

  /// Each unit for each processor; the program's own, which comes last, for the least able one.
  std::vector<std::pair<const emit::Unit *, std::string>>
  versions(const std::vector<emit::Unit> &units) const {
    std::vector<std::pair<const emit::Unit *, std::string>> all;
    for (const auto &u : units)
      for (const auto &cpu : options_.cpus)
        if (&u != &units.back())
          all.emplace_back(&u, cpu);
    all.emplace_back(&units.back(), options_.cpus.size() > 1 ? "x86-64" : options_.cpus.front());
    return all;
  }

  std::vector<build::CompileRequest> requests(const std::vector<emit::Unit> &units) {
    const body::Beginning &beginning = understood_.beginning;
    std::vector<build::CompileRequest> out;
    for (const auto &[u, cpu] : versions(units)) {
      const bool isOneOfSeveral = options_.cpus.size() > 1 && u != &units.back();
      build::CompileRequest r = commonRequest(cpu, beginning.mayThrow);
      r.headers = headersOf(r, beginning);
      r.preambles = preambles_.source();
      r.name = u->name + (isOneOfSeveral ? "." + cpu : "") + ".cpp";
      r.text = u->text;
      r.files = body::headers(beginning.library);
      r.vectorMath = options_.vectorMath;
      if (isOneOfSeveral) {
        r.onlyShared = emit::versionNamespace(cpu);
        r.extraArguments.push_back("-Dpb_program=" + r.onlyShared);
      }
      r.extraArguments.insert(r.extraArguments.end(), beginning.headerPath.begin(),
                              beginning.headerPath.end());
      if (options_.stage == Stage::Llvm)
        r.wanted = build::CompileRequest::Output::Llvm;
      if (options_.stage == Stage::Asm)
        r.wanted = build::CompileRequest::Output::Assembly;
      out.push_back(std::move(r));
    }
    return out;
  }

  /// What the configuration says of kernels.
  KernelRequests kernelRequests() {
    const auto file = options_.configuration.empty() ? std::nullopt : sources_.load(options_.configuration);
    return file ? KernelRequests(*file, sources_, diagnostics_) : KernelRequests();
  }

  std::optional<std::string> bakedConfiguration() {
    if (options_.configuration.empty())
      return "";
    std::ifstream in(options_.configuration);
    std::error_code noSuchFile;
    if (!in || std::filesystem::is_directory(options_.configuration, noSuchFile)) {
      fmt::print(stderr, "pbc: error: cannot read the configuration {}: {}\n", options_.configuration,
                 whyUnreadable(options_.configuration));
      return std::nullopt;
    }
    return std::string(std::istreambuf_iterator<char>(in), {});
  }

  bool fromCache(const source::MappedText &text) {
    if (!mayBeCached(options_, text))
      return false;
    programKey_ = programKey(options_, text);
    bool found = false;
    step("look for the finished program", [&] {
      if (const auto bytes = cache_.get(programKey_))
        found = writeExecutable(options_.output, *bytes);
    });
    return found;
  }

  /// BLAS, LAPACK and FFTW without -l: the system's libraries that define what the program uses.
  void addFoundLibraries(build::LinkRequest &request) const {
    const auto symbols = build::foreignSymbols(request.inputs);
    if (symbols.empty())
      return;
    std::vector<std::string> folders;
    for (const auto &a : options_.linkArguments)
      if (a.starts_with("-L"))
        folders.push_back(a.substr(2));
    const auto system = build::libraryFolders();
    folders.insert(folders.end(), system.begin(), system.end());
    const auto found = build::findLibraries(symbols, folders);
    request.extraArguments.insert(request.extraArguments.end(), found.begin(), found.end());
  }

  int linkProgram(std::vector<build::LinkInput> objects, const sema::Module &module) {
    // With a configuration the program is asked before it gets its name.
    const bool isAsked = !options_.configuration.empty();
    const std::string made = isAsked ? fmt::format("{}.{}.tmp", options_.output, getpid()) : options_.output;
    build::LinkRequest request;
    request.output = made;
    request.extraArguments = options_.linkArguments;
    request.inputs = std::move(objects);
    // Raw blocks stand in every unit: what they define without `static` is the same thing in each.
    if (!module.rawBlocks.empty())
      request.extraArguments.push_back("--allow-multiple-definition");
    if (understood_.beginning.library != body::Library::None || !module.rawBlocks.empty())
      addFoundLibraries(request);
    build::LinkResult linked;
    step("link", [&] { linked = build::link(request); });
    if (!linked.ok && explainUndefined(linked.messages, module, diagnostics_))
      return 1;
    if (!linked.ok) {
      fmt::print(stderr, "pbc: error: {} could not be linked\n{}", options_.output, linked.messages);
      return 1;
    }
    if (isAsked) {
      if (const auto why = refusedConfiguration(made, options_.configuration)) {
        std::remove(made.c_str());
        fmt::print(stderr, "{}", *why);
        return 1;
      }
      std::filesystem::rename(made, options_.output);
    }
    if (!programKey_.empty() && diagnostics_.all().empty()) {
      std::ifstream in(options_.output, std::ios::binary);
      cache_.put(programKey_, std::string(std::istreambuf_iterator<char>(in), {}));
    }
    return 0;
  }

  const Options &options_;
  const std::function<void(const kernel::Kernel &)> take_;
  const std::string standardFolder_ = standardFolder();
  source::SourceManager sources_;
  source::Diagnostics diagnostics_;
  build::Cache cache_;
  build::Preambles preambles_;
  build::Cache::Key programKey_;
  body::Understanding understood_; // its facts are given on
  std::string times_;
  std::string kernelOptions_; // that were asked for
  std::vector<KernelSpace> spaces_;
  emit::Devices devices_;
};

int runPipeline(const Options &options, const std::function<void(const kernel::Kernel &)> &take) {
  try {
    return Pipeline(options, take).run();
  } catch (const std::exception &e) {
    fmt::print(stderr,
               "pbc: internal error: {}\nhelp: this is a fault of pbc, not of your program; please report it "
               "with the "
               "program and this message\n",
               e.what());
    return 1;
  }
}

} // namespace

int compileProgram(const Options &options) { return runPipeline(options, nullptr); }

bool eachKernel(const std::string &file, const std::function<void(const kernel::Kernel &)> &take) {
  Options options;
  options.input = file;
  options.stage = Stage::Kernels;
  options.forDevices = false;
  return runPipeline(options, take) == 0;
}

} // namespace pbc::driver
