#include "tests/bench/contender.h"

#include "core/measure/elements.h"
#include "core/support/error.h"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace nestwright::bench {
namespace {

double secondsOf(const Contender& contender, std::size_t sets, int runs) {
  const auto start = std::chrono::steady_clock::now();
  for (int i = 0; i < runs; ++i)
    contender.run(static_cast<std::size_t>(i) % sets);
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

} // namespace

InputSets::InputSets(const ComputeDag& dag, std::size_t sets) : dag_(dag), sets_(sets) {
  for (std::vector<test::AlignedBytes>& set : sets_) {
    for (const Op& op : dag.inputs()) {
      const test::AlignedBytes& bytes = set.emplace_back(op->output->bytes());
      fillRandom({bytes.as<std::uint8_t>(), bytes.size()}, op->output->type, 1, set.size() - 1);
    }
  }
}

float* InputSets::input(std::size_t set, const std::string& name) const {
  return static_cast<float*>(data(set, name));
}

void* InputSets::data(std::size_t set, const std::string& name) const {
  const std::vector<Op> inputs = dag_.inputs();
  const auto it =
      std::find_if(inputs.begin(), inputs.end(), [&](const Op& op) { return op->name() == name; });
  NW_ASSERT(it != inputs.end(), "no such input");
  return sets_[set][static_cast<std::size_t>(it - inputs.begin())].data();
}

std::vector<void*> InputSets::inputs(std::size_t set) const {
  std::vector<void*> pointers;
  for (const test::AlignedBytes& bytes : sets_[set])
    pointers.push_back(bytes.data());
  return pointers;
}

std::vector<Times> timeInTurns(const std::vector<Contender>& contenders, std::size_t sets,
                               int turns, double batchSeconds) {
  std::vector<int> runs;
  for (const Contender& contender : contenders) {
    secondsOf(contender, sets, static_cast<int>(sets)); // page faults, code
    const double once = secondsOf(contender, sets, 1);
    runs.push_back(std::clamp(static_cast<int>(std::ceil(batchSeconds / once)), 1, 100000));
  }
  std::vector<std::vector<double>> seconds(contenders.size());
  for (int turn = 0; turn < turns; ++turn) {
    for (std::size_t c = 0; c < contenders.size(); ++c) {
      secondsOf(contenders[c], sets, 1);
      seconds[c].push_back(secondsOf(contenders[c], sets, runs[c]) / runs[c]);
    }
  }
  std::vector<Times> times;
  for (std::vector<double>& all : seconds) {
    std::sort(all.begin(), all.end());
    times.push_back({all.front(), all[all.size() / 2]});
  }
  return times;
}

} // namespace nestwright::bench
