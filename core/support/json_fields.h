#pragma once
/// \file JSON of plain structs: one list of a struct's fields gives both directions.
///
/// A struct is described in its own namespace by
///
///     template <class Io> void fields(Io& io, Range& range) {
///       io("first", range.first);
///       io.named("unit", range.unit, unitFromName);
///     }
///
/// toFields() and readFields() call that. What cannot be read throws nlohmann::json::exception, or
/// what the function throws that reads a name.

#include "core/support/infinity.h"
#include "core/support/json_number.h"

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

namespace nestwright {

template <class T>
nlohmann::json toFields(const T& value);
template <class T>
void readFields(const nlohmann::json& json, T& value);

/// The `io` of a description that is written: each call sets the field of this key.
class JsonFieldWriter {
 public:
  explicit JsonFieldWriter(nlohmann::json& json) : json_(json) {}

  template <class T>
  void operator()(const char* key, const T& value) const {
    json_[key] = value;
  }
  /// What came later than the first objects of its kind, which have no such field.
  template <class T>
  void orElse(const char* key, const T& value, const T&) const {
    json_[key] = value;
  }
  /// A number that may be infinite, which is null.
  void number(const char* key, double value) const { json_[key] = finiteOrNull(value); }
  void numbers(const char* key, const std::vector<double>& values) const {
    nlohmann::json list = nlohmann::json::array();
    for (const double value : values)
      list.push_back(finiteOrNull(value));
    json_[key] = std::move(list);
  }
  /// Null where there is none.
  void orNull(const char* key, const std::optional<double>& value) const {
    json_[key] = value ? finiteOrNull(*value) : nlohmann::json();
  }
  /// Left out where there is none.
  template <class T>
  void ifAny(const char* key, const std::optional<T>& value) const {
    if (value) json_[key] = *value;
  }
  /// Left out where it is T(): a flag that is false, a number that is 0, an empty text.
  template <class T>
  void ifSet(const char* key, const T& value) const {
    if (value != T()) json_[key] = value;
  }
  /// An enumeration by its name.
  template <class T, class FromName>
  void named(const char* key, const T& value, const FromName&) const {
    json_[key] = name(value);
  }
  /// Left out where it is T().
  template <class T, class FromName>
  void namedIfAny(const char* key, const T& value, const FromName&) const {
    if (value != T()) json_[key] = name(value);
  }
  /// By its name, and later than the first objects of its kind.
  template <class T, class FromName>
  void namedOrElse(const char* key, const T& value, const FromName&, const T&) const {
    json_[key] = name(value);
  }
  /// What has a toJson() of its own.
  template <class T, class FromJson>
  void nested(const char* key, const T& value, const FromJson&) const {
    json_[key] = toJson(value);
  }
  /// Left out where there is none.
  template <class T, class FromJson>
  void nestedIfAny(const char* key, const std::optional<T>& value, const FromJson&) const {
    if (value) json_[key] = toJson(*value);
  }
  /// A described struct.
  template <class T>
  void object(const char* key, const T& value) const {
    json_[key] = toFields(value);
  }
  /// Left out where there is none.
  template <class T>
  void objectIfAny(const char* key, const std::optional<T>& value) const {
    if (value) json_[key] = toFields(*value);
  }
  /// A list of described structs.
  template <class T>
  void each(const char* key, const std::vector<T>& values) const {
    nlohmann::json list = nlohmann::json::array();
    for (const T& value : values)
      list.push_back(toFields(value));
    json_[key] = std::move(list);
  }

 private:
  nlohmann::json& json_;
};

/// The `io` of a description that is read, in the same words: each call sets the whole value,
/// whatever it held.
class JsonFieldReader {
 public:
  explicit JsonFieldReader(const nlohmann::json& json) : json_(json) {}

  template <class T>
  void operator()(const char* key, T& value) const {
    json_.at(key).get_to(value);
  }
  template <class T>
  void orElse(const char* key, T& value, const T& missing) const {
    value = json_.contains(key) ? json_.at(key).get<T>() : missing;
  }
  void number(const char* key, double& value) const { value = numberOf(json_.at(key)); }
  void numbers(const char* key, std::vector<double>& values) const {
    values.clear();
    for (const nlohmann::json& value : json_.at(key))
      values.push_back(numberOf(value));
  }
  void orNull(const char* key, std::optional<double>& value) const {
    const nlohmann::json& json = json_.at(key);
    value = json.is_null() ? std::nullopt : std::optional(json.get<double>());
  }
  template <class T>
  void ifAny(const char* key, std::optional<T>& value) const {
    value.reset();
    if (json_.contains(key)) value = json_.at(key).get<T>();
  }
  template <class T>
  void ifSet(const char* key, T& value) const {
    value = json_.contains(key) ? json_.at(key).get<T>() : T();
  }
  template <class T, class FromName>
  void named(const char* key, T& value, const FromName& fromName) const {
    value = fromName(json_.at(key).get<std::string>());
  }
  template <class T, class FromName>
  void namedIfAny(const char* key, T& value, const FromName& fromName) const {
    value = json_.contains(key) ? fromName(json_.at(key).get<std::string>()) : T();
  }
  template <class T, class FromName>
  void namedOrElse(const char* key, T& value, const FromName& fromName, const T& missing) const {
    value = json_.contains(key) ? fromName(json_.at(key).get<std::string>()) : missing;
  }
  template <class T, class FromJson>
  void nested(const char* key, T& value, const FromJson& fromJson) const {
    value = fromJson(json_.at(key));
  }
  template <class T, class FromJson>
  void nestedIfAny(const char* key, std::optional<T>& value, const FromJson& fromJson) const {
    value.reset();
    if (json_.contains(key)) value = fromJson(json_.at(key));
  }
  template <class T>
  void object(const char* key, T& value) const {
    readFields(json_.at(key), value);
  }
  template <class T>
  void objectIfAny(const char* key, std::optional<T>& value) const {
    value.reset();
    if (json_.contains(key)) readFields(json_.at(key), value.emplace());
  }
  template <class T>
  void each(const char* key, std::vector<T>& values) const {
    values.clear();
    for (const nlohmann::json& json : json_.at(key))
      readFields(json, values.emplace_back());
  }

 private:
  static double numberOf(const nlohmann::json& value) {
    return value.is_null() ? kInfinity : value.get<double>();
  }

  const nlohmann::json& json_;
};

/// An object with the fields of the value.
template <class T>
nlohmann::json toFields(const T& value) {
  nlohmann::json json = nlohmann::json::object();
  JsonFieldWriter io(json);
  fields(io, const_cast<T&>(value)); // a writer changes nothing
  return json;
}

/// Sets all fields of the value.
template <class T>
void readFields(const nlohmann::json& json, T& value) {
  JsonFieldReader io(json);
  fields(io, value);
}

} // namespace nestwright
