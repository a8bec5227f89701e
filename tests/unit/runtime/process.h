// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs the sample program as a user would, in a folder of its own.
//
//   Folder f;
//   f.write("a.txt", "SIZE 1\n5\n");
//   Ended e = f.run({"--transform=Sum", "a.txt", "2", "-"});   // e.status, e.out, e.err
#pragma once
#include <string>
#include <vector>

struct Ended {
  int status; // exit status, or -signal
  std::string out, err;
};

class Folder {
public:
  Folder();
  ~Folder();
  std::string path(const std::string &name) const { return path_ + "/" + name; }
  void write(const std::string &name, const std::string &content) const;
  std::string read(const std::string &name) const; // "<missing>" if there is no such file
  std::vector<std::string> list() const;
  Ended run(const std::vector<std::string> &arguments, const std::string &input = "") const;

private:
  std::string path_;
};
