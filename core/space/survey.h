#pragma once
/// \file How much of a space may be compiled: programs drawn at random, and why the others were
/// refused.

#include "core/space/annotation.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nestwright {

struct Survey {
  std::vector<State> programs; // legal ones, in the order of their draws; bounds inferred
  std::uint64_t drawn = 0;
  std::map<Refusal, std::uint64_t> refusals; // how often
  double seconds = 0;
};

/// Draws programs of a task until `count` are legal, or until as many draws in a row gave none as
/// the options allow (C5). Draw number d is that of a random search under this seed; programs that
/// come twice are counted twice.
Survey surveyPrograms(const std::string& taskKey, const std::vector<Sketch>& sketches,
                      const SpaceOptions& options, std::uint64_t seed, std::size_t count);

/// "no valid program: 2000 tried, top reasons: ..." of so many draws without what was wanted;
/// `reasons` are sentences or kinds with their counts.
std::string shortageText(std::size_t found, std::uint64_t drawn,
                         const std::map<std::string, std::uint64_t>& reasons);

} // namespace nestwright
