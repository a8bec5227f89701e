// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/travel/fitted.h"

#include "tuner/evaluate/child_process.h"
#include "tuner/evaluate/request_token.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace pbc::tuner {
namespace {

using nlohmann::json;

Fitted readReply(const json &reply, const std::string &where) {
  if (!reply.value("ok", false))
    throw TunerError(
        fmt::format("the program cannot say what fits of {}: {}\n  help: compile it again with this pbc",
                    where, reply.value("error", "no answer")));
  if (const auto errors = reply.at("errors").get<std::vector<std::string>>(); !errors.empty())
    throw TunerError(fmt::format("{}", fmt::join(errors, "\n")));
  Fitted fitted{reply.at("config").get<std::string>(), reply.value("threads", 0), {}};
  if (fitted.threads > 0)
    fitted.toml = fmt::format("threads = {}\n", fitted.threads) + fitted.toml;
  for (const json &entry : reply.at("entries"))
    fitted.entries.push_back({entry.at("transform"), entry.at("key"), entry.at("line"), entry.at("column"),
                              entry.at("state"), entry.at("problems"), entry.at("instead")});
  return fitted;
}

} // namespace

Fitted fitConfiguration(const std::string &program, const std::string &text, const std::string &where) {
  constexpr double kPatience = 20; // seconds
  ChildProcess child({program, "--serve", "--noconfig", fmt::format("--channel={}", kChannel)}, {},
                     Talk::OverChannel);
  const RequestToken token(1);
  const json request{{"op", "fit"}, {"config", text}, {"where", where}};
  const double end = steadySeconds() + kPatience;
  std::string line;
  std::optional<std::string> reply;
  if (child.writeLine(token.before(request.dump(-1, ' ', false, json::error_handler_t::replace)), kPatience))
    while (!reply && child.readLine(end - steadySeconds(), &line) == ChildProcess::Read::Line)
      reply = token.read(line);
  if (!reply) {
    child.waitForEnd(1);
    throw TunerError(fmt::format("{}: does not answer --serve: it {}", program, child.describeEnd()));
  }
  try {
    return readReply(json::parse(*reply), where);
  } catch (const json::exception &problem) {
    throw TunerError(fmt::format("{}: gives an invalid answer to --serve: {}", program, problem.what()));
  }
}

} // namespace pbc::tuner
