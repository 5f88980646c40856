#include "ui/document/policy/policy_kind.h"

#include "core/support/error.h"

namespace nestwright::ui {

std::optional<SearchPolicyKind> policyKind(const SessionConfig& config) {
  try {
    return searchPolicy(config.policy);
  } catch (const Error&) {
    return std::nullopt;
  }
}

} // namespace nestwright::ui
