#pragma once
/// \file How many threads a cost model has in a session.

#include <nlohmann/json.hpp>

#include <string>

namespace nestwright {

/// The options of a model with its threads, which change nothing of what it says: a network has all
/// processors, trees have one (handbook/cost-models.md 3.6, 5.6).
nlohmann::json withThreads(const std::string& model,
                           nlohmann::json options = nlohmann::json::object());

} // namespace nestwright
