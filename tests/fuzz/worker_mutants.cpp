#include "tests/fuzz/mutants.h"
#include "tests/fuzz/mutation.h"

#include <nlohmann/json.hpp>

#include <csignal>

namespace nestwright::fuzz {

namespace {

using nlohmann::json;

/// A session may ask for any time and for any code to be run; whether the worker understands what
/// it is asked for is what is tried here. So times stay short, and machine code stays as it is.
json mutatedHeader(const json& original, const std::string& marker, Random& random) {
  json header = mutatedJson(original, marker, random);
  if (!header.is_object()) return header;
  constexpr double kMuch = 100;
  for (const char* field :
       {"warmups", "repeats", "rounds", "min_repeat_seconds", "max_total_seconds", "max_seconds"})
    if (const auto value = header.find(field);
        value != header.end() && value->is_number() && value->get<double>() > kMuch)
      *value = original[field];
  if (header.value("type", json()) == "load")
    for (const char* field : {"artifact", "dag"})
      if (header.contains(field)) header[field] = original[field];
  return header;
}

std::string mutatedRequest(const Frame& frame, const std::string& marker, Random& random) {
  constexpr std::size_t kPrefixBytes = 16;
  if (random.below(2) == 0) {
    Frame changed = frame;
    changed.header = mutatedHeader(frame.header, marker, random);
    return encode(changed);
  }
  const std::string wire = encode(frame);
  if (frame.payload.empty()) return mutatedBytes(wire, wire, random);
  std::string prefix = wire.substr(0, kPrefixBytes);
  prefix[random.below(kPrefixBytes)] = static_cast<char>(random.below(256));
  return prefix + wire.substr(kPrefixBytes);
}

} // namespace

std::vector<Command> requestMutant(const Seeds& seeds, const Site& site, Random& random) {
  const bool networks = random.below(4) == 0;
  const std::vector<Frame>& requests = networks ? seeds.networkRequests : seeds.requests;
  const std::uint64_t broken = random.below(requests.size());
  std::string wire;
  for (std::size_t i = 0; i < requests.size(); ++i)
    wire += i == broken || random.below(8) == 0 ? mutatedRequest(requests[i], site.marker, random)
                                                : encode(requests[i]);
  writeBytes(site.folder / "requests", wire);
  Command command{{seeds.nestwright, networks ? "network-worker" : "worker"},
                  site.folder / "requests",
                  {"OMP_WAIT_POLICY=passive"}};
  command.acceptedSignal = SIGXCPU; // requests say how much processor time they may take
  return {command};
}

std::vector<Command> answerMutant(const Seeds& seeds, const Site& site, Random& random) {
  Command command{{seeds.master, "tune", kSubject, "--db", "own.nwdb", "--trials", "6",
                   "--trials-per-round", "3", "--policy", "random", "--build-timeout", "2",
                   "--run-timeout", "2", "--threads", "1"},
                  {},
                  {"NESTWRIGHT_PLUGIN_PATH=" + seeds.plugins.string(),
                   "MUTATE_SEED=" + std::to_string(random.below(1'000'000'000)),
                   "MUTATE_MARKER=" + site.marker}};
  command.interruptAfter = 6; // time-outs add up
  return {command, {{seeds.nestwright, "db", "check", "own.nwdb"}, {}}};
}

} // namespace nestwright::fuzz
