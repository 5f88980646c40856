#include "core/session/run/tuning/kept_models.h"

#include "core/support/error.h"

#include <nlohmann/json.hpp>

#include <cstddef>

namespace nestwright {

namespace {

using nlohmann::json;
using Models = std::map<std::string, std::string>;

json listed(const Models& models, std::string& bytes) {
  json list = json::array();
  for (const auto& [task, model] : models) {
    list.push_back({task, model.size()});
    bytes += model;
  }
  return list;
}

[[noreturn]] void throwDamaged() {
  throw InputError("the cost models of the session's templates cannot be read; the file was "
                   "altered or is damaged");
}

/// Takes the listed models off the bytes.
Models taken(const json& list, std::string_view& bytes) {
  Models models;
  for (const json& one : list) {
    const auto length = one.at(1).get<std::size_t>();
    if (length > bytes.size()) throwDamaged();
    models.emplace(one.at(0).get<std::string>(), bytes.substr(0, length));
    bytes.remove_prefix(length);
  }
  return models;
}

} // namespace

std::string toBytes(const KeptModels& kept) {
  if (kept.models.empty() && kept.histories.empty()) return {};
  std::string bytes;
  json header;
  header["models"] = listed(kept.models, bytes);
  header["histories"] = listed(kept.histories, bytes);
  return header.dump() + '\n' + bytes;
}

KeptModels keptModels(std::string_view bytes) {
  if (bytes.empty()) return {};
  const std::size_t end = bytes.find('\n');
  if (end == std::string_view::npos) throwDamaged();
  KeptModels kept;
  try {
    const json header = json::parse(bytes.substr(0, end));
    bytes.remove_prefix(end + 1);
    kept.models = taken(header.at("models"), bytes);
    kept.histories = taken(header.at("histories"), bytes);
  } catch (const json::exception&) {
    throwDamaged();
  }
  if (!bytes.empty()) throwDamaged();
  return kept;
}

} // namespace nestwright
