#include "plugins/cuda/survey.h"

#include "core/support/units.h"
#include "core/target/target_json.h"
#include "plugins/cuda/compile/disassembler.h"

#include <fmt/ranges.h>

#include <algorithm>

namespace nestwright::cuda {
namespace {

using nlohmann::json;

std::vector<std::string> namesOf(const std::vector<GpuArchitecture>& architectures) {
  std::vector<std::string> names;
  for (const GpuArchitecture& architecture : architectures)
    names.push_back(architecture.name());
  return names;
}

BackendFinding compilerFinding(const NvrtcStatus& nvrtc) {
  const std::vector<std::string> names = namesOf(nvrtc.architectures);
  BackendFinding finding{BackendPart::Compiler, "NVRTC", nvrtc.reason, "", json::object()};
  if (nvrtc.found)
    finding.fact = fmt::format("{} ({}) compiles for {}", versionText(nvrtc.version), nvrtc.path,
                               fmt::join(names, ", "));
  else
    finding.advice = "Without it GPU programs can be made but not compiled. It comes with NVIDIA's "
                     "CUDA Toolkit, 12 or later; CUDA_HOME or NESTWRIGHT_NVRTC can say where it is";
  finding.details = {{"found", nvrtc.found},
                     {"path", nvrtc.path},
                     {"version", nvrtc.found ? json(versionText(nvrtc.version)) : json()},
                     {"architectures", names}};
  return finding;
}

BackendFinding disassemblerFinding(const NvrtcStatus& nvrtc) {
  std::string why;
  const std::string program = findDisassembler(nvrtc.path, why);
  BackendFinding finding{BackendPart::Disassembler, "nvdisasm", program.empty() ? why : program, "",
                         json::object()};
  if (program.empty()) finding.advice = "Without it a GPU's code is shown as PTX, not as SASS";
  finding.details = {{"found", !program.empty()}, {"path", program}};
  return finding;
}

/// A driver runs what toolkits of its own major version, or an earlier one, have made.
std::string versionAdvice(const NvrtcStatus& nvrtc, int driver) {
  if (!nvrtc.found || driver == 0 || nvrtc.version / 1000 <= driver / 1000) return "";
  return fmt::format("The driver is older than NVRTC {}: what that compiles may not load. Take a "
                     "newer driver, or NVRTC {}",
                     versionText(nvrtc.version), driver / 1000);
}

BackendFinding driverFinding(const NvrtcStatus& nvrtc, const DeviceReport& report) {
  BackendFinding finding{BackendPart::Driver, "driver", report.problem, "", json::object()};
  if (report.driverVersion > 0)
    finding.fact = fmt::format("{} runs what CUDA {} and earlier make{}{}", report.driverPath,
                               versionText(report.driverVersion),
                               report.problem.empty() ? "" : ", but: ", report.problem);
  if (!report.problem.empty())
    finding.advice = kDeviceAdvice;
  else
    finding.advice = versionAdvice(nvrtc, report.driverVersion);
  finding.details = {
      {"found", report.driverVersion > 0},
      {"path", report.driverPath},
      {"version", report.driverVersion > 0 ? json(versionText(report.driverVersion)) : json()},
      {"problem", report.problem}};
  return finding;
}

BackendFinding deviceFinding(std::size_t number, const ReportedDevice& device,
                             const NvrtcStatus& nvrtc) {
  const GpuFacts& gpu = device.facts;
  BackendFinding finding{BackendPart::Device, fmt::format("device {}", number), "", "",
                         json::object()};
  finding.fact =
      fmt::format("{} ({}), {} multiprocessors, {}, L2 {}", gpu.name, gpu.architecture.name(),
                  gpu.multiprocessors, formatBytes(static_cast<double>(gpu.memoryBytes)),
                  formatBytes(static_cast<double>(gpu.l2Bytes)));
  if (const std::string state = inWords(device.state); !state.empty())
    finding.fact += "; now " + state;
  const auto& known = nvrtc.architectures;
  if (nvrtc.found && std::ranges::find(known, gpu.architecture) == known.end())
    finding.advice = fmt::format("NVRTC {} does not compile for it", versionText(nvrtc.version));
  else if (device.state.otherProcesses.value_or(0) > 0)
    finding.advice = "Other processes compute on it, perhaps a session's own: times will be worse "
                     "than they could be";
  finding.details = {{"number", number},
                     {"target", toJson(cudaTarget(gpu))},
                     {"pci_bus_id", device.pciBusId},
                     {"state", inWords(device.state)}};
  return finding;
}

} // namespace

std::vector<EnvironmentFinding> environmentOf(const ReportedDevice& device) {
  const DeviceState& state = device.state;
  std::vector<EnvironmentFinding> findings;
  if (const std::string words = inWords(state); !words.empty())
    findings.push_back({EnvironmentKind::Gpu, fmt::format("{}: {}", device.facts.name, words), ""});
  if (const int others = state.otherProcesses.value_or(0); others > 0)
    findings.push_back(
        {EnvironmentKind::Gpu,
         fmt::format("{} on the GPU{}",
                     others == 1 ? "another process computes"
                                 : fmt::format("{} other processes compute", others),
                     state.isDivided ? ", on this or another of its instances (MIG)" : ""),
         "Times will be worse and vary more than on a GPU that is free; wait for them, or choose "
         "another device"});
  for (const ClockLimit limit : state.slowedBy)
    if (!isHarmless(limit))
      findings.push_back({EnvironmentKind::Gpu,
                          fmt::format("the GPU's clock is held down: {}", name(limit)),
                          "Times of now and of a cooler hour are not to be compared"});
  return findings;
}

BackendSurvey survey(const NvrtcStatus& nvrtc, const DeviceReport& report) {
  BackendSurvey findings{compilerFinding(nvrtc)};
  if (nvrtc.found) findings.push_back(disassemblerFinding(nvrtc));
  findings.push_back(driverFinding(nvrtc, report));
  for (std::size_t i = 0; i < report.devices.size(); ++i)
    findings.push_back(deviceFinding(i, report.devices[i], nvrtc));
  return findings;
}

} // namespace nestwright::cuda
