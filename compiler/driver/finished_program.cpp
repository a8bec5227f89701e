// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/finished_program.h"
#include "compiler/build/link.h"
#include "compiler/sema/module.h"
#include <cstdlib>

namespace pbc::driver {

bool mayBeCached(const Options &options, const source::MappedText &text) {
  return text.text.find("%{") == std::string::npos && options.configuration.empty() &&
         options.infoFile.empty() && options.objectFolder.empty() && options.compiles && options.links &&
         options.product == Product::Program;
}

build::Cache::Key programKey(const Options &options, const source::MappedText &text,
                             const std::vector<std::string_view> &schedules) {
  build::Cache::Hasher h;
  h.add("program 3")
      .add(build::compilerIdentity())
      .add(text.text)
      .add(options.input)
      .add(options.mainTransform)
      .add(sema::name(options.element));
  for (const std::string_view file : schedules)
    h.add(file);
  for (const auto &cpu : options.cpus)
    h.add(cpu);
  h.add(std::to_string(options.optimisation)).add(options.boundsCheck ? "b" : "-");
  h.add(options.reassociates ? "r" : "-").add(options.vectorMath ? "v" : "-");
  h.add(options.forDevices ? "d" : "-");
  for (const auto &a : options.linkArguments)
    h.add(a);
  // The folders that give the names of libraries a meaning. The contents of the libraries that were linked
  // are in the entry.
  h.add(build::runtimeArchive());
  for (const char *variable : {"LIBRARY_PATH", "LD_LIBRARY_PATH"}) {
    const char *value = std::getenv(variable);
    h.add(value ? value : "");
  }
  return h.finish();
}

std::optional<std::string> programEntry(const std::string &bytes, const std::vector<std::string> &filesRead,
                                        build::FileStates::Time begin) {
  const auto states = build::FileStates::of(filesRead, begin);
  if (!states)
    return std::nullopt;
  const std::uint64_t size = states->size();
  std::string entry(reinterpret_cast<const char *>(&size), sizeof size);
  return entry.append(*states).append(bytes);
}

std::optional<std::string_view> programOf(std::string_view entry) {
  std::uint64_t size = 0;
  if (entry.size() < sizeof size)
    return std::nullopt;
  entry.copy(reinterpret_cast<char *>(&size), sizeof size);
  entry.remove_prefix(sizeof size);
  if (entry.size() < size || !build::FileStates::areSame(entry.substr(0, size)))
    return std::nullopt;
  return entry.substr(size);
}

} // namespace pbc::driver
