// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/schedule/align_versions.h"
#include <algorithm>
#include <isl/aff.h>
#include <isl/constraint.h>
#include <isl/map.h>
#include <isl/set.h>
#include <isl/union_map.h>
#include <isl/val.h>
#include <map>
#include <numeric>

namespace pbc::schedule {
namespace {

/// The time of version v of a matrix is factor * v + offset.
struct Clock {
  long factor = 1, offset = 0;
};
using Clocks = std::map<int, Clock>; // by matrix

/// A fraction in lowest terms.
struct Ratio {
  long above = 1, below = 1;
  Ratio times(long a, long b) const {
    const long high = above * a, low = below * b, common = std::gcd(high, low);
    return {high / common, low / common};
  }
  bool operator==(const Ratio &) const = default;
};

constexpr long kMostFactor = 64; // of clocks: rules that count so differently are none of time steps

isl::map toVersions(const isl::pw_aff &version) { return isl::manage(isl_map_from_pw_aff(version.copy())); }

/// { version -> version that is computed from it } for two uses.
isl::map between(const VersionsOfUse &a, const VersionsOfUse &b, const isl::union_map &dependences) {
  const isl::union_map pairs = dependences.intersect_domain(isl::union_set(a.version.domain()))
                                   .intersect_range(isl::union_set(b.version.domain()));
  const isl::union_map versions = isl::union_map(toVersions(a.version))
                                      .reverse()
                                      .apply_range(pairs)
                                      .apply_range(isl::union_map(toVersions(b.version)));
  isl_space *space =
      isl_space_map_from_domain_and_range(isl_space_range(isl_map_get_space(toVersions(a.version).get())),
                                          isl_space_range(isl_map_get_space(toVersions(b.version).get())));
  return isl::manage(isl_union_map_extract_map(
      versions.get(), isl_space_align_params(space, isl_union_map_get_space(versions.get()))));
}

/// How much the second one of a pair grows with the first one, if that is always the same positive number.
std::optional<Ratio> growth(const isl::map &pairs) {
  isl_basic_map *hull = isl_map_affine_hull(pairs.copy());
  isl_constraint_list *all = isl_basic_map_get_constraint_list(hull);
  std::optional<Ratio> found;
  for (int c = 0; c < isl_constraint_list_n_constraint(all) && !found; ++c) {
    isl_constraint *one = isl_constraint_list_get_constraint(all, c);
    isl_val *in = isl_constraint_get_coefficient_val(one, isl_dim_in, 0);
    isl_val *out = isl_constraint_get_coefficient_val(one, isl_dim_out, 0);
    const long high = isl_val_get_num_si(in), low = isl_val_get_num_si(out);
    if (isl_constraint_is_equality(one) == isl_bool_true && (high > 0) != (low > 0) && high != 0 && low != 0)
      found = Ratio{}.times(std::abs(high), std::abs(low));
    isl_val_free(in);
    isl_val_free(out);
    isl_constraint_free(one);
  }
  isl_constraint_list_free(all);
  isl_basic_map_free(hull);
  return found;
}

class Alignment {
public:
  Alignment(const std::vector<VersionsOfUse> &versions, const isl::union_map &dependences)
      : versions_(versions) {
    for (std::size_t a = 0; a < versions.size(); ++a)
      for (std::size_t b = 0; b < versions.size(); ++b)
        if (const isl::map pairs = between(versions[a], versions[b], dependences); !pairs.is_empty())
          links_.push_back({versions[a].matrix, versions[b].matrix, pairs});
  }

  std::optional<isl::union_pw_aff> time() const {
    Clocks clocks;
    for (const VersionsOfUse &v : versions_)
      clocks[v.matrix];
    if (!isForward(clocks)) {
      const auto factors = withFactors();
      const auto all = factors ? withOffsets(*factors) : std::nullopt;
      if (!all || !isForward(*all))
        return std::nullopt;
      clocks = *all;
    }
    isl_union_pw_aff *time = nullptr;
    for (std::size_t k = 0; k < versions_.size(); ++k) {
      const VersionsOfUse &v = versions_[k];
      if (const VersionsOfUse *other = otherOfRule(k)) {
        if (isl_pw_aff_is_equal(other->version.get(), v.version.get()) == isl_bool_true)
          continue;
        isl_union_pw_aff_free(time);
        return std::nullopt; // one function for both would be right for one of them only
      }
      const Clock &clock = clocks.at(v.matrix);
      isl_ctx *ctx = isl_pw_aff_get_ctx(v.version.get());
      isl_pw_aff *scaled = isl_pw_aff_scale_val(v.version.copy(), isl_val_int_from_si(ctx, clock.factor));
      scaled = isl_pw_aff_add_constant_val(scaled, isl_val_int_from_si(ctx, clock.offset));
      isl_union_pw_aff *one = isl_union_pw_aff_from_pw_aff(scaled);
      time = time ? isl_union_pw_aff_union_add(time, one) : one;
    }
    return isl::manage(time);
  }

private:
  /// An earlier use of the same rule, which has other points.
  const VersionsOfUse *otherOfRule(std::size_t k) const {
    const isl::space points = isl::manage(isl_pw_aff_get_domain_space(versions_[k].version.get()));
    for (std::size_t before = 0; before < k; ++before)
      if (isl_space_tuple_is_equal(
              isl::manage(isl_pw_aff_get_domain_space(versions_[before].version.get())).get(), isl_dim_set,
              points.get(), isl_dim_set) == isl_bool_true)
        return &versions_[before];
    return nullptr;
  }

