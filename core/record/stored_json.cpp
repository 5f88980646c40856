#include "core/record/stored_json.h"

#include "core/support/error.h"

#include <nlohmann/json.hpp>

namespace nestwright {

nlohmann::json storedJson(const std::string& text, std::string_view what) {
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (value.is_discarded())
    throw InputError(fmt::format("{} cannot be read: the file was altered or is damaged", what));
  return value;
}

} // namespace nestwright
