#include "core/session/run/memory/memory_source.h"

#include "core/record/format/target_facts.h"
#include "core/support/error.h"
#include "core/support/name_table.h"

#include <algorithm>
#include <cmath>

namespace nestwright {

namespace {

constexpr NameTable<MemorySource, 4> kMemorySourceNames = {
    {"same task", "same machine", "same kind", "other target"}};
constexpr NameTable<MemorySource, 4> kMemorySourceMeanings = {
    {"the same task on this target",
     "the same task on this machine, with other threads or another lowering",
     "a task of the same kind on this target", "the same task on another target"}};

/// The facts without what may be chosen anew for every session on the machine.
std::string machineKey(TargetFacts facts) {
  facts = machineOf(std::move(facts));
  if (facts.gpu) return facts.id();
  facts.cores = 1;
  facts.lowering = Lowering::Full;
  return facts.id();
}

double distance(const std::vector<Axis>& a, const std::vector<Axis>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    sum += std::abs(std::log2(double(a[i].extent) / double(b[i].extent)));
  return sum;
}

} // namespace

const char* name(MemorySource source) {
  return kMemorySourceNames.of(source);
}

MemorySource memorySourceFromName(std::string_view text) {
  if (const std::optional<MemorySource> source = kMemorySourceNames.find(text)) return *source;
  throw InputError(fmt::format("\"{}\" is no source of a memory", text));
}

const char* meaning(MemorySource source) {
  return kMemorySourceMeanings.of(source);
}

bool teaches(MemorySource source) {
  return source != MemorySource::OtherTarget;
}

TargetKinship kinshipOf(const TargetFacts& remembered, const TargetFacts& wanted) {
  if (machineOf(remembered).id() == machineOf(wanted).id()) return TargetKinship::Same;
  return machineKey(remembered) == machineKey(wanted) ? TargetKinship::SameMachine
                                                      : TargetKinship::Other;
}

double extentDistance(const ComputeDag& a, const ComputeDag& b) {
  double sum = 0;
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    sum += distance(a[i]->axes, b[i]->axes) + distance(a[i]->reduceAxes, b[i]->reduceAxes);
  return sum;
}

} // namespace nestwright