  struct Link {
    int from, to;   // matrices
    isl::map pairs; // of versions
  };

  /// The least time from a version to one that is computed from it; nothing if there is no least one.
  static std::optional<long> leastTime(const Link &link, const Clock &from, const Clock &to) {
    // { pair of versions -> difference of their times }
    isl_set *pairs = isl_set_flatten(isl_map_wrap(link.pairs.copy()));
    isl_local_space *space = isl_local_space_from_space(isl_set_get_space(pairs));
    isl_aff *difference = isl_aff_zero_on_domain(space);
    difference = isl_aff_set_coefficient_si(difference, isl_dim_in, 0, static_cast<int>(-from.factor));
    difference = isl_aff_set_coefficient_si(difference, isl_dim_in, 1, static_cast<int>(to.factor));
    difference = isl_aff_add_constant_si(difference, static_cast<int>(to.offset - from.offset));
    isl_val *least = isl_set_min_val(pairs, difference);
    std::optional<long> found;
    if (isl_val_is_int(least) == isl_bool_true)
      found = isl_val_get_num_si(least);
    isl_val_free(least);
    isl_aff_free(difference);
    isl_set_free(pairs);
    return found;
  }

  bool isForward(const Clocks &clocks) const {
    return std::all_of(links_.begin(), links_.end(), [&](const Link &link) {
      const auto least = leastTime(link, clocks.at(link.from), clocks.at(link.to));
      return least && *least >= 0;
    });
  }

  /// Nothing if dependences ask for different factors.
  std::optional<Clocks> withFactors() const {
    std::map<int, Ratio> ratios;
    for (const VersionsOfUse &first : versions_) {
      if (!ratios.try_emplace(first.matrix).second)
        continue;
      for (bool isChanged = true; isChanged;) {
        isChanged = false;
        for (const Link &link : links_) {
          const auto grows = growth(link.pairs);
          const auto from = ratios.find(link.from), to = ratios.find(link.to);
          if (!grows || (from == ratios.end() && to == ratios.end()))
            continue;
          // later = grows * earlier, and both have one time: the factor of the later one is smaller.
          if (from != ratios.end() && to != ratios.end()) {
            if (from->second.times(grows->below, grows->above) != to->second)
              return std::nullopt;
            continue;
          }
          if (to == ratios.end())
            ratios.emplace(link.to, from->second.times(grows->below, grows->above));
          else
            ratios.emplace(link.from, to->second.times(grows->above, grows->below));
          isChanged = true;
        }
      }
    }
    long common = 1;
    for (const auto &[matrix, ratio] : ratios)
      common = std::lcm(common, ratio.below);
    Clocks clocks;
    for (const auto &[matrix, ratio] : ratios) {
      clocks[matrix].factor = ratio.above * (common / ratio.below);
      if (clocks[matrix].factor > kMostFactor)
        return std::nullopt;
    }
    return clocks;
  }

  /// Nothing if the offsets would have to grow for ever.
  std::optional<Clocks> withOffsets(Clocks clocks) const {
    for (std::size_t round = 0; round <= clocks.size(); ++round) {
      bool isChanged = false;
      for (const Link &link : links_) {
        const auto least = leastTime(link, clocks.at(link.from), clocks.at(link.to));
        if (!least)
          return std::nullopt;
        if (*least < 0) {
          clocks.at(link.to).offset -= *least;
          isChanged = true;
        }
      }
      if (!isChanged)
        return clocks;
    }
    return std::nullopt;
  }

  const std::vector<VersionsOfUse> &versions_;
  std::vector<Link> links_;
};

} // namespace

std::optional<isl::union_pw_aff> alignVersions(const std::vector<VersionsOfUse> &versions,
                                               const isl::union_map &dependences) {
  return Alignment(versions, dependences).time();
}

} // namespace pbc::schedule
