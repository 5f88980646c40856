#pragma once
/// \file Which search policy learns, and what is known of how policies compare.

#include "core/search/search_space.h"

#include <string>
#include <string_view>

namespace nestwright {

/// The policy with a cost model that goes with the space: "evolutionary" for sketches, "annealing"
/// for templates.
std::string learningPolicyOf(SearchSpace space);

/// What was measured of drawing at random over sketches on such a target ("llvm …"), in sentences
/// with figures and the reason; empty where that says nothing about this policy, space and target.
std::string policyRemark(std::string_view policy, SearchSpace space, std::string_view target);

} // namespace nestwright
