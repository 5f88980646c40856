#include "app/cli/doctor_backends.h"

#include "app/cli/output.h"

#include <nlohmann/json.hpp>

namespace nestwright::cli {

BackendSurveys surveyBackends(const std::vector<PluginStatus>& plugins) {
  BackendSurveys surveys;
  for (const PluginStatus& plugin : plugins) {
    if (!plugin.loaded || !plugin.hasBackend) continue;
    BackendSurvey survey = backend(plugin.name).survey();
    if (!survey.empty()) surveys.emplace_back(plugin.name, std::move(survey));
  }
  return surveys;
}

nlohmann::json surveysJson(const BackendSurveys& surveys) {
  nlohmann::json backends = nlohmann::json::object();
  for (const auto& [name, survey] : surveys) {
    auto findings = nlohmann::json::array();
    for (const BackendFinding& finding : survey) {
      nlohmann::json entry = finding.details;
      entry.update({{"what", finding.what}, {"fact", finding.fact}, {"advice", finding.advice}});
      findings.push_back(std::move(entry));
    }
    backends[name] = std::move(findings);
  }
  return backends;
}

void printSurveys(const BackendSurveys& surveys) {
  for (const auto& [name, survey] : surveys)
    for (const BackendFinding& finding : survey) {
      cli::print("{:<10} {:<8} {}\n", name, finding.what, finding.fact);
      if (!finding.advice.empty()) cli::print("{:<19} {}\n", "", finding.advice);
    }
}

} // namespace nestwright::cli
