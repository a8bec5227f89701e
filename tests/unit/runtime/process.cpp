// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tests/unit/runtime/process.h"
#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

Folder::Folder() {
  char name[] = "/tmp/pbc-runtime-XXXXXX";
  if (!mkdtemp(name))
    throw std::runtime_error("mkdtemp");
  path_ = name;
}
Folder::~Folder() { std::filesystem::remove_all(path_); }

void Folder::write(const std::string &name, const std::string &content) const {
  std::ofstream(path(name), std::ios::binary) << content;
}

std::string Folder::read(const std::string &name) const {
  std::ifstream in(path(name), std::ios::binary);
  if (!in)
    return "<missing>";
  std::stringstream s;
  s << in.rdbuf();
  return s.str();
}

std::vector<std::string> Folder::list() const {
  std::vector<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(path_))
    names.push_back(entry.path().filename());
  std::sort(names.begin(), names.end());
  return names;
}

Ended Folder::run(const std::vector<std::string> &arguments, const std::string &input) const {
  // The files of standard streams are outside the folder, so that list() shows what the program made.
  const std::string in = path_ + ".in", out = path_ + ".out", err = path_ + ".err";
  std::ofstream(in, std::ios::binary) << input;
  const pid_t child = fork();
  if (child == 0) {
    if (chdir(path_.c_str()))
      _exit(126);
    dup2(open(in.c_str(), O_RDONLY), 0);
    dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
    dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    std::vector<char *> argv{const_cast<char *>(RUNTIME_SAMPLE)};
    for (const std::string &a : arguments)
      argv.push_back(const_cast<char *>(a.c_str()));
    argv.push_back(nullptr);
    execv(RUNTIME_SAMPLE, argv.data());
    _exit(127);
  }
  int status = 0;
  waitpid(child, &status, 0);
  auto text = [](const std::string &file) {
    std::ifstream s(file, std::ios::binary);
    std::stringstream all;
    all << s.rdbuf();
    std::filesystem::remove(file);
    return all.str();
  };
  std::filesystem::remove(in);
  Ended ended{WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status), text(out), text(err)};
  return ended;
}
