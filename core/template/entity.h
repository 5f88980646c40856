#pragma once
/// \file What a configuration of a template says of one knob (handbook/cost-models.md 3.1).

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace nestwright {

/// Sizes of the parts of a loop, the outermost first. -1 stands for what the others leave; logs of
/// 2018 have the number there.
struct SplitEntity {
  std::vector<std::int64_t> sizes;
  friend bool operator==(const SplitEntity&, const SplitEntity&) = default;
};
/// The old positions of loops, in their new order.
struct ReorderEntity {
  std::vector<int> order;
  friend bool operator==(const ReorderEntity&, const ReorderEntity&) = default;
};
/// What is done to each of some loops: "none", "unroll", "vec", "blockIdx.x", ..., "vthread",
/// "fuse".
struct AnnotateEntity {
  std::vector<std::string> annotations;
  friend bool operator==(const AnnotateEntity&, const AnnotateEntity&) = default;
};
/// The value of any other choice.
struct OptionEntity {
  std::variant<bool, std::int64_t, std::string> value;
  friend bool operator==(const OptionEntity&, const OptionEntity&) = default;
};
using Entity = std::variant<SplitEntity, ReorderEntity, AnnotateEntity, OptionEntity>;

/// An entity by the name of its knob.
struct NamedEntity {
  std::string knob;
  Entity entity;
  friend bool operator==(const NamedEntity&, const NamedEntity&) = default;
};

/// As AutoTVM writes it: ["tile_y", "sp", [-1, 4]], ["unroll_kw", "ot", true].
nlohmann::json toJson(const NamedEntity& entity);
/// The inverse. Throws InputError that says what is wrong.
NamedEntity namedEntityFromJson(const nlohmann::json& json);

/// Whether both mean the same: a split's outermost size is settled by the others.
bool meansTheSame(const Entity& a, const Entity& b);

} // namespace nestwright
