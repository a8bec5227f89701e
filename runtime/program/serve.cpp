// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/serve.h"
#include "runtime/base/errors.h"
#include "runtime/program/serve_session.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <unistd.h>

namespace pb::program {
namespace {

/// Writes a line in one call, so that lines of two threads do not mix (they are shorter than PIPE_BUF where
/// that matters).
void writeLine(int file, const std::string &line) {
  const std::string text = line + "\n";
  for (size_t done = 0; done < text.size();) {
    const long n = ::write(file, text.data() + done, text.size() - done);
    if (n < 0 && errno != EINTR)
      throw base::UserError(std::string("cannot answer: ") + std::strerror(errno));
    if (n > 0)
      done += static_cast<size_t>(n);
  }
}

} // namespace

int serve(const Program &program, const Transform &transform, int threads) {
  // Only answers use the real standard output; what a rule body prints with printf goes to standard error.
  std::fflush(stdout);
  const int answers = dup(1);
  if (answers < 0 || dup2(2, 1) < 0)
    throw base::UserError(std::string("cannot serve: ") + std::strerror(errno));
  ServeSession session(program, transform, threads, [answers](const std::string &event) {
    try {
      writeLine(answers, event);
      // the other end has closed: writing the answer will fail and report it
    } catch (const base::UserError &) {
    }
  });
  std::string request;
  while (std::getline(std::cin, request))
    if (request.find_first_not_of(" \t\r") != request.npos)
      writeLine(answers, session.answer(request));
  close(answers);
  return 0;
}

} // namespace pb::program
