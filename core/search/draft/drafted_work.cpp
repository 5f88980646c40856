#include "core/search/draft/drafted_work.h"

#include "core/search/draft/draft_score.h"
#include "core/search/draft/gpu_draft.h"
#include "core/support/units.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright {

namespace {

DraftedWork workOf(std::string name, std::vector<DraftedWork::Part> parts, double clocks) {
  std::erase_if(parts, [](const DraftedWork::Part& part) { return part.clocks <= 0; });
  std::ranges::stable_sort(parts, std::ranges::greater(), &DraftedWork::Part::clocks);
  return {std::move(name), std::move(parts), clocks};
}

DraftedWork workOf(const DraftedStage& stage) {
  const double cores = std::max(1.0, stage.parallel);
  return workOf(stage.stage,
                {{"arithmetic", stage.arithmetic / cores},
                 {"loads and stores", stage.loads / cores},
                 {"loops", stage.overhead / cores},
                 {"second-level cache", stage.l2 / cores},
                 {"third-level cache", stage.l3 / cores},
                 {"memory", stage.memory / cores}},
                stage.cycles());
}

DraftedWork workOf(const KernelTime& kernel) {
  const KernelTime effective = asBusy(kernel);
  return workOf(kernel.kernel,
                {{"arithmetic", effective.arithmetic},
                 {"instructions", effective.issue},
                 {"special functions", effective.special},
                 {"tensor cores", effective.tensor},
                 {"shared memory", effective.shared},
                 {"second-level cache", effective.l2},
                 {"memory", effective.memory},
                 {"waiting for loads", effective.latency},
                 {"barriers", effective.barriers}},
                draftedClocks(kernel));
}

} // namespace

std::vector<DraftedWork> draftedWork(const State& program, const TargetFacts& target) {
  std::vector<DraftedWork> work;
  if (target.gpu)
    for (const KernelTime& kernel : draftedKernels(program, target))
      work.push_back(workOf(kernel));
  else
    for (const DraftedStage& stage : draftedStages(program, target))
      work.push_back(workOf(stage));
  return work;
}

std::optional<double> draftedSeconds(double clocks, const TargetFacts& target) {
  if (!target.gpu || target.gpu->clockKilohertz <= 0) return std::nullopt;
  return clocks / (double(target.gpu->clockKilohertz) * 1e3);
}

std::string inWords(const std::vector<DraftedWork>& work, const TargetFacts& target,
                    std::optional<double> measured) {
  const auto timeText = [&](double clocks) {
    const std::optional<double> seconds = draftedSeconds(clocks, target);
    return seconds ? formatSeconds(*seconds) : fmt::format("{:.3g} clocks", clocks);
  };
  std::string text;
  double all = 0;
  for (const DraftedWork& one : work) {
    all += one.clocks;
    text += fmt::format("{:<32} {:>14}\n", one.name, timeText(one.clocks));
    for (const DraftedWork::Part& part : one.parts)
      text += fmt::format("  {:<30} {:>14} {:>5.0f} %\n", part.name, timeText(part.clocks),
                          100 * part.clocks / one.clocks);
  }
  text += fmt::format("{:<32} {:>14}", "all", timeText(all));
  if (const std::optional<double> seconds = draftedSeconds(all, target); seconds && measured)
    text += fmt::format(", {:.2f} of the {} that were measured", *seconds / *measured,
                        formatSeconds(*measured));
  return text + "\n";
}

nlohmann::json toJson(const std::vector<DraftedWork>& work, const TargetFacts& target) {
  auto list = nlohmann::json::array();
  for (const DraftedWork& one : work) {
    nlohmann::json entry{{"name", one.name},
                         {"clocks", one.clocks},
                         {"seconds", nullptr},
                         {"parts", nlohmann::json::array()}};
    if (const std::optional<double> seconds = draftedSeconds(one.clocks, target))
      entry["seconds"] = *seconds;
    for (const DraftedWork::Part& part : one.parts)
      entry["parts"].push_back({{"name", part.name}, {"clocks", part.clocks}});
    list.push_back(std::move(entry));
  }
  return list;
}

} // namespace nestwright
