// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Blurs a photograph by a program that is tuned when it is built and called many times.
//
//   blur [IN.pgm|IN.ppm [BEFORE-AND-AFTER]]
//
// CMakeLists.txt says how to build it. Colours lie side by side in a .ppm file; each of them is a view with the stride 3.
#include "convolution.hpp"
#include <algorithm>
#include <chrono>
#include <cmath>
#include <fstream>
#include <iostream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr int kDeviation = 3, kWeights = 6 * kDeviation + 1, kBorder = kWeights / 2, kCalls = 100;

/// Pixels row by row, the colours of a pixel side by side; one colour is grey.
template <class T>
struct Picture {
  Picture(int w, int h, int c)
      : width(w), height(h), colours(c), cells(static_cast<std::size_t>(w) * h * c) {}
  T &operator()(int x, int y, int c) {
    return cells[(static_cast<std::size_t>(y) * width + x) * colours + c];
  }
  pbc::View<T, 2> colour(int c) { return {cells.data() + c, {width, height}, {colours, colours * width}}; }

  int width, height, colours;
  std::vector<T> cells;
};

Picture<unsigned char> read(const std::string &name) {
  std::ifstream file(name, std::ios::binary);
  std::string kind;
  int w = 0, h = 0, most = 0;
  file >> kind >> w >> h >> most;
  if (!file || (kind != "P5" && kind != "P6") || most != 255 || w < 1 || h < 1 || w > 30000 || h > 30000)
    throw std::runtime_error(name + " is no .pgm or .ppm file of bytes");
  file.get(); // the end of the line
  Picture<unsigned char> p(w, h, kind == "P5" ? 1 : 3);
  if (!file.read(reinterpret_cast<char *>(p.cells.data()), static_cast<std::streamsize>(p.cells.size())))
    throw std::runtime_error(name + " ends too early");
  return p;
}

void write(const std::string &name, const Picture<unsigned char> &p) {
  std::ofstream file(name, std::ios::binary);
  file << (p.colours == 1 ? "P5" : "P6") << '\n' << p.width << ' ' << p.height << "\n255\n";
  file.write(reinterpret_cast<const char *>(p.cells.data()), static_cast<std::streamsize>(p.cells.size()));
  if (!file.flush())
    throw std::runtime_error(name + " cannot be written");
}

/// The picture as numbers, with its edge repeated so that the result has the picture's size.
Picture<double> withBorder(Picture<unsigned char> &p) {
  Picture<double> wide(p.width + 2 * kBorder, p.height + 2 * kBorder, p.colours);
  for (int y = 0; y < wide.height; ++y)
    for (int x = 0; x < wide.width; ++x)
      for (int c = 0; c < p.colours; ++c)
        wide(x, y, c) =
            p(std::clamp(x - kBorder, 0, p.width - 1), std::clamp(y - kBorder, 0, p.height - 1), c);
  return wide;
}

/// The weights of a Gaussian that reaches three deviations to each side.
std::vector<double> gaussian() {
  std::vector<double> weights(kWeights);
  for (int i = 0; i < kWeights; ++i)
    weights[i] = std::exp(-std::pow(static_cast<double>(i - kBorder) / kDeviation, 2) / 2);
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  for (double &weight : weights)
    weight /= sum;
  return weights;
}

Picture<unsigned char> beforeAndAfter(Picture<unsigned char> &before, Picture<double> &after) {
  Picture<unsigned char> both(2 * before.width, before.height, before.colours);
  for (int y = 0; y < before.height; ++y)
    for (int x = 0; x < before.width; ++x)
      for (int c = 0; c < before.colours; ++c) {
        both(x, y, c) = before(x, y, c);
        both(before.width + x, y, c) = static_cast<unsigned char>(std::lround(after(x, y, c)));
      }
  return both;
}

void blur(const std::string &source, std::string target) {
  Picture<unsigned char> before = read(source);
  Picture<double> wide = withBorder(before), after(before.width, before.height, before.colours);
  const std::vector<double> kernel = gaussian();

  const pbc::convolution::Context convolution;
  const auto begin = std::chrono::steady_clock::now();
  for (int call = 0; call < kCalls; ++call)
    for (int c = 0; c < before.colours; ++c)
      convolution.SeparableConvolution(wide.colour(c), kernel, after.colour(c));
  const std::chrono::duration<double, std::milli> spent = std::chrono::steady_clock::now() - begin;
  std::cout << before.width << " x " << before.height << " pixels, " << kWeights
            << " weights: " << spent.count() / kCalls << " ms for one blur\n";

  if (target.empty())
    target = before.colours == 1 ? "before-and-after.pgm" : "before-and-after.ppm";
  write(target, beforeAndAfter(before, after));
  std::cout << "before and after: " << target << '\n';
}

} // namespace

int main(int argc, char **argv) {
  try {
    blur(argc > 1 ? argv[1] : "samples/data/dandelion.pgm", argc > 2 ? argv[2] : "");
  } catch (const std::exception &e) { // also pbc::Error, with the compiler's words
    std::cerr << "blur: " << e.what() << '\n';
    return 1;
  }
}
