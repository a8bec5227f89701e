// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/link.h"

#include "compiler/build/driver_arguments.h"
#include "compiler/build/link_inputs.h"
#include "compiler/build/system_packages.h"

#include <lld/Common/Driver.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace pbc::build {
namespace {

/// An unnamed file in memory, which lld can open by path.
class MemoryFile {
public:
  explicit MemoryFile(const std::string &bytes = "") : descriptor_(memfd_create("pbc", MFD_CLOEXEC)) {
    why_ = descriptor_ < 0 ? errno : 0;
    for (std::size_t done = 0; descriptor_ >= 0 && done < bytes.size();) {
      const ssize_t n = write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (n <= 0) {
        why_ = n < 0 ? errno : ENOSPC;
        close(std::exchange(descriptor_, -1));
      } else {
        done += static_cast<std::size_t>(n);
      }
    }
  }
  MemoryFile(MemoryFile &&other) noexcept
      : descriptor_(std::exchange(other.descriptor_, -1)), why_(other.why_) {}
  MemoryFile &operator=(MemoryFile &&) = delete;
  ~MemoryFile() {
    if (descriptor_ >= 0)
      close(descriptor_);
  }
  bool ok() const { return descriptor_ >= 0; }
  /// If it is not ok. Files in memory count for the limit on the size of files.
  std::string why() const {
    return std::strerror(why_) + std::string(why_ == EFBIG ? " (the limit of `ulimit -f`)" : "");
  }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }
  std::string text() const {
    std::string all;
    char part[1 << 14];
    for (ssize_t n; (n = pread(descriptor_, part, sizeof part, static_cast<off_t>(all.size()))) > 0;)
      all.append(part, static_cast<std::size_t>(n));
    return all;
  }

private:
  int descriptor_;
  int why_ = 0;
};

/// Receives lld's output in memory: lld writes files by mapping them, and a full disk would end the process.
/// lld opens path() like any other file.
class PipeToMemory {
public:
  PipeToMemory() {
    if (pipe2(ends_, O_CLOEXEC) != 0)
      return;
    (void)fcntl(ends_[0], F_SETPIPE_SZ, 1 << 20);
    reader_ = std::jthread([this] {
      for (std::size_t used = 0;;) {
        bytes_.resize(std::max(bytes_.size(), used + (1 << 20)));
        const ssize_t n = read(ends_[0], bytes_.data() + used, bytes_.size() - used);
        if (n < 0 && errno == EINTR)
          continue;
        used += static_cast<std::size_t>(std::max<ssize_t>(n, 0));
        if (n > 0)
          continue;
        bytes_.resize(used);
        return;
      }
    });
  }
  PipeToMemory(const PipeToMemory &) = delete;
  PipeToMemory &operator=(const PipeToMemory &) = delete;
  ~PipeToMemory() {
    take();
    if (ends_[0] >= 0)
      close(ends_[0]);
  }
  bool ok() const { return ends_[0] >= 0; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(ends_[1]); }
  /// The whole output, once nothing writes to it any more.
  std::string take() {
    if (ends_[1] >= 0)
      close(std::exchange(ends_[1], -1));
    if (reader_.joinable())
      reader_.join();
    return std::move(bytes_);
  }

private:
  int ends_[2] = {-1, -1};
  std::string bytes_;
  std::jthread reader_;
};

void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size())
    text.replace(at, from.size(), to);
}

std::vector<std::string> splitWords(const char *text) {
  std::vector<std::string> words;
  for (const char *p = text; *p;) {
    const std::size_t length = std::strcspn(p, " ");
    if (length)
      words.emplace_back(p, length);
    p += length + (p[length] == ' ');
  }
  return words;
}

/// Reads the names in a file of dependencies in make's format: "out: \\\n  a.o \\\n  b.so\n", followed by a
/// line for each.
std::vector<std::string> dependencies(const std::string &text) {
  std::vector<std::string> names;
  std::size_t at = text.find(": ");
  at = at == std::string::npos ? text.size() : at + 2;
  std::string name;
  for (; at < text.size(); ++at) {
    const char c = text[at], next = at + 1 < text.size() ? text[at + 1] : '\0';
    const bool isContinued = c == '\\' && next == '\n';
    const bool isEscaped = (c == '\\' && (next == ' ' || next == '#')) || (c == '$' && next == '$');
    if (isEscaped) {
      name += next, ++at;
      continue;
    }
    if (c != ' ' && c != '\n' && !isContinued) {
      name += c;
      continue;
    }
    if (!name.empty())
      names.push_back(std::exchange(name, ""));
    if (c == '\n')
      return names;
    at += isContinued;
  }
  if (!name.empty())
    names.push_back(name);
  return names;
}

/// The places in which `-lNAME` was searched before it was found: a library that appears there later changes
/// the program.
std::vector<std::string> placesBefore(const std::vector<std::string> &line) {
  std::vector<std::string> folders, places;
  for (const std::string &argument : line)
    if (argument.starts_with("-L") && argument.size() > 2)
      folders.push_back(argument.substr(2));
  for (const std::string &argument : line) {
    if (!argument.starts_with("-l") || argument.starts_with("-l:"))
      continue;
    bool isFound = false;
    for (const std::string &folder : folders)
      for (const char *suffix : {".so", ".a"}) {
        const std::string place = folder + "/lib" + argument.substr(2) + suffix;
        std::error_code ignored;
        if (!isFound && !(isFound = std::filesystem::exists(place, ignored)))
          places.push_back(place);
      }
  }
  return places;
}

