#include "runtime/program/serve.h"
#include "runtime/base/errors.h"
#include "runtime/program/serve_session.h"
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <unistd.h>

namespace pb::program {

int serve(const Program &program, const Transform &transform, int threads) {
  // Answers keep the real standard output for themselves; printf in a rule body lands on standard error.
  std::fflush(stdout);
  const int answers = dup(1);
  if (answers < 0 || dup2(2, 1) < 0)
    throw base::UserError(std::string("cannot serve: ") + std::strerror(errno));
  ServeSession session(program, transform, threads);
  std::string request;
  while (std::getline(std::cin, request)) {
    if (request.find_first_not_of(" \t\r") == request.npos)
      continue;
    const std::string reply = session.answer(request) + "\n";
    for (size_t done = 0; done < reply.size();) {
      const long n = ::write(answers, reply.data() + done, reply.size() - done);
      if (n < 0 && errno != EINTR)
        throw base::UserError(std::string("cannot answer: ") + std::strerror(errno));
      if (n > 0)
        done += static_cast<size_t>(n);
    }
  }
  close(answers);
  return 0;
}

} // namespace pb::program
