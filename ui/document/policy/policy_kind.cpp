#include "ui/document/policy/policy_kind.h"

#include "core/support/error.h"

namespace nestwright::ui {

std::optional<SearchPolicyKind> policyKind(const std::string& policy) {
  try {
    return searchPolicy(policy);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::optional<SearchPolicyKind> policyKind(const SessionConfig& config) {
  return policyKind(config.policy);
}

} // namespace nestwright::ui
