#pragma once
/// \file Methods as their papers have them, and our defaults: which space is searched how, with
/// which cost model and which sizes (handbook/cost-models.md 3.7).

#include "core/session/run/session.h"

#include <string>
#include <vector>

namespace nestwright {

struct SearchMethod {
  const char* name;    // "ansor"
  const char* purpose; // one sentence, for lists
};
/// "nestwright", which is our defaults, "ansor", "autotvm" and "adatune".
const std::vector<SearchMethod>& searchMethods();

/// The settings with space, policy, cost model and sizes of the method, whichever they had before;
/// what no method sets stays. Throws UsageError that
/// lists the methods for one that is not known.
SessionConfig withMethod(SessionConfig config, const std::string& method);

/// The method that the settings are just those of; empty for a choice of one's own.
std::string methodOf(const SessionConfig& config);

/// The cost model that goes with the policy where nobody chooses another.
std::string usualModel(const SessionConfig& config);

/// The template features that go with the cost model: "tree" for one of trees, which reads nothing
/// else; for another one those of the settings, or the usual ones where they are "tree". Throws
/// what costModelKind() throws.
std::string usualTemplateFeatures(const SessionConfig& config);

} // namespace nestwright
