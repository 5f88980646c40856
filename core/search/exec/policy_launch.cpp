#include "core/search/exec/policy_launch.h"

#include "core/search/exec/exec_policy_name.h"
#include "core/support/command_words.h"
#include "core/support/error.h"

namespace nestwright {

PolicyLaunch policyLaunchFromText(std::string_view policy) {
  NW_ASSERT(isExecPolicy(policy), "the policy {} is no program", policy);
  PolicyLaunch launch;
  launch.command = commandWords(policy.substr(policy.find(':') + 1), "policy");
  if (launch.command.empty())
    throw UsageError("the policy exec: needs a program behind the colon, with its arguments: "
                     "\"exec:python3 my_policy.py\"");
  return launch;
}

} // namespace nestwright
