#include "core/template/config_space.h"

#include "core/support/error.h"
#include "core/support/quantity.h"

#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nestwright {

namespace {

constexpr std::int64_t kMostConfigurations = std::int64_t(1) << 62;

/// How far apart two splits are: the differences of their sizes' logarithms. Others are equal or
/// not.
double distance(const Entity& a, const Entity& b) {
  const auto* one = std::get_if<SplitEntity>(&a);
  const auto* other = std::get_if<SplitEntity>(&b);
  if (!one || !other || one->sizes.size() != other->sizes.size())
    return a == b ? 0 : std::numeric_limits<double>::infinity();
  double sum = 0;
  for (std::size_t i = 1; i < one->sizes.size(); ++i)
    sum += std::abs(std::log2(static_cast<double>(std::max<std::int64_t>(one->sizes[i], 1))) -
                    std::log2(static_cast<double>(std::max<std::int64_t>(other->sizes[i], 1))));
  return sum;
}

std::optional<std::size_t> findIn(const Knob& knob, const Entity& entity) {
  const auto found = std::ranges::find_if(
      knob.values, [&](const Entity& value) { return meansTheSame(value, entity); });
  if (found == knob.values.end()) return std::nullopt;
  return static_cast<std::size_t>(found - knob.values.begin());
}

std::size_t placeOf(const Knob& knob, const Entity& entity) {
  if (const auto place = findIn(knob, entity)) return *place;
  const auto nearest = std::ranges::min_element(
      knob.values, {}, [&](const Entity& value) { return distance(value, entity); });
  throw InputError(fmt::format("{} cannot be {}; the nearest of its {} is {}", knob.name,
                               text(entity), quantity(std::ssize(knob.values), "value"),
                               text(*nearest)));
}

} // namespace

ConfigSpace::ConfigSpace(std::vector<Knob> knobs) : knobs_(std::move(knobs)) {
  for (std::size_t i = 0; i < knobs_.size(); ++i) {
    const Knob& knob = knobs_[i];
    if (knob.values.empty())
      throw InputError(fmt::format("the knob {} has no value that fits", knob.name));
    for (std::size_t other = 0; other < i; ++other)
      if (knobs_[other].name == knob.name)
        throw InputError(fmt::format("there are two knobs called {}", knob.name));
    if (__builtin_mul_overflow(size_, std::ssize(knob.values), &size_) ||
        size_ > kMostConfigurations)
      throw InputError("the space has more configurations than can be numbered");
  }
}

std::vector<std::size_t> ConfigSpace::digits(std::int64_t index) const {
  if (index < 0 || index >= size_)
    throw InputError(fmt::format("configuration {} is not there; the space has those from 0 to {}",
                                 index, size_ - 1));
  std::vector<std::size_t> digits;
  for (const Knob& knob : knobs_) {
    digits.push_back(static_cast<std::size_t>(index % std::ssize(knob.values)));
    index /= std::ssize(knob.values);
  }
  return digits;
}

std::int64_t ConfigSpace::indexOf(const std::vector<std::size_t>& digits) const {
  NW_ASSERT(digits.size() == knobs_.size(), "a digit for each knob");
  std::int64_t index = 0;
  for (std::size_t i = knobs_.size(); i-- > 0;)
    index = index * std::ssize(knobs_[i].values) + static_cast<std::int64_t>(digits[i]);
  return index;
}

std::vector<NamedEntity> ConfigSpace::at(std::int64_t index) const {
  std::vector<NamedEntity> entities;
  const std::vector<std::size_t> places = digits(index);
  for (std::size_t i = 0; i < knobs_.size(); ++i)
    entities.push_back({knobs_[i].name, knobs_[i].values[places[i]]});
  return entities;
}

std::int64_t ConfigSpace::indexOf(const std::vector<NamedEntity>& entities) const {
  for (const NamedEntity& entity : entities)
    if (std::ranges::find(knobs_, entity.knob, &Knob::name) == knobs_.end()) {
      std::vector<std::string> names;
      for (const Knob& knob : knobs_)
        names.push_back(knob.name);
      throw InputError(fmt::format("the template has no knob {}; its knobs are {}", entity.knob,
                                   fmt::join(names, ", ")));
    }
  std::vector<std::size_t> places;
  for (const Knob& knob : knobs_) {
    const auto found = std::ranges::find(entities, knob.name, &NamedEntity::knob);
    if (found == entities.end())
      throw InputError(fmt::format("the knob {} is not given", knob.name));
    places.push_back(placeOf(knob, found->entity));
  }
  return indexOf(places);
}

std::optional<std::int64_t> ConfigSpace::find(const std::vector<NamedEntity>& entities) const {
  if (entities.size() != knobs_.size()) return std::nullopt;
  std::vector<std::size_t> places;
  for (const Knob& knob : knobs_) {
    const auto named = std::ranges::find(entities, knob.name, &NamedEntity::knob);
    const auto place = named == entities.end() ? std::nullopt : findIn(knob, named->entity);
    if (!place) return std::nullopt;
    places.push_back(*place);
  }
  return indexOf(places);
}

std::int64_t ConfigSpace::neighbour(std::int64_t index, Random& random) const {
  if (size_ == 1) return index;
  const std::vector<std::size_t> from = digits(index);
  for (;;) {
    std::vector<std::size_t> to = from;
    const std::size_t knob = random.below(knobs_.size());
    to[knob] = random.below(knobs_[knob].values.size());
    if (to != from) return indexOf(to);
  }
}

std::string text(const Entity& entity) {
  return toJson(NamedEntity{"", entity})[2].dump();
}

} // namespace nestwright
