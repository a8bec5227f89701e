// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// pbc model: the cost models on the command line.
//
//   pbc model time --machine=gtx980 --stencil=Jacobi2D --size=4096,4096 --steps=1024 --tile=8,64,16
//   pbc model chain 936 1008 552 368 1016 616 544 --memory=65536 --json
//
// Each subcommand is a file of its own, which adds its options and turns them into an Answer. Invariant: a
// wrong question ends with one message on stderr and status 1; nothing is printed before the whole answer is
// complete.
#pragma once
#include "compiler/model/answer.h"
#include "compiler/model/mode.h"

#include <functional>

namespace CLI {
class App;
}
namespace pbc::kernel {
struct Kernel;
}

namespace pbc::model {

/// Thrown if the error has already been printed: by the compiler, about a program.
struct AlreadySaid {};

/// Compiles a program as far as its kernels and calls `take` with each. False: the program has errors, which
/// were printed. The driver passes this function in, because the models do not depend on the driver.
using EachKernel =
    std::function<bool(const std::string &file, const std::function<void(const kernel::Kernel &)> &take)>;

int modelCommand(int argc, char **argv, const EachKernel &);

/// The options of every subcommand: --json, --plot=FILE.svg, --printed.
struct Common {
  EachKernel eachKernel;
  bool json = false;
  std::string plot;
  bool printed = false;
  Mode mode() const { return printed ? Mode::Printed : Mode::Corrected; }
};

/// The function that answers, called once all options are read.
using Question = std::function<Answer()>;

/// Adds a subcommand to `parent`; if the user names it, it sets `question`.
using AddSubcommand = void (*)(CLI::App &parent, const Common &, Question &question);

void addAreaCommand(CLI::App &, const Common &, Question &);
void addChainCommand(CLI::App &, const Common &, Question &);
void addCodesignCommand(CLI::App &, const Common &, Question &);
void addEnergyCommand(CLI::App &, const Common &, Question &);
void addMeasureCommand(CLI::App &, const Common &, Question &);
void addMovementCommand(CLI::App &, const Common &, Question &);
void addTimeCommand(CLI::App &, const Common &, Question &);

} // namespace pbc::model
