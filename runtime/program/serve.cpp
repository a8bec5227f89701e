// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/serve.h"
#include "runtime/base/errors.h"
#include "runtime/program/serve_channel.h"
#include "runtime/program/serve_session.h"
#include <mutex>

namespace pb::program {

int serve(const Program &program, const Transform &transform, int threads, int descriptor) {
  ServeChannel channel = descriptor < 0 ? ServeChannel::streams() : ServeChannel::over(descriptor);
  std::mutex guard; // of the token: events come from any thread
  std::string token, next, request;
  ServeSession session(program, transform, threads, [&](const std::string &event) {
    const std::lock_guard lock(guard);
    try {
      channel.tell(token, event);
    } catch (const base::UserError &) {
      // The other end has closed: writing the answer will fail and report it.
    }
  });
  while (channel.readRequest(&next, &request)) {
    {
      const std::lock_guard lock(guard);
      token = next;
    }
    const std::string answer = session.answer(request);
    const std::lock_guard lock(guard);
    channel.tell(token, answer);
  }
  return 0;
}

} // namespace pb::program
