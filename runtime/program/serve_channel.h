// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The connection to a tuner: reads requests and writes answers.
//
//   ServeChannel channel = ServeChannel::streams();      // by hand: standard input and output
//   ServeChannel channel = ServeChannel::over(3);        // a tuner's socket
//   while (channel.readRequest(&token, &request))
//     channel.tell(token, answer);                       // "\nTOKEN ANSWER\n"
//
// A request may begin with a token: the text before its first '{'. Every line about that request begins with the same
// token, so that the tuner can distinguish an answer from the output of a rule body and from the answer to an
// earlier request.
//
// Invariant: standard input is empty for rule bodies, and their output on standard output goes to standard error.
// The tuner's socket is moved to a descriptor that cannot be guessed and that programs started by a rule body do not
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
  /// Writes one line; any thread may call it. Throws base::UserError if the other end is closed.
  void tell(const std::string &token, const std::string &line) const;

private:
  ServeChannel(int requests, int answers) : requests_(requests), answers_(answers) {}
  bool readLine(std::string *line);

  int requests_, answers_; // equal for a socket
  std::string pending_;    // bytes that were read but are not a whole line yet
};

} // namespace pb::program
