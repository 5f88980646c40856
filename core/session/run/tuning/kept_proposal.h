#pragma once
/// \file The candidates of an open round as text, for a policy that would not propose them again
/// (SearchPolicy::isRepeatable): a session that is interrupted goes on with them.

#include "core/search/search_policy.h"

#include <string>

namespace nestwright {

/// Candidates, draws and shortage; what is told of a proposal only once is left out.
std::string toText(const Proposal& proposal);
/// The inverse, for programs of this task. Throws InputError for what is none, and where a program
/// is not legal there.
Proposal proposalFromText(const std::string& text, const ComputeDag& dag,
                          const SpaceOptions& options);

} // namespace nestwright
