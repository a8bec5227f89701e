// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/matrix/element.h"
#include "runtime/program/command.h"

namespace pb::program {
namespace {

std::string row(const std::string &left, const std::string &right) {
  std::string line = "  " + left;
  if (line.size() < 22)
    line.resize(22, ' ');
  return line + " " + right + "\n";
}

} // namespace

std::string usage(const Transform &t) {
  std::string line = std::string("usage: ") + base::programName() + " [options]";
  for (int i = 0; i < t.paramCount; ++i)
    line += std::string(" ") + t.paramNames[i];
  for (int i = 0; i < t.matrixCount; ++i)
    line += std::string(" ") + t.matrices[i].name;
  return line + "\n";
}

std::string help(const Program &program, const Transform &t) {
  std::string text = usage(t);
  text += std::string("       ") + base::programName() +
          " [options] --n=N    (random inputs; add the outputs to keep them)\n\n";
  text += std::string("Runs the transform ") + t.name + ". In this order:\n";
  for (int i = 0; i < t.paramCount; ++i)
    text += row(t.paramNames[i], "a whole number");
  for (int i = 0; i < t.matrixCount; ++i) {
    const MatrixInfo &m = t.matrices[i];
    text += row(print(m), std::string(m.role == Role::Input ? "input" : "output") + ", " +
                              (m.rank ? std::to_string(m.rank) + "-d " : "one ") + matrix::name(m.element));
  }
  text += "Files: .npy (shape (h, w) is [w, h]), .png, .pgm, .ppm, else text ('SIZE w h', then numbers, x "
          "fastest);\n"
          "'-' is standard input or output, /dev/null skips an output, a 0-d input may be a number.\n\n"
          "Options (anywhere on the line, --x=v or --x v):\n" +
          optionsHelp();
  if (program.transformCount > 1) {
    text += "\nTransforms:";
    for (int i = 0; i < program.transformCount; ++i)
      text += std::string(" ") + program.transforms[i]->name;
    text += "\n";
  }
  return text;
}

} // namespace pb::program
