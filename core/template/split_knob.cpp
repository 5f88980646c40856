#include "core/template/split_knob.h"

#include "core/support/divisors.h"
#include "core/support/error.h"
#include "core/support/quantity.h"
#include "core/template/python_set.h"

#include <algorithm>
#include <utility>

namespace nestwright {

namespace {

// Far beyond any loop that is split, and few enough for all values to be listed.
constexpr std::int64_t kMostIterations = std::int64_t(1) << 24;
constexpr std::size_t kMostValues = std::size_t(1) << 17;

std::vector<std::int64_t> powersOfTwo(std::int64_t most) {
  std::vector<std::int64_t> powers;
  for (std::int64_t power = 1; power <= most; power *= 2)
    powers.push_back(power);
  return powers;
}

std::vector<std::int64_t> sizesOf(const SplitRule& rule) {
  std::vector<std::int64_t> sizes;
  switch (rule.policy) {
  case SplitPolicy::Factors:
    sizes = divisors(rule.extent);
    break;
  case SplitPolicy::Power2:
    sizes = powersOfTwo(rule.extent);
    break;
  case SplitPolicy::Verbose:
    sizes = unionInPythonsOrder(divisors(rule.extent), powersOfTwo(rule.extent));
    break;
  }
  std::erase_if(sizes, [&](std::int64_t size) { return size > rule.maxFactor; });
  return sizes;
}

class Enumeration {
 public:
  Enumeration(const SplitRule& rule, Knob& knob)
      : rule_(rule), knob_(knob), choices_(sizesOf(rule)),
        noTail_(rule.noTail || rule.policy == SplitPolicy::Factors),
        entity_{std::vector<std::int64_t>(static_cast<std::size_t>(rule.parts), -1)} {}

  /// Chooses the size of a part and of all outside of it; the outermost is what they leave.
  void choose(int part, std::int64_t product) {
    if (part == 0) {
      const bool fits = rule_.extent % product == 0 || (!noTail_ && product < rule_.extent);
      if (!fits || (rule_.filter && !rule_.filter(entity_))) return;
      if (knob_.values.size() == kMostValues)
        throw InputError(fmt::format("the knob {} has more values than can be listed", knob_.name));
      knob_.values.emplace_back(entity_);
      return;
    }
    for (const std::int64_t size : choices_) {
      if (size > rule_.extent / product) continue;
      entity_.sizes[static_cast<std::size_t>(part)] = size;
      choose(part - 1, product * size);
    }
  }

 private:
  const SplitRule& rule_;
  Knob& knob_;
  std::vector<std::int64_t> choices_;
  bool noTail_;
  SplitEntity entity_;
};

} // namespace

Knob splitKnob(std::string name, const SplitRule& rule) {
  if (rule.extent < 1 || rule.extent > kMostIterations || rule.parts < 1)
    throw InputError(fmt::format("the knob {} splits {} into {}", name,
                                 quantity(rule.extent, "iteration"), quantity(rule.parts, "part")));
  Knob knob{std::move(name), {}};
  Enumeration(rule, knob).choose(rule.parts - 1, 1);
  return knob;
}

} // namespace nestwright