/// The driver's command line with the inputs, the runtime and the output inserted.
std::vector<std::string> linkLine(const LinkRequest &request, const std::vector<std::string> &inputs,
                                  const std::string &output, const std::string &trace,
                                  std::string &messages) {
  std::vector<std::string> line{"ld.lld"};
  const auto add = [&](const std::vector<std::string> &more) {
    line.insert(line.end(), more.begin(), more.end());
  };
  for (const std::string &argument :
       driverLinkArguments(request.kind == LinkRequest::Kind::SharedLibrary, messages)) {
    if (argument == kOutputMark) {
      line.push_back(output);
    } else if (argument == kInputMark) {
      add({"--threads=1", "--gc-sections", "--as-needed", "--no-undefined", "--no-mmap-output-file",
           "--dependency-file=" + trace});
      add(splitWords(PBC_SANITIZER_LIBRARIES)); // must come before all others
      add(inputs);
      add(request.extraArguments);
      if (request.runtime) {
        line.push_back(runtimeArchive());
        add(splitWords(PBC_RUNTIME_LIBRARIES));
      }
    } else {
      line.push_back(argument);
    }
  }
  return line;
}

} // namespace

std::string runtimeArchive() {
  if (const char *named = std::getenv("PBC_RUNTIME"); named && *named)
    return named;
  std::error_code ignored;
  const auto self = std::filesystem::read_symlink("/proc/self/exe", ignored);
  return (self.parent_path().parent_path() / "lib" / "libpbruntime.a").string();
}

LinkResult link(const LinkRequest &request, pb::base::PendingFiles &files) {
  const auto begin = std::chrono::steady_clock::now();
  LinkResult result;
  const auto failed = [&](std::string why) {
    result.messages += std::move(why) + "\n";
    return result;
  };
  if (request.runtime && !std::filesystem::exists(runtimeArchive()))
    return failed("error: the runtime library " + runtimeArchive() +
                  " is missing; set PBC_RUNTIME to the path of libpbruntime.a");

  std::vector<MemoryFile> memory;
  std::vector<std::string> paths;
  std::vector<std::pair<std::string, std::string>> names; // lld's name, and the caller's name
  for (const LinkInput &input : request.inputs) {
    if (input.bytes.empty()) {
      paths.push_back(input.name);
      continue;
    }
    if (!memory.emplace_back(input.bytes).ok())
      return failed("error: no file in memory for " + input.name + ": " + memory.back().why());
    paths.push_back(memory.back().path());
    names.emplace_back(paths.back(), input.name);
  }

  const MemoryFile trace, versions(request.versionScript);
  PipeToMemory output;
  if (!trace.ok())
    return failed("error: no file in memory for the linker's list of files: " + trace.why());
  if (!versions.ok())
    return failed("error: no file in memory for the linker's list of symbols: " + versions.why());
  if (!output.ok())
    return failed("error: no pipe for the linked program: " + std::string(std::strerror(errno)));
  std::vector<std::string> line = linkLine(request, paths, output.path(), trace.path(), result.messages);
  if (line.size() < 2)
    return result;
  if (!request.versionScript.empty())
    line.push_back("--version-script=" + versions.path());
  if (const auto why = expandWordFiles(line))
    return failed("error: " + *why);
  if (const auto why = unreadableInput(line, output.path()))
    return failed("error: " + *why);
  std::vector<const char *> arguments;
  for (const std::string &argument : line)
    arguments.push_back(argument.c_str());

  std::string said;
  bool linked = false;
  {
    static std::mutex oneAtATime;
    static bool broken = false; // lld has crashed once and cannot run again
    std::lock_guard lock(oneAtATime);
    if (broken)
      return failed("error: the linker failed earlier in this process and cannot run again");
    llvm::raw_string_ostream stream(said);
    const lld::Result status = lld::lldMain(arguments, stream, stream, {{lld::Gnu, &lld::elf::link}});
    broken = !status.canRunAgain;
    linked = status.retCode == 0;
  }
  for (auto name = names.rbegin(); name != names.rend(); ++name)
    replaceAll(said, name->first, name->second);
  replaceAll(said, output.path(), request.output);
  replaceAll(said, "ld.lld: ", "");
  result.messages += said;
  if (!linked) {
    for (const std::string &package : missingPackages(line))
      result.messages += "help: install the package " + package + ", which every program is linked with\n";
    return result;
  }
  result.bytes = output.take();
  try {
    result.written = files.add(request.output, {result.bytes}, pb::base::PendingFiles::Kind::Program);
  } catch (const pb::base::CannotWrite &problem) {
    return failed("error: cannot write " + request.output + ": " + problem.why);
  }
  for (std::string &file : dependencies(trace.text()))
    if (!file.starts_with("/proc/self/fd/"))
      result.filesRead.push_back(std::move(file));
  const std::vector<std::string> missing = placesBefore(line);
  result.filesRead.insert(result.filesRead.end(), missing.begin(), missing.end());
  result.ok = true;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

LinkResult link(const LinkRequest &request) {
  pb::base::PendingFiles files;
  LinkResult result = link(request, files);
  try {
    if (result.ok)
      files.commit();
  } catch (const pb::base::CannotWrite &problem) {
    result.ok = false;
    result.messages += "error: cannot write " + request.output + ": " + problem.why + "\n";
  }
  return result;
}

} // namespace pbc::build
