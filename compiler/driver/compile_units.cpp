// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/compile_units.h"
#include "compiler/body/abi_headers.h"
#include "compiler/body/prelude.h"

namespace pbc::driver {
namespace {

/// Each unit for each processor; the program's own unit comes last, for the least capable processor.
std::vector<std::pair<const emit::Unit *, std::string>> versions(const Compilation &c) {
  const std::vector<std::string> &cpus = c.options.cpus;
  std::vector<std::pair<const emit::Unit *, std::string>> all;
  for (const auto &u : c.units)
    for (const auto &cpu : cpus)
      if (&u != &c.units.back())
        all.emplace_back(&u, cpu);
  all.emplace_back(&c.units.back(), cpus.size() > 1 ? "x86-64" : cpus.front());
  return all;
}

/// Without exceptions, no code for unwinding is generated, which saves a seventh of the compile time. Only
/// raw blocks and bodies that use exceptions need it.
bool usesExceptions(const sema::Module &module) {
  if (!module.rawBlocks.empty())
    return true;
  for (const auto &t : module.transforms)
    for (const auto &r : t.rules)
      if (r.body->text.text.find("throw") != std::string::npos ||
          r.body->text.text.find("try") != std::string::npos)
        return true;
  return false;
}

} // namespace

std::vector<UnitRequest> unitRequests(const Compilation &c) {
  const std::string prelude = body::prelude(c.understood.library);
  const bool mayThrow = c.understood.library == body::Library::All || usesExceptions(c.module);
  std::vector<UnitRequest> out;
  for (const auto &[u, cpu] : versions(c)) {
    const bool isOneOfSeveral = c.options.cpus.size() > 1 && u != &c.units.back();
    build::CompileRequest r;
    r.name = u->name + (isOneOfSeveral ? "." + cpu : "") + ".cpp";
    r.text = u->text;
    r.files = body::abiHeaders();
    r.files.emplace_back("pb/prelude.h", prelude);
    r.optimisation = c.options.optimisation;
    r.cpu = cpu;
    r.boundsCheck = c.options.boundsCheck;
    r.vectorMath = c.options.vectorMath;
    r.extraArguments = {"-w"};
    if (isOneOfSeveral) {
      r.onlyShared = emit::versionNamespace(cpu);
      r.extraArguments.push_back("-Dpb_program=" + r.onlyShared);
    }
    if (!mayThrow)
      r.extraArguments.push_back("-fno-exceptions");
    r.extraArguments.insert(r.extraArguments.end(), c.understood.headerPath.begin(),
                            c.understood.headerPath.end());
    if (c.options.stage == Stage::Llvm)
      r.wanted = build::CompileRequest::Output::Llvm;
    if (c.options.stage == Stage::Asm)
      r.wanted = build::CompileRequest::Output::Assembly;
    out.push_back({u, std::move(r)});
  }
  return out;
}

} // namespace pbc::driver
