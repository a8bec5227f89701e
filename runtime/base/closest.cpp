// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/base/closest.h"
#include <algorithm>
#include <cctype>

namespace pb::base {
namespace {

std::string lower(std::string s) {
  for (char &c : s)
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return s;
}

size_t distance(const std::string &a, const std::string &b) {
  std::vector<std::vector<size_t>> d(a.size() + 1, std::vector<size_t>(b.size() + 1));
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      if (!i || !j) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

} // namespace

std::string closest(const std::string &name, const std::vector<std::string> &candidates) {
  std::string best;
  if (name.size() > 200)
    return best;
  // A third of the length, but never the whole name: "w" is not taken for a misspelt "x".
  size_t bestDistance = std::min(name.size(), std::max<size_t>(1, (name.size() + 1) / 3) + 1);
  for (const std::string &c : candidates) {
    const size_t d = distance(lower(name), lower(c));
    if (d < bestDistance)
      bestDistance = d, best = c;
  }
  return best;
}

std::string listed(const std::vector<std::string> &names) {
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    if (i)
      text += i + 1 == names.size() ? " and " : ", ";
    text += "'" + names[i] + "'";
  }
  return text;
}

std::string didYouMean(const std::string &name, const std::vector<std::string> &candidates) {
  const std::string near = closest(name, candidates);
  return near.empty() ? "" : " (did you mean '" + near + "'?)";
}

} // namespace pb::base
