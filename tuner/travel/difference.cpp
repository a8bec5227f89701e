// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "tuner/travel/difference.h"

#include "tuner/space/program_space.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <toml++/toml.h>

namespace pbc::tuner {
namespace {

struct Piece {
  long below = kNoLimit;
  std::string value;
};
/// The values of an entry, by size.
struct Said {
  bool isChoice = false;
  std::vector<Piece> pieces;
  const std::string &at(long n) const {
    const auto piece =
        std::find_if(pieces.begin(), pieces.end(), [&](const Piece &p) { return n < p.below; });
    return piece == pieces.end() ? pieces.back().value : piece->value;
  }
};

std::string printed(const toml::node &node) {
  if (const auto *text = node.as_string())
    return text->get();
  std::ostringstream out;
  node.visit([&](const auto &value) {
    if constexpr (!toml::is_table<decltype(value)>)
      out << value;
  });
  return out.str();
}

Said saidBy(const toml::node &node) {
  Said said;
  said.isChoice = node.is_string();
  const toml::array *levels = node.as_array();
  if (!levels || levels->empty() || !levels->front().is_table()) {
    said.pieces = {{kNoLimit, printed(node)}};
    return said;
  }
  for (const toml::node &entry : *levels) {
    const toml::table *level = entry.as_table();
    if (!level)
      continue;
    const toml::node *use = level->get("use"), *value = use ? use : level->get("value");
    said.isChoice |= use != nullptr;
    said.pieces.push_back({(*level)["below"].value_or(kNoLimit), value ? printed(*value) : ""});
  }
  return said;
}

void gather(const toml::table &table, const std::string &prefix, std::map<std::string, Said> &all) {
  for (const auto &[key, node] : table) {
    const std::string name(key.str());
    if (prefix.empty() && (name == "made-by" || name == "program" || name == "hash"))
      continue;
    const std::string title = prefix.empty() ? name : prefix + "." + name;
    if (const toml::table *inner = node.as_table())
      gather(*inner, title, all);
    else
      all[title] = saidBy(node);
  }
}

std::map<std::string, Said> entriesOf(const std::string &text, const std::string &name) {
  std::map<std::string, Said> all;
  try {
    gather(toml::parse(text, name), "", all);
  } catch (const toml::parse_error &problem) {
    throw TunerError(fmt::format("{}:{}:{}: not TOML: {}", name, problem.source().begin.line,
                                 problem.source().begin.column, problem.description()));
  }
  return all;
}

void compare(const std::string &title, const Said &left, const Said &right, std::vector<Difference> &found) {
  std::vector<long> ends;
  for (const Said *said : {&left, &right})
    for (const Piece &piece : said->pieces)
      ends.push_back(piece.below);
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  long from = 0;
  bool isOpen = false; // the last difference ends where this piece begins
  for (const long end : ends) {
    const std::string &a = left.at(from), &b = right.at(from);
    if (a == b) {
      isOpen = false;
    } else if (isOpen && found.back().left == a && found.back().right == b) {
      found.back().end = end;
    } else {
      found.push_back({title, from, end, left.isChoice || right.isChoice, a, b});
      isOpen = true;
    }
    from = end;
  }
  if (isOpen && found.back().from == 0 && found.back().end == kNoLimit)
    found.back().end = 0;
}

std::string sizesInWords(const Difference &d) {
  if (d.end == 0)
    return "";
  if (d.end == kNoLimit)
    return fmt::format("for n from {} on: ", d.from);
  return d.from == 0 ? fmt::format("for n below {}: ", d.end)
                     : fmt::format("for n from {} to {}: ", d.from, d.end - 1);
}

} // namespace

std::vector<Difference> differences(const std::string &left, const std::string &leftName,
                                    const std::string &right, const std::string &rightName) {
  const auto a = entriesOf(left, leftName), b = entriesOf(right, rightName);
  std::vector<Difference> found;
  std::map<std::string, Said> titles = a;
  titles.insert(b.begin(), b.end());
  for (const auto &[title, said] : titles) {
    const auto inA = a.find(title), inB = b.find(title);
    const Said nothing{said.isChoice, {{kNoLimit, ""}}};
    compare(title, inA == a.end() ? nothing : inA->second, inB == b.end() ? nothing : inB->second, found);
  }
  return found;
}

std::string inWords(const Difference &d) {
  const char *verb = d.isChoice ? "takes" : "has";
  const auto side = [&](const char *name, const std::string &value) {
    return value.empty() ? fmt::format("{} does not say", name) : fmt::format("{} {} {}", name, verb, value);
  };
  return fmt::format("{}: {}{}, {}", d.entry, sizesInWords(d), side("A", d.left), side("B", d.right));
}

std::string differencesAsJson(const std::vector<Difference> &all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Difference &d : all) {
    nlohmann::ordered_json entry{{"entry", d.entry}, {"from", d.from}};
    if (d.end && d.end != kNoLimit)
      entry["below"] = d.end;
    entry["a"] = d.left.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(d.left);
    entry["b"] = d.right.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(d.right);
    list.push_back(entry);
  }
  return list.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace pbc::tuner
