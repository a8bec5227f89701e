// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The passes from plans to C++, to objects and to files.
#include "compiler/build/archive.h"
#include "compiler/build/find_libraries.h"
#include "compiler/build/link.h"
#include "compiler/driver/compile_units.h"
#include "compiler/driver/finished_program.h"
#include "compiler/driver/library_product.h"
#include "compiler/driver/passes.h"
#include "compiler/driver/problems.h"
#include "compiler/driver/refused_configuration.h"
#include "compiler/driver/undefined.h"
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <map>

namespace pbc::driver {
namespace {

std::string stemOf(const build::CompileRequest &request) {
  return std::filesystem::path(request.name).stem().string();
}

/// A line for --time-passes.
std::string timesOf(const std::string &name, const build::CompileResult &made) {
  if (made.fromCache)
    return fmt::format("  {:<26}  from the cache\n", name);
  return fmt::format("  {:<26} {:8.2f} ms  (front end {:.1f}, optimiser {:.1f}, code {:.1f})\n", name,
                     1e3 * (made.frontSeconds + made.optimiseSeconds + made.codegenSeconds),
                     1e3 * made.frontSeconds, 1e3 * made.optimiseSeconds, 1e3 * made.codegenSeconds);
}

[[noreturn]] void refuse(const UnitRequest &asked, const build::CompileResult &made) {
  if (made.failure == build::CompileFailure::UnknownProcessor)
    throw Refusal(
        fmt::format("pbc: error: there is no processor `{}`\nhelp: `native`, or a name that clang's -march "
                    "knows, such as x86-64-v3\n",
                    asked.request.cpu));
  if (made.failure == build::CompileFailure::Assembly)
    throw Refusal(
        fmt::format("pbc: error: the assembler refuses an `asm` statement of `{}`:\n{}help: instructions "
                    "must be ones that the processor of --cpu has\n",
                    asked.unit->name, made.messages));
  throw InternalError(
      fmt::format("the generated C++ of `{}` does not compile:\n{}", asked.unit->name, made.messages));
}

/// Links BLAS, LAPACK and FFTW without -l: adds the system's libraries that define what the program uses.
void addFoundLibraries(Compilation &c, build::LinkRequest &request) {
  const auto symbols = build::foreignSymbols(request.inputs);
  if (symbols.empty())
    return;
  std::vector<std::string> folders;
  for (const auto &a : c.options.linkArguments)
    if (a.starts_with("-L"))
      folders.push_back(a.substr(2));
  const auto system = build::libraryFolders();
  folders.insert(folders.end(), system.begin(), system.end());
  const auto found = build::findLibraries(symbols, folders, &c.filesRead);
  // The linker does not count weak references, as those of the standard library to BLAS are, when it leaves out libraries that are not needed.
  std::vector<std::string> &arguments = request.extraArguments;
  arguments.insert(arguments.end(), {"--push-state", "--no-as-needed"});
  arguments.insert(arguments.end(), found.begin(), found.end());
  arguments.push_back("--pop-state");
}

/// A static library cannot be opened: a shared one is made of the same objects, and not kept.
std::optional<std::string> whyLibraryRefuses(const Compilation &c, const build::LinkRequest &request,
                                             const build::LinkResult &linked) {
  if (c.options.product == Product::SharedLibrary)
    return refusedByLibrary(linked.written, c.options.configuration);
  pb::base::PendingFiles files;
  const build::LinkResult shared = build::link(request, files);
  return shared.ok ? refusedByLibrary(shared.written, c.options.configuration) : std::nullopt;
}

/// Writes intermediate files to the folder that the user has asked for, if there is one.
void addWorkFiles(Compilation &c) {
  if (c.options.objectFolder.empty())
    return;
  const std::filesystem::path folder = c.options.objectFolder;
  std::error_code ignored; // after a failure, writing the files below fails and reports it
  std::filesystem::create_directories(folder, ignored);
  for (const auto &u : c.units)
    c.written.add(folder / (u.name + ".cpp"), {u.text});
  for (const auto &object : c.objects)
    c.written.add(folder / object.name, {object.bytes});
}

/// The results by name. Units of kernels have been begun with while the others were made.
std::map<std::string, build::CompileResult> compiled(Compilation &c, const std::vector<UnitRequest> &asked) {
  std::vector<build::CompileRequest> rest;
  for (const UnitRequest &a : asked)
    if (std::find(c.begun.begin(), c.begun.end(), a.request.name) == c.begun.end()) {
      c.begun.push_back(a.request.name);
      rest.push_back(a.request);
    }
  if (!c.compiling)
    c.compiling.emplace(&c.cache, c.options.jobs - 1);
  c.compiling->add(std::move(rest));
  std::vector<build::CompileResult> results = c.compiling->finish();
  std::map<std::string, build::CompileResult> all;
  for (std::size_t k = 0; k < results.size(); ++k)
    all.emplace(c.begun[k], std::move(results[k]));
  return all;
}

} // namespace

void emitUnits(Compilation &c) {
  if (c.options.product != Product::Program)
    c.library = libraryOf(c);
  const bool compiles = c.options.stage == Stage::Program && c.options.compiles;
  // This thread makes the other units meanwhile.
  if (compiles)
    c.compiling.emplace(&c.cache, c.options.jobs - 1);
  c.units =
      emit::emit(inputOf(c), c.context, c.bakedConfiguration, [&](const std::vector<emit::Unit> &units) {
        if (!compiles)
          return;
        std::vector<build::CompileRequest> requests = kernelRequests(c, units);
        for (const build::CompileRequest &r : requests)
          c.begun.push_back(r.name);
        c.compiling->add(std::move(requests));
      });
}

void compileUnits(Compilation &c) {
  const std::vector<UnitRequest> asked = unitRequests(c);
  std::map<std::string, build::CompileResult> all = compiled(c, asked);
  for (const UnitRequest &a : asked) {
    const std::string name = stemOf(a.request);
    build::CompileResult &made = all.at(a.request.name);
    c.times += timesOf(name, made);
    if (!made.ok)
      refuse(a, made);
    c.filesRead.insert(c.filesRead.end(), made.filesRead.begin(), made.filesRead.end());
    c.readsOtherFiles |= made.readsOtherFiles;
    c.objects.push_back({name + ".o", std::move(made.output)});
  }
}

void linkProgram(Compilation &c) {
  build::LinkRequest request;
  request.output = c.options.output;
  request.extraArguments = c.options.linkArguments;
  request.inputs = c.objects;
  // Every unit contains the raw blocks; a definition without `static` must be the same object in all units.
  if (!c.module.rawBlocks.empty())
    request.extraArguments.push_back("--allow-multiple-definition");
  if (c.understood.beginning.library != body::Library::None || !c.module.rawBlocks.empty())
    addFoundLibraries(c, request);
  if (c.library)
    addLibrary(c, request);
  build::LinkResult linked = c.options.product == Product::StaticLibrary ? build::archive(request, c.written)
                                                                         : build::link(request, c.written);
  if (!linked.ok && explainUndefined(linked.messages, c.module, c.diagnostics))
    return;
  if (!linked.ok)
    throw Refusal(fmt::format("pbc: error: {} could not be linked\n{}", c.options.output, linked.messages));
  c.filesRead.insert(c.filesRead.end(), linked.filesRead.begin(), linked.filesRead.end());
  c.executable = std::move(linked.bytes);
  // With a configuration, the program is run once before it gets its name, to check whether it accepts it.
  if (!c.options.configuration.empty())
    if (const auto why = c.library ? whyLibraryRefuses(c, request, linked)
                                   : refusedConfiguration(linked.written, c.options.configuration))
      throw Refusal(*why);
}

void writeFiles(Compilation &c) {
  addWorkFiles(c);
  if (!c.options.infoFile.empty())
    c.written.add(c.options.infoFile, {emit::infoXml(inputOf(c))});
  if (c.library && c.options.links && c.options.compiles)
    addHeaders(c);
  c.written.commit();
  if (c.programKey.empty() || c.readsOtherFiles || !c.diagnostics.all().empty())
    return;
  if (const auto entry = programEntry(c.executable, c.filesRead, c.begin))
    c.cache.put(c.programKey, *entry);
}

} // namespace pbc::driver
