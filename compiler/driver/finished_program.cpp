// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/driver/finished_program.h"
#include "compiler/build/link.h"
#include <cstdio>
#include <fmt/format.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

namespace pbc::driver {

bool mayBeCached(const Options &options, const source::MappedText &text) {
  return text.text.find("%{") == std::string::npos && options.configuration.empty() &&
         options.infoFile.empty() && options.objectFolder.empty() && options.compiles && options.links;
}

build::Cache::Key programKey(const Options &options, const source::MappedText &text) {
  build::Cache::Hasher h;
  h.add("program")
      .add(build::compilerIdentity())
      .add(text.text)
      .add(options.input)
      .add(options.mainTransform);
  for (const auto &cpu : options.cpus)
    h.add(cpu);
  h.add(std::to_string(options.optimisation)).add(options.boundsCheck ? "b" : "-");
  h.add(options.reassociates ? "r" : "-").add(options.vectorMath ? "v" : "-");
  h.add(options.forDevices ? "d" : "-");
  for (const auto &a : options.linkArguments)
    h.add(a);
  struct stat s{};
  if (stat(build::runtimeArchive().c_str(), &s) == 0)
    h.add(fmt::format("{} {}.{}", s.st_size, s.st_mtim.tv_sec, s.st_mtim.tv_nsec));
  return h.finish();
}

bool writeExecutable(const std::string &path, const std::string &bytes) {
  const std::string temporary = fmt::format("{}.{}.tmp", path, getpid());
  {
    std::ofstream out(temporary, std::ios::binary);
    out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    if (!out.flush()) {
      std::remove(temporary.c_str());
      return false;
    }
  }
  if (chmod(temporary.c_str(), 0755) == 0 && std::rename(temporary.c_str(), path.c_str()) == 0)
    return true;
  std::remove(temporary.c_str());
  return false;
}

} // namespace pbc::driver
