#pragma once
/// \file The fields of a frame's header, read as strictly as what comes from another process
/// deserves: of exactly the type and within the range that they must have. Everything here throws
/// BadFrame with the field's name otherwise.

#include "core/worker/frame.h"

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace nestwright {

const nlohmann::json& fieldOf(const nlohmann::json& object, const char* name);
std::string textField(const nlohmann::json& object, const char* name);
bool flagField(const nlohmann::json& object, const char* name);
/// A whole number from `least` to `most`.
std::int64_t wholeField(const nlohmann::json& object, const char* name, std::int64_t least,
                        std::int64_t most = std::numeric_limits<std::int64_t>::max());
std::int64_t wholeValue(const nlohmann::json& value, const char* name, std::int64_t least,
                        std::int64_t most);
int intField(const nlohmann::json& object, const char* name, int least);
double finiteField(const nlohmann::json& object, const char* name);
/// A finite number that is not negative.
double amountField(const nlohmann::json& object, const char* name);
/// `least` to `most` times, seconds: each finite and above zero.
std::vector<double> timesField(const nlohmann::json& object, const char* name, std::size_t least,
                               std::size_t most);
std::vector<double> timesIn(const nlohmann::json& list, const char* name, std::size_t least,
                            std::size_t most);
/// A list, however long the frame let it be.
const nlohmann::json& listField(const nlohmann::json& object, const char* name);

} // namespace nestwright
