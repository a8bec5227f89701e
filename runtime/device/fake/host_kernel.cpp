// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/device/fake/host_kernel.h"

#include "runtime/device/dialect.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <spawn.h>
#include <sstream>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace fs = std::filesystem;

namespace pb::device {
namespace {

/// A folder that is deleted with its contents.
class WorkFolder {
public:
  WorkFolder() {
    std::error_code none;
    std::string name = (fs::temp_directory_path(none) / "pbc-kernel-XXXXXX").string();
    if (none || !mkdtemp(name.data()))
      throw DeviceError(Failure::Build,
                        "no folder for temporary files: " + std::string(std::strerror(errno)));
    path_ = name;
  }
  WorkFolder(const WorkFolder &) = delete;
  WorkFolder &operator=(const WorkFolder &) = delete;
  ~WorkFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  std::string operator/(const char *name) const { return path_ / name; }

private:
  fs::path path_;
};

std::string contentsOf(const std::string &path) {
  std::ostringstream all;
  all << std::ifstream(path, std::ios::binary).rdbuf();
  return std::move(all).str();
}

/// Runs a command with both outputs in a file; returns its status, or -1 if it cannot be run.
int runCommand(const std::vector<std::string> &words, const std::string &output) {
  std::vector<char *> arguments;
  for (const std::string &word : words)
    arguments.push_back(const_cast<char *>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 1, output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  posix_spawn_file_actions_adddup2(&actions, 1, 2);
  pid_t child = 0;
  const int problem = posix_spawnp(&child, arguments[0], &actions, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0)
    return -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0)
    if (errno != EINTR)
      return -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

} // namespace

// Compiling takes longer than running. The program that opens the library has the C++ library.
const char *const kHostOptions = "-x c++ -std=c++20 -O1 -fno-math-errno -fPIC -shared -fno-gnu-unique -w "
                                 "-fno-exceptions -fno-rtti -fno-asynchronous-unwind-tables -nostdlib "
                                 "-fno-use-linker-plugin";

std::string hostCompiler() {
  const char *named = std::getenv("PB_FAKE_COMPILER");
  return named && *named ? named : "c++";
}

std::string hostKernelText(const KernelSource &source, bool hasDouble) {
  const auto names = [&](const char *macro) { return source.text.find(macro) != std::string::npos; };
  const bool barriers = names("PB_BARRIER") || names("PB_VOTE");
  // These may be bounds of arrays.
  const bool dependsOnGroup =
      barriers || names("PB_G0") || names("PB_G1") || names("PB_G2") || names("PB_LOCAL");
  KernelSource whole = source;
  if (!hasDouble)
    whole.text = "#define double this_device_has_no_doubles\n#line 1\n" + source.text + "\n#undef double\n";
  whole.text += kHostEpilogue;
  if (!dependsOnGroup)
    std::fill_n(whole.group, 3, 1);
  return "#define PB_HAS_BARRIER " + std::to_string(barriers ? 1 : 0) + "\n#define PB_ANY_GROUP " +
         std::to_string(dependsOnGroup ? 0 : 1) + "\n#define PB_ENTRY " + source.entry + "\n" +
         kernelText(kHostPrelude, whole);
}

std::string compileHostKernel(const std::string &text, const std::string &compiler) {
  const WorkFolder folder;
  const std::string source = folder / "kernel.cpp", library = folder / "kernel.so",
                    messages = folder / "messages";
  std::ofstream(source) << text;
  // The options that stand beside the compiler's name come last, so that they hold: -O0, say.
  const std::string name = compiler.substr(0, compiler.find(' ')), own = compiler.substr(name.size());
  std::vector<std::string> words;
  std::istringstream line(name + " " + kHostOptions + own);
  for (std::string word; line >> word;)
    if ((word != "-fno-gnu-unique" && word != "-fno-use-linker-plugin") ||
        compiler.find("clang") == std::string::npos) // g++ only
      words.push_back(word);
  words.insert(words.end(), {"-o", library, source});
  const int status = runCommand(words, messages);
  if (status == -1)
    throw DeviceError(Failure::Build, "cannot run the compiler '" + words[0] +
                                          "' for kernels; PB_FAKE_COMPILER names another one");
  if (status != 0)
    throw DeviceError(Failure::Build,
                      "the kernel does not compile for the fake device:\n" + contentsOf(messages));
  return contentsOf(library);
}

// The file has no name except its descriptor's, and the descriptor stays open as long as the library, because
// the dynamic linker identifies a library by its name.
HostLibrary::HostLibrary(const std::string &binary) : file_(memfd_create("pbc-kernel", MFD_CLOEXEC)) {
  const auto failed = [this](const std::string &why) {
    if (library_)
      dlclose(library_);
    if (file_ >= 0)
      close(file_);
    return DeviceError(Failure::Build, "the compiled kernel cannot be loaded: " + why);
  };
  for (std::size_t done = 0; done < binary.size();) {
    const ssize_t n = write(file_, binary.data() + done, binary.size() - done);
    if (n <= 0)
      throw failed(std::strerror(errno));
    done += static_cast<std::size_t>(n);
  }
  library_ = dlopen(("/proc/self/fd/" + std::to_string(file_)).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!library_)
    throw failed(dlerror());
  const auto kinds = reinterpret_cast<const char *(*)()>(dlsym(library_, "pb_kinds"));
  const auto measure = reinterpret_cast<unsigned long (*)()>(dlsym(library_, "pb_measure"));
  runGroup_ = reinterpret_cast<decltype(runGroup_)>(dlsym(library_, "pb_run_group"));
  if (!kinds || !measure || !runGroup_)
    throw failed("it is not a kernel");
  kinds_ = kinds();
  localBytes_ = measure();
}

HostLibrary::~HostLibrary() {
  dlclose(library_);
  close(file_);
}

} // namespace pb::device
