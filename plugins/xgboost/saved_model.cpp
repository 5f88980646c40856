#include "plugins/xgboost/saved_model.h"

#include "core/support/hash.h"
#include "plugins/xgboost/booster.h"

namespace nestwright::xgboost {
namespace {

using nlohmann::json;

constexpr int kFormat = 1;
/// A row has a few hundred; XGBoost keeps a place for each of them in every thread.
constexpr std::size_t kMostColumns = 1 << 16;

std::string kindOf(const char* model) {
  return fmt::format("nestwright {} model", model);
}

/// Hash of everything that is saved but the hash itself.
std::string seal(const json& header, std::string_view trees) {
  return hashHex(header.dump() + std::string(trees));
}

} // namespace

std::string sealModel(const char* model, json header, std::string_view trees) {
  header["kind"] = kindOf(model);
  header["format"] = kFormat;
  header["xgboost"] = libraryVersion();
  const std::string hash = seal(header, trees);
  header["hash"] = hash;
  return header.dump() + '\n' + std::string(trees);
}

SavedModel openModel(const char* model, std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  json header;
  if (end != std::string_view::npos) header = json::parse(bytes.substr(0, end), nullptr, false);
  if (!header.is_object() || header.value("kind", json()) != kindOf(model))
    throw InputError(fmt::format("these bytes are no saved {} cost model", model));
  if (header.value("format", json()) != kFormat)
    throw InputError(fmt::format("the model was saved in form {} with XGBoost {}; this program "
                                 "reads form {}, with XGBoost {}",
                                 header.value("format", json()).dump(),
                                 header.value("xgboost", json()).dump(), kFormat,
                                 libraryVersion()));
  const std::string_view trees = bytes.substr(end + 1);
  const json hash = header.value("hash", json());
  header.erase("hash");
  if (hash != seal(header, trees))
    throw InputError(fmt::format("the saved {} model is damaged: its {} bytes do not have "
                                 "the hash that was stored with them",
                                 model, trees.size()));
  return {std::move(header), trees};
}

json savedOptions(const char* model, const json& header, const json& given) {
  json options = savedField<json>(model, header, "options");
  if (!options.is_object())
    throw InputError(fmt::format("the saved {} model does not say how it was trained", model));
  for (const char* own : {"threads", "warmup"})
    options[own] = given.at(own);
  return options;
}

std::size_t savedColumns(const char* model, const json& header, const char* field) {
  const auto columns = savedField<std::size_t>(model, header, field);
  if (columns < 1 || columns > kMostColumns)
    throw InputError(fmt::format("the saved {} model reads {} features a row, where {} at "
                                 "most can be",
                                 model, columns, kMostColumns));
  return columns;
}

std::string savedBy(const json& header) {
  const json writer = header.value("xgboost", json());
  return writer.is_string() ? writer.get<std::string>() : writer.dump();
}

} // namespace nestwright::xgboost
