#pragma once
/// \file How the steps of a record's program look at one another in the network that scores it, for
/// people and for other programs.

#include "core/session/insight/explain_score.h"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace nestwright::cli {

// They throw InputError where the session's cost model has no attention.

/// A line for each step: the steps that it looks at most, with their shares, and the padding's.
std::string attentionText(const ExplainedScore& explained);
/// {"steps": [texts], "shares": [[one a step] a step], "padding": [one a step]}: which share of its
/// attention each step gives to each, and to the padding. Steps that the network cuts off are
/// missing.
nlohmann::json attentionJson(const ExplainedScore& explained);

} // namespace nestwright::cli
