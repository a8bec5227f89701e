// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/command/command.h"

#include "compiler/model/problem.h"
#include "runtime/base/closest.h"
#include "runtime/base/parse_status.h"
#include "tuner/space/program_space.h"
#include "tuner/write_file.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <regex>

namespace pbc::model {
namespace {

namespace fs = std::filesystem;

/// In the order of --help.
const std::vector<AddSubcommand> kSubcommands = {addAreaCommand,   addChainCommand,   addCodesignCommand,
                                                 addEnergyCommand, addMeasureCommand, addMovementCommand,
                                                 addTimeCommand};

void show(const Answer &answer, const Common &common) {
  const std::string text = common.json ? asJson(answer) : asText(answer);
  if (!common.plot.empty())
    tuner::writeAtomically(common.plot, asSvg(answer));
  fmt::print("{}", text);
}

/// Checks numbers as people write them: `016` is not octal, and `1,,2` is incomplete. An option without its
/// value would take the next word.
void checkWords(int argc, char **argv) {
  static const std::regex kNumbers("(--[a-z0-9-]+=)?([-+.,0-9]*)"), kEmpty("--[a-z0-9-]+=");
  for (int k = 1; k < argc; ++k) {
    std::cmatch parts;
    if (std::regex_match(argv[k], kEmpty))
      throw Problem(fmt::format("`{}` has nothing behind it", argv[k]), "give the value, or leave it away");
    if (!std::regex_match(argv[k], parts, kNumbers))
      continue;
    const std::string numbers = parts[2];
    if (std::regex_search(numbers, std::regex("(^|,)[-+]?0[0-9]")))
      throw Problem(fmt::format("`{}` begins with a 0", argv[k]), "write the number without it");
    if (std::regex_search(numbers, std::regex("(^|,)[-+]?[0-9]{19,}")))
      throw Problem(fmt::format("`{}` is more than 64 bits can count", argv[k]));
    if (std::regex_search(numbers, std::regex("^,|,,|,$")))
      throw Problem(fmt::format("`{}` has a comma without a number", argv[k]), "a list is 4096,4096");
  }
}

void checkSubcommand(const CLI::App &app, int argc, char **argv) {
  if (argc < 2 || argv[1][0] == '-')
    return;
  std::vector<std::string> known;
  for (const CLI::App *subcommand : app.get_subcommands({}))
    known.push_back(subcommand->get_name());
  const std::string name = argv[1];
  if (std::ranges::find(known, name) == known.end())
    throw Problem(fmt::format("there is no model '{}'{}", name, pb::base::didYouMean(name, known)),
                  "there are " + pb::base::listed(known));
}

int problem(const std::string &kind, const std::string &what, const std::string &help) {
  fmt::print(stderr, "pbc model: {}: {}\n{}", kind, pb::base::visible(what),
             help.empty() ? "" : fmt::format("  help: {}\n", pb::base::visible(help)));
  return 1;
}

} // namespace

int modelCommand(int argc, char **argv, const EachKernel &eachKernel) {
  Common common;
  common.eachKernel = eachKernel;
  Question question;
  CLI::App app("Answers from models, without running anything: the time of tiled stencils, energy, the area "
               "of a chip, and what moves between memories. Each answer says which term dominates.",
               "pbc model");
  app.require_subcommand(1);
  for (const AddSubcommand add : kSubcommands)
    add(app, common, question);
  for (CLI::App *subcommand : app.get_subcommands({})) {
    subcommand->add_flag("--json", common.json, "the answer as data");
    subcommand->add_option("--plot", common.plot, "writes the answer's curve to this file, as SVG")
        ->check([](const std::string &path) {
          const std::string suffix = fs::path(path).extension();
          return suffix.empty() || suffix == ".svg"
                     ? ""
                     : fmt::format("a plot is SVG: name it {}",
                                   fs::path(path).replace_extension(".svg").string());
        });
    subcommand->add_flag("--printed", common.printed,
                         "the formulas as the source prints them, errors included (docs/models.md)");
  }
  try {
    checkWords(argc, argv);
    checkSubcommand(app, argc, argv);
    app.parse(argc, argv);
    show(question(), common);
    return 0;
  } catch (const CLI::ParseError &wrong) {
    return pb::base::parseStatus(app, wrong);
  } catch (const AlreadySaid &) {
    return 1;
  } catch (const Problem &wrong) {
    return problem("error", wrong.what(), wrong.help());
  } catch (const tuner::TunerError &wrong) {
    return problem("error", wrong.what(), {});
  } catch (const std::exception &wrong) {
    return problem("internal error", wrong.what(),
                   "this is a fault of pbc; please report it with the command");
  }
}

} // namespace pbc::model
