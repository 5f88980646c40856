#include "core/plugin/target_survey.h"

#include "core/plugin/plugin.h"
#include "core/plugin/target_named.h"
#include "core/support/error.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright {

namespace {

using nlohmann::json;

constexpr const char* kCuda = "cuda";

bool isFound(const BackendFinding& finding) {
  return finding.details.value("found", false);
}

/// "driver: libcuda.so.1 is not there. Take a newer one."
std::string sentence(const BackendFinding& finding) {
  std::string text = fmt::format("{}: {}.", finding.what, finding.fact);
  if (!finding.advice.empty()) text += fmt::format(" {}.", finding.advice);
  return text;
}

} // namespace

TargetSurvey surveyGpu(const BackendSurvey& found, const std::string& architecture) {
  TargetSurvey survey;
  const bool isPreset = !architecture.empty();
  for (const BackendFinding& finding : found) {
    if (finding.what == "NVRTC") {
      const auto known = finding.details.value("architectures", std::vector<std::string>());
      const bool knows = !isPreset || std::ranges::find(known, architecture) != known.end();
      if (isFound(finding) && knows) continue;
      survey.canCompile = survey.canMeasure = false;
      survey.missing.push_back(isFound(finding) ? fmt::format("NVRTC compiles for {}, not for {}.",
                                                              fmt::join(known, ", "), architecture)
                                                : sentence(finding));
    } else if (finding.what == "driver" && !isPreset) {
      const bool works =
          isFound(finding) && finding.details.value("problem", std::string()).empty();
      survey.canMeasure = survey.canMeasure && works;
      if (!works || !finding.advice.empty()) survey.missing.push_back(sentence(finding));
    } else if (finding.details.contains("target")) {
      survey.devices.push_back(
          finding.details["target"].value("gpu", json::object()).value("name", finding.what));
    }
  }
  if (!isPreset) return survey;
  survey.canMeasure = false;
  survey.missing.push_back(fmt::format(
      "A session for any {} is made and looked at, but not measured; the target cuda is "
      "the GPU of this machine.",
      architecture));
  return survey;
}

TargetSurvey surveyTarget(const std::string& name) {
  const std::vector<std::string> names = targetNames();
  if (std::ranges::find(names, name) == names.end()) (void)targetNamed(name); // says so
  const std::string backendName = name.substr(0, name.find(':'));
  BackendSurvey found;
  try {
    found = backend(backendName).survey();
  } catch (const SystemError& missing) {
    TargetSurvey survey;
    survey.canCompile = survey.canMeasure = false;
    survey.missing.emplace_back(missing.what());
    return survey;
  }
  if (backendName != kCuda) return {};
  return surveyGpu(found, name == kCuda ? std::string() : name.substr(name.find(':') + 1));
}

} // namespace nestwright
