#include "ui/document/policy/own_policy.h"

#include "core/plugin/plugin.h"
#include "core/search/exec/exec_policy_name.h"
#include "core/support/error.h"
#include "ui/document/settings.h"

namespace nestwright::ui {

PolicyLaunch ownPolicyLaunch() {
  const QString line = Settings::policyProgram();
  if (line.isEmpty()) return {};
  try {
    return policyLaunchFromText("exec:" + line.toStdString());
  } catch (const UsageError&) { // of a settings file that somebody edited
    return {};
  }
}

std::optional<SearchPolicyKind> ownPolicy() {
  const PolicyLaunch launch = ownPolicyLaunch();
  if (launch.command.empty()) return std::nullopt;
  return searchPolicy(execPolicyName(launch.command));
}

} // namespace nestwright::ui
