#include "core/space/survey.h"

#include "core/support/clock.h"
#include "core/support/quantity.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace nestwright {

Survey surveyPrograms(const std::string& taskKey, const std::vector<Sketch>& sketches,
                      const SpaceOptions& options, std::uint64_t seed, std::size_t count) {
  Survey survey;
  const auto start = std::chrono::steady_clock::now();
  int fruitless = 0;
  while (survey.programs.size() < count && fruitless < options.maxSampleAttempts) {
    Random random = Random::stream(seed, taskKey, survey.drawn++);
    SampledProgram sample = sampleProgram(sketches, options, random);
    if (sample.state) {
      survey.programs.push_back(std::move(*sample.state));
      fruitless = 0;
    } else {
      ++survey.refusals[sample.refusal];
      ++fruitless;
    }
  }
  survey.seconds = secondsSince(start);
  return survey;
}

std::string shortageText(std::size_t found, std::uint64_t drawn,
                         const std::map<std::string, std::uint64_t>& reasons) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(reasons.begin(), reasons.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  constexpr std::size_t kShown = 3;
  if (sorted.size() > kShown) sorted.resize(kShown);
  std::string text = fmt::format(
      "no {}valid program: {} tried, top reasons: ", found == 0 ? "" : "further ", drawn);
  for (std::size_t i = 0; i < sorted.size(); ++i)
    text += fmt::format("{}{} ({})", i > 0 ? "; " : "", sorted[i].first,
                        quantity(std::int64_t(sorted[i].second), "time"));
  return text;
}

} // namespace nestwright
