#include "core/support/json_document.h"

#include "core/support/error.h"
#include "core/support/output_file.h"

#include <fstream>

namespace nestwright {

using nlohmann::json;

namespace {

/// Deeper than any document of ours. What is nested has to be walked by functions that call
/// themselves, and no file may say how deep.
constexpr int kDeepest = 100;

} // namespace

json asDocument(json fields, const DocumentForm& form) {
  fields["kind"] = form.kind;
  fields["version"] = form.version;
  return fields;
}

void requireForm(const json& document, const DocumentForm& form) {
  if (!document.is_object() || document.value("kind", json()) != form.kind)
    throw InputError(form.notOne);
  if (document.value("version", json()) != form.version)
    throw InputError(fmt::format("{} of version {}; this program reads version {}", form.words,
                                 document.value("version", json()).dump(), form.version));
}

json readDocument(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw InputError(fmt::format("{} cannot be read", file));
  const auto shallow = [&](int depth, json::parse_event_t, json&) {
    if (depth > kDeepest)
      throw InputError(
          fmt::format("{}: it is nested {} deep, as none of our files is", file, depth));
    return true;
  };
  json document = json::parse(in, shallow, false);
  if (document.is_discarded()) throw InputError(fmt::format("{}: it is no JSON", file));
  return document;
}

std::string documentText(const json& document) {
  return document.dump(2, ' ', false, json::error_handler_t::replace) + '\n';
}

void writeDocument(const std::string& file, std::string_view draft, const json& document) {
  writeWhole(file, draft, documentText(document));
}

} // namespace nestwright
