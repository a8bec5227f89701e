// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/build/link.h"

#include "compiler/build/driver_arguments.h"

#include <lld/Common/Driver.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace pbc::build {
namespace {

/// An unnamed file in memory, which lld can open by path.
class MemoryFile {
public:
  explicit MemoryFile(const std::string &bytes) : descriptor_(memfd_create("pbc", MFD_CLOEXEC)) {
    for (std::size_t done = 0; descriptor_ >= 0 && done < bytes.size();) {
      const ssize_t n = write(descriptor_, bytes.data() + done, bytes.size() - done);
      if (n <= 0) {
        close(descriptor_);
        descriptor_ = -1;
      } else {
        done += static_cast<std::size_t>(n);
      }
    }
  }
  MemoryFile(MemoryFile &&other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  MemoryFile &operator=(MemoryFile &&) = delete;
  ~MemoryFile() {
    if (descriptor_ >= 0)
      close(descriptor_);
  }
  bool ok() const { return descriptor_ >= 0; }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

private:
  int descriptor_;
};

/// A name in the target's folder that takes the target's name at the end, or disappears.
class PendingFile {
public:
  explicit PendingFile(const std::filesystem::path &target) : target_(target) {
    std::string name = (target.parent_path() / ("." + target.filename().string() + ".XXXXXX")).string();
    const int descriptor = mkstemp(name.data());
    if (descriptor < 0) {
      problem_ = std::strerror(errno);
      return;
    }
    close(descriptor);
    path_ = name;
  }
  PendingFile(const PendingFile &) = delete;
  PendingFile &operator=(const PendingFile &) = delete;
  ~PendingFile() {
    if (!path_.empty())
      unlink(path_.c_str());
  }
  const std::string &path() const { return path_; }
  const std::string &problem() const { return problem_; }
  bool commit() {
    if (std::rename(path_.c_str(), target_.c_str()) != 0) {
      problem_ = std::strerror(errno);
      return false;
    }
    path_.clear();
    return true;
  }

private:
  std::filesystem::path target_;
  std::string path_, problem_;
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

/// The driver's line with the inputs, the runtime and the output in their places.
std::vector<std::string> linkLine(const LinkRequest &request, const std::vector<std::string> &inputs,
                                  const std::string &output, std::string &messages) {
  std::vector<std::string> line{"ld.lld"};
  const auto add = [&](const std::vector<std::string> &more) {
    line.insert(line.end(), more.begin(), more.end());
  };
  for (const std::string &argument :
       driverLinkArguments(request.kind == LinkRequest::Kind::SharedLibrary, messages)) {
    if (argument == kOutputMark) {
      line.push_back(output);
    } else if (argument == kInputMark) {
      add({"--threads=1", "--gc-sections", "--as-needed", "--no-undefined"});
      add(splitWords(PBC_SANITIZER_LIBRARIES)); // before all others, as they ask
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

LinkResult link(const LinkRequest &request) {
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
  std::vector<std::pair<std::string, std::string>> names; // as lld sees it, as the caller called it
  for (const LinkInput &input : request.inputs) {
    if (input.bytes.empty()) {
      paths.push_back(input.name);
      continue;
    }
    if (!memory.emplace_back(input.bytes).ok())
      return failed("error: no memory for " + input.name);
    paths.push_back(memory.back().path());
    names.emplace_back(paths.back(), input.name);
  }

  PendingFile pending(request.output);
  if (!pending.problem().empty())
    return failed("error: cannot write " + request.output + ": " + pending.problem());
  const std::vector<std::string> line = linkLine(request, paths, pending.path(), result.messages);
  if (line.size() < 2)
    return result;
  std::vector<const char *> arguments;
  for (const std::string &argument : line)
    arguments.push_back(argument.c_str());

  std::string said;
  bool linked = false;
  {
    static std::mutex oneAtATime;
    static bool broken = false; // lld gave up in the middle once and cannot run again
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
  replaceAll(said, pending.path(), request.output);
  replaceAll(said, "ld.lld: ", "");
  result.messages += said;
  if (!linked)
    return result;
  if (!pending.commit())
    return failed("error: cannot write " + request.output + ": " + pending.problem());
  result.ok = true;
  result.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return result;
}

} // namespace pbc::build
