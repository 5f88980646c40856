#pragma once
/// \file How a failing comparison shows JSON.

#include <QTest>
#include <nlohmann/json.hpp>

/// Its text. Without this Qt would ask of JSON whether it is each kind of thing that can be shown,
/// which takes a compiler a second in each unit.
template <>
inline char* QTest::toString(const nlohmann::json& json) {
  return qstrdup(json.dump().c_str());
}
