#include "core/target/target_text.h"

#include "core/target/instruction_set.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <sstream>

namespace nestwright {

namespace {

int toInt(const std::string& text, int otherwise) {
  int value = otherwise;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return value;
}

/// The parts between separators, empty ones left out.
std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);)
    if (!part.empty()) parts.push_back(part);
  return parts;
}

/// "avx2,-sse4a,+neon" as the features that are there.
std::vector<std::string> featuresOf(const std::string& list) {
  std::vector<std::string> features;
  for (const std::string& feature : split(list, ','))
    if (feature.front() != '-') features.push_back(feature.substr(feature.front() == '+' ? 1 : 0));
  return features;
}

/// Whether the target's programs have blocks and threads: "-keys=cuda,gpu".
bool isGpu(const std::vector<std::string>& words) {
  const std::string keys = "-keys=";
  for (const std::string& word : words)
    if (word.starts_with(keys)) {
      const std::vector<std::string> given = split(word.substr(keys.size()), ',');
      return std::ranges::find(given, "gpu") != given.end();
    }
  return !words.empty() && words.front() == "cuda";
}

using Options = std::map<std::string, std::string>;

std::string valueOf(const Options& options, const char* option) {
  const auto found = options.find(option);
  return found == options.end() ? std::string() : found->second;
}

TargetFacts cpuFromOptions(const std::string& backend, const Options& options) {
  TargetFacts facts;
  if (!backend.empty()) facts.backend = backend;
  facts.cpuName = valueOf(options, options.contains("-mcpu") ? "-mcpu" : "-arch");
  facts.modelName = valueOf(options, "-model");
  facts.features = featuresOf(valueOf(options, "-mattr"));
  facts.cores = std::max(1, toInt(valueOf(options, "-num-cores"), facts.cores));
  if (const auto lowering = options.find("-lowering"); lowering != options.end())
    facts.lowering = loweringFromName(lowering->second);
  if (const auto set = options.find("-isa"); set != options.end())
    facts.instructionSet = instructionSetFromName(set->second);
  if (const int bytes = vectorBytesOf(facts.instructionSet); bytes > 0) facts.vectorBytes = bytes;
  return facts;
}

void takeHardware(TargetFacts& facts, const std::vector<std::int64_t>& hardware) {
  const auto take = [&](std::size_t i, int& fact) {
    if (i < hardware.size() && hardware[i] > 0 && hardware[i] < std::numeric_limits<int>::max())
      fact = int(hardware[i]);
  };
  take(0, facts.cores);
  take(1, facts.gpu ? facts.gpu->vectorBytes : facts.vectorBytes);
  take(2, facts.cacheLineBytes);
  if (!facts.gpu) return;
  take(3, facts.gpu->sharedBytesPerBlock);
  take(5, facts.gpu->threadsPerBlock);
  take(7, facts.gpu->warpThreads);
}

/// A GPU as its options describe it; what they leave out is as its architecture has it.
TargetFacts gpuFromOptions(const std::string& backend, const Options& options) {
  GpuFacts gpu =
      gpuPreset(architectureFromName(valueOf(options, "-arch")).value_or(GpuArchitecture{}));
  // The device is not the one that the preset describes.
  gpu.multiprocessors = gpu.clockKilohertz = gpu.memoryClockKilohertz = gpu.busBits = 0;
  gpu.l2Bytes = gpu.memoryBytes = 0;
  const auto take = [&](const char* option, int& fact) {
    if (const int given = toInt(valueOf(options, option), 0); given > 0) fact = given;
  };
  take("-max_num_threads", gpu.threadsPerBlock);
  take("-max_threads_per_block", gpu.threadsPerBlock);
  take("-max_shared_memory_per_block", gpu.sharedBytesPerBlock);
  take("-thread_warp_size", gpu.warpThreads);
  TargetFacts facts = cudaTarget(gpu);
  facts.backend = backend;
  if (const std::string model = valueOf(options, "-model"); model != "unknown")
    facts.modelName = model;
  return facts;
}

} // namespace

TargetFacts targetFromText(std::string_view text, const std::vector<std::int64_t>& hardware) {
  const std::vector<std::string> words = split(std::string(text), ' ');
  const std::string backend = words.empty() ? std::string() : words.front();
  Options options;
  for (const std::string& word : words)
    if (const std::size_t sign = word.find('='); sign != std::string::npos)
      options[word.substr(0, sign)] = word.substr(sign + 1);
  TargetFacts facts =
      isGpu(words) ? gpuFromOptions(backend, options) : cpuFromOptions(backend, options);
  facts.recorded = std::ranges::find(words, "-recorded") != words.end();
  takeHardware(facts, hardware);
  return facts;
}

} // namespace nestwright
