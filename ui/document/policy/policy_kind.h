#pragma once
/// \file What kind of policy the settings of a session name.

#include "core/plugin/plugin.h"
#include "core/session/run/session.h"

#include <optional>

namespace nestwright::ui {

/// Nothing where there is none of that name here, which checkSpace() says.
std::optional<SearchPolicyKind> policyKind(const std::string& policy);
std::optional<SearchPolicyKind> policyKind(const SessionConfig& config);

} // namespace nestwright::ui
