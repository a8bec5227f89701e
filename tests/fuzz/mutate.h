// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Mutations of programs for the fuzz targets: lexemes are dropped, doubled, swapped, replaced by ones of
// other programs or by nasty bytes. The same random numbers give the same program.
#pragma once
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace pbc::fuzz {

/// The program being tried: what tellOnCrash() prints.
extern std::string current;

/// Prints `current` to standard error when the process gets a fatal signal, or has used up its time.
void tellOnCrash();

/// From now on, so much processor time (of all threads): others may keep the machine busy. 0: no limit.
void limitTime(int seconds);

std::vector<std::string> lexemesOf(std::string_view text);

/// One of the programs (each a list of lexemes), changed in one to `most` places.
std::string mutate(const std::vector<std::vector<std::string>> &pool, std::mt19937_64 &random,
                   unsigned most = 6);

} // namespace pbc::fuzz
