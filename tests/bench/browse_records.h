#pragma once
/// \file What the record browser asks of a file, timed.

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>

namespace nestwright::bench {

/// Makes the file with so many imported records unless it has them. Prints how quickly.
void makeBrowsedFile(const std::string& path, std::int64_t records, std::int64_t perTask);

/// Milliseconds of opening, of pages by key and by rank in every order, of filters and counts; and
/// the most memory that was taken, in bytes.
nlohmann::ordered_json browse(const std::string& path);
/// The same for people, a line each.
std::string lines(const nlohmann::ordered_json& times, const std::string& indent = {});

} // namespace nestwright::bench
