#include "core/model/sealed_model.h"

#include "core/support/hash.h"
#include "core/support/version.h"

namespace nestwright {
namespace {

using nlohmann::json;

/// A row has a few hundred; XGBoost keeps a place for each of them in every thread.
constexpr std::size_t kMostColumns = 1 << 16;

std::string kindOf(const std::string& model) {
  return fmt::format("nestwright {} model", model);
}

/// Hash of everything that is saved but the hash itself.
std::string seal(const json& header, std::string_view bytes) {
  return hashHex(header.dump() + std::string(bytes));
}

} // namespace

ModelForm ownForm(int format) {
  return {.format = format,
          .libraryKey = "nestwright",
          .libraryName = "Nestwright",
          .libraryVersion = version()};
}

std::string sealModel(const ModelForm& form, const std::string& model, json header,
                      std::string_view bytes) {
  header["kind"] = kindOf(model);
  header["format"] = form.format;
  header[form.libraryKey] = form.libraryVersion;
  const std::string hash = seal(header, bytes);
  header["hash"] = hash;
  return header.dump() + '\n' + std::string(bytes);
}

SealedModel openModel(const ModelForm& form, const std::string& model, std::string_view bytes) {
  const std::size_t end = bytes.find('\n');
  json header;
  if (end != std::string_view::npos) header = json::parse(bytes.substr(0, end), nullptr, false);
  if (!header.is_object() || header.value("kind", json()) != kindOf(model))
    throw InputError(fmt::format("these bytes are no saved {} cost model", model));
  if (header.value("format", json()) != form.format)
    throw InputError(fmt::format("the model was saved in form {} with {} {}; this program reads "
                                 "form {}, with {} {}",
                                 header.value("format", json()).dump(), form.libraryName,
                                 header.value(form.libraryKey, json()).dump(), form.format,
                                 form.libraryName, form.libraryVersion));
  const std::string_view rest = bytes.substr(end + 1);
  const json hash = header.value("hash", json());
  header.erase("hash");
  if (hash != seal(header, rest))
    throw InputError(fmt::format("the saved {} model is damaged: its {} bytes do not have "
                                 "the hash that was stored with them",
                                 model, rest.size()));
  return {std::move(header), rest};
}

json savedOptions(const std::string& model, const json& header, const json& given) {
  json options = savedField<json>(model, header, "options");
  if (!options.is_object())
    throw InputError(fmt::format("the saved {} model does not say how it was trained", model));
  for (const char* own : {"threads", "warmup", "tuningTrees"})
    if (given.contains(own)) options[own] = given.at(own);
  return options;
}

std::size_t savedColumns(const std::string& model, const json& header, const char* field) {
  const auto columns = savedField<std::size_t>(model, header, field);
  if (columns < 1 || columns > kMostColumns)
    throw InputError(fmt::format("the saved {} model reads {} features a row, where {} at "
                                 "most can be",
                                 model, columns, kMostColumns));
  return columns;
}

} // namespace nestwright
