#pragma once
/// \file The person's own program that is a search policy: a setting of theirs, which no document
/// has a say in.

#include "core/search/exec/policy_launch.h"
#include "core/search/search_policy.h"

#include <optional>

namespace nestwright::ui {

/// How it is started; without a command where none is set, or what is set cannot be read.
PolicyLaunch ownPolicyLaunch();
/// It as a policy to choose; nothing where none is set.
std::optional<SearchPolicyKind> ownPolicy();

} // namespace nestwright::ui
