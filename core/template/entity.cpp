#include "core/template/entity.h"

#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace nestwright {

using nlohmann::json;

namespace {

constexpr const char* kSplit = "sp";
constexpr const char* kReorder = "re";
constexpr const char* kAnnotate = "an";
constexpr const char* kOption = "ot";

json valueOf(const OptionEntity& entity) {
  return std::visit([](const auto& value) { return json(value); }, entity.value);
}

OptionEntity optionOf(const json& value) {
  if (value.is_boolean()) return {value.get<bool>()};
  if (value.is_number_integer()) return {value.get<std::int64_t>()};
  if (value.is_string()) return {value.get<std::string>()};
  throw InputError(fmt::format("{} is no value of an option", value.dump()));
}

Entity entityOf(const std::string& kind, const json& value) {
  if (kind == kSplit) return SplitEntity{value.get<std::vector<std::int64_t>>()};
  if (kind == kReorder) return ReorderEntity{value.get<std::vector<int>>()};
  if (kind == kAnnotate) return AnnotateEntity{value.get<std::vector<std::string>>()};
  if (kind == kOption) return optionOf(value);
  throw InputError(fmt::format("\"{}\" is no kind of knob; there are {} (split), {} (reorder), {} "
                               "(annotate) and {} (other option)",
                               kind, kSplit, kReorder, kAnnotate, kOption));
}

} // namespace

json toJson(const NamedEntity& named) {
  struct Writer {
    const std::string& knob;
    json operator()(const SplitEntity& e) const { return {knob, kSplit, e.sizes}; }
    json operator()(const ReorderEntity& e) const { return {knob, kReorder, e.order}; }
    json operator()(const AnnotateEntity& e) const { return {knob, kAnnotate, e.annotations}; }
    json operator()(const OptionEntity& e) const { return {knob, kOption, valueOf(e)}; }
  };
  return std::visit(Writer{named.knob}, named.entity);
}

NamedEntity namedEntityFromJson(const json& value) {
  try {
    if (!value.is_array() || value.size() != 3)
      throw InputError(fmt::format("{} is not [name, kind, value]", value.dump()));
    return {value[0].get<std::string>(), entityOf(value[1].get<std::string>(), value[2])};
  } catch (const json::exception& error) {
    throw InputError(fmt::format("{} is no entity of a template: {}", value.dump(), error.what()));
  }
}

bool meansTheSame(const Entity& a, const Entity& b) {
  const auto* one = std::get_if<SplitEntity>(&a);
  const auto* other = std::get_if<SplitEntity>(&b);
  if (!one || !other || one->sizes.empty() || other->sizes.empty()) return a == b;
  return std::equal(one->sizes.begin() + 1, one->sizes.end(), other->sizes.begin() + 1,
                    other->sizes.end());
}

} // namespace nestwright
