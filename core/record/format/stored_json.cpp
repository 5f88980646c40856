#include "core/record/format/stored_json.h"

namespace nestwright {

nlohmann::json storedJson(const std::string& text, std::string_view what) {
  nlohmann::json value = nlohmann::json::parse(text, nullptr, false);
  if (value.is_discarded())
    throw InputError(fmt::format("{} cannot be read: the file was altered or is damaged", what));
  return value;
}

} // namespace nestwright
