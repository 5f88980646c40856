#include "core/plugin/target_survey.h"

#include "core/plugin/plugin.h"
#include "core/plugin/target_named.h"
#include "core/support/error.h"
#include "core/target/target_json.h"

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

/// "NVRTC: libnvrtc.so is not there. Install it."
std::string sentence(const std::string& what, const std::string& fact, const std::string& advice) {
  std::string text = fmt::format("{}: {}.", what, fact);
  if (!advice.empty()) text += fmt::format(" {}.", advice);
  return text;
}

/// Architectures that programs can be compiled for here.
std::vector<std::string> compiledFor(const BackendSurvey& found) {
  for (const BackendFinding& finding : found)
    if (finding.part == BackendPart::Compiler && isFound(finding))
      return finding.details.value("architectures", std::vector<std::string>());
  return {};
}

bool compiles(const std::vector<std::string>& known, const std::string& architecture) {
  return std::ranges::find(known, architecture) != known.end();
}

void takeCompiler(TargetSurvey& survey, const BackendFinding& finding,
                  const std::string& architecture) {
  const auto known = finding.details.value("architectures", std::vector<std::string>());
  if (isFound(finding) && (architecture.empty() || compiles(known, architecture))) return;
  survey.canCompile = false;
  survey.missing.push_back(isFound(finding) ? fmt::format("NVRTC compiles for {}, not for {}.",
                                                          fmt::join(known, ", "), architecture)
                                            : sentence(finding.what, finding.fact, finding.advice));
}

/// What a backend advises is for a command line; here a target is chosen.
void takeDriver(TargetSurvey& survey, const BackendFinding& finding) {
  const bool works = isFound(finding) && finding.details.value("problem", std::string()).empty();
  survey.canMeasure = survey.canMeasure && works;
  if (!works)
    survey.missing.push_back(
        sentence(finding.what, finding.fact,
                 "It takes an NVIDIA GPU and its driver to measure; programs for any GPU of an "
                 "architecture can be made and compiled without"));
  else if (!finding.advice.empty())
    survey.missing.push_back(sentence(finding.what, finding.fact, finding.advice));
}

SurveyedDevice deviceOf(const BackendFinding& finding, const std::vector<std::string>& known) {
  SurveyedDevice device;
  device.facts = targetFactsFromJson(finding.details.at("target")).gpu.value_or(GpuFacts());
  if (const std::string architecture = device.facts.architecture.name();
      !known.empty() && !compiles(known, architecture))
    device.problem = fmt::format("NVRTC compiles for {}, not for {}, which {} is.",
                                 fmt::join(known, ", "), architecture, device.facts.name);
  return device;
}

} // namespace

TargetSurvey surveyGpu(const BackendSurvey& found, const std::string& architecture) {
  TargetSurvey survey;
  const bool isPreset = !architecture.empty();
  const std::vector<std::string> known = compiledFor(found);
  for (const BackendFinding& finding : found) {
    if (finding.part == BackendPart::Compiler) takeCompiler(survey, finding, architecture);
    if (finding.part == BackendPart::Driver && !isPreset) takeDriver(survey, finding);
    if (finding.part != BackendPart::Device) continue;
    survey.devices.push_back(deviceOf(finding, known));
    if (isPreset) continue;
    const SurveyedDevice& device = survey.devices.back();
    if (!device.problem.empty())
      survey.missing.push_back(device.problem);
    else if (!finding.advice.empty())
      survey.missing.push_back(sentence(finding.what, device.facts.name, finding.advice));
  }
  if (isPreset) {
    survey.canMeasure = false;
    survey.missing.push_back(fmt::format(
        "A session for any {} is made and looked at, but not measured; the target cuda is "
        "the GPU of this machine.",
        architecture));
    return survey;
  }
  if (!survey.devices.empty() &&
      std::ranges::none_of(survey.devices, &std::string::empty, &SurveyedDevice::problem))
    survey.canCompile = false;
  survey.canMeasure = survey.canMeasure && survey.canCompile;
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
