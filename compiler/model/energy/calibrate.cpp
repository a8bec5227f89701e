// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/model/energy/calibrate.h"

#include "compiler/model/energy/least_absolute.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <numeric>
#include <random>

namespace pbc::model {
namespace {

using Runs = std::vector<EnergyMeasurement>;

struct Parts {
  Runs training, test;
};

/// Takes a part of the runs of each code, so that none is left out by chance.
Parts divided(const Runs &runs, const FitOptions &options) {
  std::map<EnergyCode, std::vector<size_t>> codes;
  for (size_t i = 0; i < runs.size(); ++i)
    codes[runs[i].run.code].push_back(i);
  std::mt19937_64 random(options.seed);
  std::vector<bool> trains(runs.size());
  for (auto &[code, indices] : codes) {
    for (size_t i = indices.size(); i > 1; --i) // std::shuffle differs between libraries
      std::swap(indices[i - 1], indices[random() % i]);
    const auto count =
        static_cast<size_t>(std::ceil(options.training * static_cast<double>(indices.size()) - 1e-9));
    for (size_t i = 0; i < std::min(count, indices.size()); ++i)
      trains[indices[i]] = true;
  }
  Parts parts;
  for (size_t i = 0; i < runs.size(); ++i)
    (trains[i] ? parts.training : parts.test).push_back(runs[i]);
  return parts;
}

std::vector<std::vector<double>> countsOf(const Runs &runs) {
  std::vector<std::vector<double>> rows;
  for (const EnergyMeasurement &m : runs) {
    const Spendings spent = spentByRun(m.run, m.seconds);
    rows.emplace_back(spent.values().begin(), spent.values().end());
  }
  return rows;
}

/// Columns that are no combination of earlier ones, found by orthogonalising one after the other.
std::vector<size_t> independent(const std::vector<std::vector<double>> &rows) {
  std::vector<std::vector<double>> basis;
  std::vector<size_t> out;
  for (size_t c = 0; c < kSpents; ++c) {
    std::vector<double> column;
    for (const auto &row : rows)
      column.push_back(row[c]);
    const auto norm = [](const std::vector<double> &v) {
      return std::sqrt(std::inner_product(v.begin(), v.end(), v.begin(), 0.0));
    };
    const double size = norm(column);
    if (size == 0)
      continue;
    for (double &entry : column)
      entry /= size;
    for (int pass = 0; pass < 2; ++pass) // the second pass removes what rounding left
      for (const auto &direction : basis) {
        const double along = std::inner_product(column.begin(), column.end(), direction.begin(), 0.0);
        for (size_t i = 0; i < column.size(); ++i)
          column[i] -= along * direction[i];
      }
    const double rest = norm(column);
    if (rest < 1e-9)
      continue;
    for (double &entry : column)
      entry /= rest;
    basis.push_back(column);
    out.push_back(c);
  }
  return out;
}

Runs withFactor(Runs runs, double factor) {
  for (EnergyMeasurement &m : runs)
    m.run.sharedFactor = factor;
  return runs;
}

EnergyFit fitted(const Parts &parts, double factor) {
  const Runs training = withFactor(parts.training, factor);
  const auto counts = countsOf(training);
  const std::vector<size_t> columns = independent(counts);
  auto all = counts;
  std::ranges::copy(countsOf(withFactor(parts.test, factor)), std::back_inserter(all));
  if (const size_t wanted = independent(all).size(); training.size() < wanted)
    throw Problem(fmt::format("{} measurements to find {} figures from", training.size(), wanted),
                  "measure more runs, or take a larger share of them with --training");
  std::vector<std::vector<double>> rows;
  std::vector<double> measured;
  for (size_t i = 0; i < training.size(); ++i) {
    std::vector<double> row;
    for (const size_t c : columns)
      row.push_back(counts[i][c]);
    rows.push_back(row);
    measured.push_back(training[i].joules);
  }
  const std::vector<double> found = leastAbsolute(rows, measured);
  EnergyFit fit;
  fit.sharedFactor = factor;
  for (size_t i = 0; i < columns.size(); ++i)
    fit.costs.values()[columns[i]] = found[i];
  for (size_t c = 0; c < kSpents; ++c)
    if (std::ranges::find(columns, c) == columns.end())
      fit.undetermined.push_back(static_cast<Spent>(c));
  for (size_t i = 0; i < training.size(); ++i)
    fit.absoluteError +=
        std::abs(joules(spentByRun(training[i].run, training[i].seconds), fit.costs) - measured[i]);
  return fit;
}

Runs ofCode(const Runs &runs, EnergyCode code) {
  Runs out;
  std::ranges::copy_if(runs, std::back_inserter(out),
                       [&](const EnergyMeasurement &m) { return m.run.code == code; });
  return out;
}

} // namespace

double relativeError(const Runs &runs, const Spendings &costs) {
  if (runs.empty())
    return 0;
  double sum = 0;
  for (const EnergyMeasurement &m : runs) {
    const double error = joules(spentByRun(m.run, m.seconds), costs) / m.joules - 1;
    sum += error * error;
  }
  return std::sqrt(sum / static_cast<double>(runs.size()));
}

EnergyFit fitEnergy(const Runs &measurements, const FitOptions &options) {
  if (!(options.training > 0 && options.training < 1))
    throw Problem(fmt::format("a share of {} for the training", options.training),
                  "more than 0 and less than 1, for example 0.1");
  const Parts parts = divided(measurements, options);
  if (parts.test.empty())
    throw Problem(fmt::format("none of {} measurements is left to test the fit with", measurements.size()),
                  "measure more runs, or take a smaller share with --training");
  EnergyFit fit = fitted(parts, options.sharedFactor.value_or(4));
  const bool hasFactor =
      std::ranges::any_of(parts.training, [](const auto &m) { return m.run.code == EnergyCode::Jacobi1D; });
  if (!options.sharedFactor && hasFactor)
    if (EnergyFit derived = fitted(parts, 1); derived.absoluteError < fit.absoluteError)
      fit = std::move(derived);
  const auto row = [&](const std::string &name, const Runs &training, const Runs &test) {
    fit.rows.push_back({name, training.size(), test.size(),
                        relativeError(withFactor(training, fit.sharedFactor), fit.costs),
                        relativeError(withFactor(test, fit.sharedFactor), fit.costs)});
  };
  for (const EnergyCode code : {EnergyCode::SmithWaterman, EnergyCode::Jacobi1D, EnergyCode::Jacobi2D})
    if (const Runs training = ofCode(parts.training, code); !training.empty())
      row(nameOf(code), training, ofCode(parts.test, code));
  row("all", parts.training, parts.test);
  return fit;
}

} // namespace pbc::model
