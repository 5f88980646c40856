#pragma once
/// \file The configurations of a template: the product of its knobs.

#include "core/support/random.h"
#include "core/template/entity.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace nestwright {

/// A choice that a template leaves open, and all values that it may have, in their order.
struct Knob {
  std::string name;
  std::vector<Entity> values;
};

/// Configurations are numbered in mixed radix, the first knob being the least significant digit.
/// Such an index is an id within one version of a template; the entities are the truth.
class ConfigSpace {
 public:
  /// Throws InputError for a knob without values, two of one name, and more than 2^62
  /// configurations.
  explicit ConfigSpace(std::vector<Knob> knobs);

  const std::vector<Knob>& knobs() const { return knobs_; }
  std::int64_t size() const { return size_; }

  /// The place of each knob's value in its list. Throws InputError for an index that is not there.
  std::vector<std::size_t> digits(std::int64_t index) const;
  std::int64_t indexOf(const std::vector<std::size_t>& digits) const;

  std::vector<NamedEntity> at(std::int64_t index) const;
  /// The configuration that the entities mean. Throws InputError that names the knob which is
  /// missing, unknown, or has no such value, with the value nearest to it.
  std::int64_t indexOf(const std::vector<NamedEntity>& entities) const;
  /// Nothing where indexOf() would throw.
  std::optional<std::int64_t> find(const std::vector<NamedEntity>& entities) const;

  /// Another configuration that differs in one knob, which and to what being drawn (AutoTVM's
  /// random walk); the same where there is no other.
  std::int64_t neighbour(std::int64_t index, Random& random) const;

 private:
  std::vector<Knob> knobs_;
  std::int64_t size_ = 1;
};

/// The value in words: "[-1, 4]", "true".
std::string text(const Entity& entity);

} // namespace nestwright
