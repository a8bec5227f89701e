// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/program/inputs.h"
#include "runtime/base/closest.h"
#include "runtime/base/errors.h"
#include "runtime/matrix/reading.h"
#include "runtime/program/structure.h"
#include <algorithm>
#include <charconv>
#include <unistd.h>

namespace pb::program {
namespace {

bool exists(const std::string &file) { return file == "-" || access(file.c_str(), F_OK) == 0; }

/// Accepts a number such as "3.5" in place of a file for a 0-dimensional input, unless a file has that name.
bool readNumber(const std::string &text, const MatrixInfo &info, Matrix *m) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool tooLarge = error == std::errc::result_out_of_range;
  if (info.rank || (error != std::errc{} && !tooLarge) || end != text.data() + text.size() || exists(text))
    return false;
  *m = Matrix::allocate(info.element, {});
  matrix::withType(info.element, [&](auto zero) {
    using T = decltype(zero);
    if (tooLarge || !matrix::keeps<T, double>(value, m->elements<T>()))
      throw base::UserError(std::string(info.name) + ": " + text + " does not fit '" +
                            matrix::name(info.element) + "'");
  });
  return true;
}

std::vector<Matrix> generate(const Program &program, const Transform &t, const char *name,
                             const std::vector<long> &sizes, unsigned long seed, int threads) {
  const Transform &generator = requireTransform(program, name);
  std::vector<long> own;
  for (int i = 0; i < generator.sizeCount; ++i) {
    long value = sizes.empty() ? 0 : *std::max_element(sizes.begin(), sizes.end());
    for (int k = 0; k < t.sizeCount; ++k)
      if (std::string_view(generator.sizeNames[i]) == t.sizeNames[k])
        value = sizes[static_cast<size_t>(k)];
    own.push_back(value);
  }
  const Instance made = randomInstance(program, generator, own, seed, nullptr, threads);
  Runner(threads).run(made);
  std::vector<Matrix> inputs = made.outputs();
  const int wanted = inputCount(t);
  bool fits = static_cast<int>(inputs.size()) >= wanted;
  for (int i = 0; fits && i < wanted; ++i)
    fits = inputs[static_cast<size_t>(i)].element() == t.matrices[i].element &&
           inputs[static_cast<size_t>(i)].rank() == t.matrices[i].rank;
  if (!fits)
    throw base::UserError(std::string("the generator ") + name + " does not make the inputs of " + t.name +
                          ": their number, ranks or element types differ");
  inputs.resize(static_cast<size_t>(wanted));
  return inputs;
}

/// Writes "Name< 2, 3 >" and the older form "Name_tmpl_2_3" as the program does: "Name<2,3>".
std::string copyName(std::string name) {
  std::erase(name, ' ');
  const std::string mark = "_tmpl_";
  const size_t at = name.find(mark);
  if (at == name.npos)
    return name;
  std::string values = name.substr(at + mark.size());
  std::replace(values.begin(), values.end(), '_', ',');
  return name.substr(0, at) + "<" + values + ">";
}

} // namespace

std::vector<Matrix> loadInputs(const Transform &t, const std::vector<std::string> &files) {
  if (std::count(files.begin(), files.end(), "-") > 1)
    throw base::UserError("only one input can be '-' (standard input)");
  std::vector<Matrix> inputs(files.size());
  for (size_t i = 0; i < files.size(); ++i) {
    const MatrixInfo &info = t.matrices[i];
    if (readNumber(files[i], info, &inputs[i]))
      continue;
    if (!info.rank && !exists(files[i]))
      throw base::UserError(std::string(info.name) + ": '" + files[i] + "' is neither a number nor a file");
    inputs[i] = matrix::readMatrix(files[i], {info.name, info.element, info.rank, info.extents});
  }
  return inputs;
}

Instance randomInstance(const Program &program, const Transform &t, const std::vector<long> &sizes,
                        unsigned long seed, const char *generator, int threads) {
  if (generator) {
    return instanceFor(t, generate(program, t, generator, sizes, seed, threads), sizes);
  }
  Instance instance{&t, sizes, {}};
  const std::vector<Extents> extents = extentsFor(t, sizes);
  for (size_t i = 0; i < extents.size(); ++i) {
    const MatrixInfo &info = t.matrices[i];
    instance.matrices.push_back(Matrix::allocate(info.element, extents[i]));
    if (info.role == Role::Input)
      matrix::fillRandom(instance.matrices.back(), seed * 1000003 + i);
  }
  imposeStructures(instance);
  return instance;
}

Instance croppedInstance(const Transform &t, const std::vector<Matrix> &inputs,
                         const std::vector<long> &sizes) {
  Instance instance{&t, sizes, {}};
  const std::vector<Extents> extents = extentsFor(t, sizes);
  for (size_t i = 0; i < extents.size(); ++i) {
    if (i >= inputs.size()) {
      instance.matrices.push_back(Matrix::allocate(t.matrices[i].element, extents[i]));
      continue;
    }
    for (size_t d = 0; d < extents[i].size(); ++d)
      if (extents[i][d] > inputs[i].extents()[d])
        throw base::UserError("these sizes need " + print(t.matrices[i]) + " to be " +
                              matrix::print(extents[i]) + ", the file has only " +
                              matrix::print(inputs[i].extents()));
    instance.matrices.push_back(extents[i] == inputs[i].extents() ? inputs[i]
                                                                  : inputs[i].leading(extents[i]));
  }
  return instance;
}

const Transform *findTransform(const Program &program, const std::string &name) {
  const std::string wanted = copyName(name);
  for (int i = 0; i < program.transformCount; ++i)
    if (wanted == program.transforms[i]->name)
      return program.transforms[i];
  for (int i = 0; i < program.transformCount; ++i)
    if (std::string_view(program.transforms[i]->name).starts_with(wanted + "<"))
      return program.transforms[i];
  return nullptr;
}

const Transform &requireTransform(const Program &program, const std::string &name) {
  if (const Transform *t = findTransform(program, name))
    return *t;
  std::vector<std::string> known;
  for (int i = 0; i < program.transformCount; ++i)
    known.push_back(program.transforms[i]->name);
  throw base::UserError("unknown transform '" + name + "'" + base::didYouMean(name, known) +
                        "; known: " + base::listed(known));
}

} // namespace pb::program
