#include "core/target/target_text.h"

#include <algorithm>
#include <charconv>
#include <limits>
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

void takeOption(TargetFacts& facts, const std::string& name, const std::string& value) {
  if (name == "-mcpu" || name == "-arch")
    facts.cpuName = value;
  else if (name == "-model")
    facts.modelName = value;
  else if (name == "-mattr")
    facts.features = featuresOf(value);
  else if (name == "-num-cores")
    facts.cores = std::max(1, toInt(value, facts.cores));
}

void takeHardware(TargetFacts& facts, const std::vector<std::int64_t>& hardware) {
  const auto take = [&](std::size_t i, int& fact) {
    if (i < hardware.size() && hardware[i] > 0 && hardware[i] < std::numeric_limits<int>::max())
      fact = int(hardware[i]);
  };
  take(0, facts.cores);
  take(1, facts.vectorBytes);
  take(2, facts.cacheLineBytes);
}

} // namespace

TargetFacts targetFromText(std::string_view text, const std::vector<std::int64_t>& hardware) {
  TargetFacts facts;
  const std::vector<std::string> words = split(std::string(text), ' ');
  if (!words.empty()) facts.backend = words.front();
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::size_t sign = words[i].find('=');
    if (sign != std::string::npos)
      takeOption(facts, words[i].substr(0, sign), words[i].substr(sign + 1));
  }
  takeHardware(facts, hardware);
  return facts;
}

} // namespace nestwright
