// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Mutations of programs for the fuzz targets: lexemes are dropped, doubled, swapped, or replaced by lexemes
// of other programs or by unusual bytes. The same random numbers give the same program.
#pragma once
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace pbc::fuzz {

/// The program that is being tested; tellOnCrash() prints it.
extern std::string current;

/// Prints `current` to standard error when the process gets a fatal signal, or has used up its time.
void tellOnCrash();

/// Limits the processor time (of all threads) from now on; processor time is used because other processes may
/// keep the machine busy. 0: no limit.
void limitTime(int seconds);

std::vector<std::string> lexemesOf(std::string_view text);

/// One of the programs (each a list of lexemes), changed in one to `most` places.
std::string mutate(const std::vector<std::vector<std::string>> &pool, std::mt19937_64 &random,
                   unsigned most = 6);

} // namespace pbc::fuzz
