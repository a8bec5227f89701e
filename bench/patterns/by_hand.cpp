// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Runs one loop nest of nests.h.
//
//   by_hand NAME N STEPS --write FOLDER     writes its inputs and results: FOLDER/in0.npy, ..., FOLDER/out0.npy, ...
//   by_hand NAME N STEPS                    =>  "time: SECONDS s", the least of some runs, without copies of the inputs
#include "nests.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <random>

namespace {

std::vector<long> extents(char letter, long n) { // the slowest first
  switch (letter) {
  case 's':
    return {};
  case 'v':
    return {n};
  case 'c':
    return {n, n, n};
  case 'p':
    return {n, n, 3};
  default:
    return {n, n};
  }
}

long count(char letter, long n) {
  long all = 1;
  for (const long e : extents(letter, n))
    all *= e;
  return all;
}

bool isBytes(char letter) { return letter == 'p' || letter == 'b'; }

Operands operands(const Nest &nest, long n, long steps) {
  Operands o{n, steps, {}, {}, {}, {}};
  std::mt19937_64 engine(1);
  std::uniform_real_distribution<double> uniform;
  for (const char letter : nest.in) {
    if (isBytes(letter)) {
      auto &bytes = o.bytesIn.emplace_back(count(letter, n));
      std::generate(bytes.begin(), bytes.end(), [&] { return static_cast<unsigned char>(engine()); });
      continue;
    }
    auto &m = o.in.emplace_back(count(letter, n));
    std::generate(m.begin(), m.end(), [&] { return uniform(engine); });
    if (letter == 'd')
      for (long y = 0; y < n; ++y) {
        for (long x = 0; x < y; ++x)
          m[y * n + x] = m[x * n + y];
        m[y * n + y] += static_cast<double>(n);
      }
  }
  for (const char letter : nest.out)
    if (isBytes(letter))
      o.bytesOut.emplace_back(count(letter, n));
    else
      o.out.emplace_back(count(letter, n));
  return o;
}

template <class T>
void write(const std::string &path, const char *type, char letter, long n, const std::vector<T> &cells) {
  std::string shape;
  for (const long e : extents(letter, n))
    shape += std::to_string(e) + ",";
  std::string header =
      std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header.resize((header.size() + 10) / 64 * 64 + 64 - 11, ' ');
  header += '\n';
  std::FILE *f = std::fopen(path.c_str(), "wb");
  if (!f)
    std::exit(1);
  const unsigned char start[] = {0x93,
                                 'N',
                                 'U',
                                 'M',
                                 'P',
                                 'Y',
                                 1,
                                 0,
                                 static_cast<unsigned char>(header.size() & 255),
                                 static_cast<unsigned char>(header.size() >> 8)};
  std::fwrite(start, 1, sizeof start, f);
  std::fwrite(header.data(), 1, header.size(), f);
  std::fwrite(cells.data(), sizeof(T), cells.size(), f);
  std::fclose(f);
}

void writeAll(const std::string &stem, const std::string &letters, long n,
              const std::vector<std::vector<double>> &cells,
              const std::vector<std::vector<unsigned char>> &bytes) {
  std::size_t nextCells = 0, nextBytes = 0;
  for (std::size_t k = 0; k < letters.size(); ++k) {
    const std::string path = stem + std::to_string(k) + ".npy";
    if (isBytes(letters[k]))
      write(path, "|u1", letters[k], n, bytes[nextBytes++]);
    else
      write(path, "<f8", letters[k], n, cells[nextCells++]);
  }
}

double seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4)
    return 2;
  Nests nests = stencils();
  for (const Nests &more : {algebra(), factors(), programs()})
    nests.insert(more.begin(), more.end());
  const Nest nest = nests.at(argv[1]);
  const long n = std::atol(argv[2]), steps = std::atol(argv[3]);
  const Operands fresh = operands(nest, n, steps);
  if (argc == 6) {
    const std::string folder = argv[5];
    writeAll(folder + "/in", nest.in, n, fresh.in, fresh.bytesIn);
    Operands o = fresh;
    nest.run(o);
    writeAll(folder + "/out", nest.out, n, o.out, o.bytesOut);
    return 0;
  }
  std::vector<double> times;
  for (double total = 0; times.size() < 3 || (total < 0.3 && times.size() < 100); total += times.back()) {
    Operands o = fresh;
    const double begin = seconds();
    nest.run(o);
    times.push_back(seconds() - begin);
  }
  std::sort(times.begin(), times.end());
  std::printf("time: %.6g s\n", times[times.size() / 2]);
}
