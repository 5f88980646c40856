#pragma once
/// \file The name of a policy that is a process of its own. It says which program that is, and does
/// not start it: a name comes from a file, and no file says what is run.

#include <string>
#include <string_view>
#include <vector>

namespace nestwright {

/// Whether the name is one of those: it begins with "exec:".
bool isExecPolicy(std::string_view name);
/// "exec:python3 random.py" of a command whose words may be paths.
std::string execPolicyName(const std::vector<std::string>& command);

} // namespace nestwright
