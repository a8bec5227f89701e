// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The two ends of a conversation with a tuner: where requests come from, and where answers go.
//
//   ServeChannel channel = ServeChannel::streams();      // by hand: standard input and output
//   ServeChannel channel = ServeChannel::over(3);        // a tuner's socket
//   while (channel.readRequest(&token, &request))
//     channel.tell(token, answer);                       // "\nTOKEN ANSWER\n"
//
// A request may begin with a token, which is what stands before its first '{'. All that is said about that request
// begins with the same token, so that the tuner can tell an answer from what a rule body has printed, and
// from the answer to an earlier request.
//
// Invariant: rule bodies find standard input empty, and what they print on standard output goes to standard error.
// The tuner's socket is moved to a descriptor that nobody can guess, which programs that a rule body starts do not
// inherit.
#pragma once
#include <string>

namespace pb::program {

class ServeChannel {
public:
  static ServeChannel streams();
  /// Throws base::UserError if the descriptor is not open.
  static ServeChannel over(int descriptor);
  ServeChannel(ServeChannel &&) noexcept;
  ServeChannel &operator=(ServeChannel &&) = delete;
  ~ServeChannel();

  /// Skips empty lines; false at the end of the input.
  bool readRequest(std::string *token, std::string *request);
  /// One line, from any thread. Throws base::UserError if nobody listens.
  void tell(const std::string &token, const std::string &line) const;

private:
  ServeChannel(int requests, int answers) : requests_(requests), answers_(answers) {}
  bool readLine(std::string *line);

  int requests_, answers_; // the same for a socket
  std::string pending_;    // bytes that were read and are no whole line yet
};

} // namespace pb::program
