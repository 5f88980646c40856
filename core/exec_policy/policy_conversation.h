#pragma once
/// \file One running process of a policy, for one task.

#include "core/exec_policy/policy_messages.h"
#include "core/search/exec/policy_launch.h"
#include "core/worker/line_process.h"

#include <atomic>
#include <string>
#include <vector>

namespace nestwright {

/// Whoever waited for an answer has other things to do.
struct PolicyStopped {};

/// Where nothing else is said all of these throw PolicyFailure when the process cannot be asked any
/// further, and PolicyStopped when `SearchContext::stop` becomes true while they wait.
class PolicyConversation {
 public:
  /// Starts the process and greets it.
  PolicyConversation(const PolicyLaunch& launch, const SearchContext& context);

  /// Tells it all of earlier rounds, and asks it again what it was asked there: what it keeps is
  /// then what another process knew that was there. `others` becomes true where it answers
  /// something else.
  void repeat(const std::vector<PolicyTalk>& rounds, const SearchContext& context, bool& others);
  void tell(const std::string& line) { process_.say(line); }
  std::string ask(const std::string& line, const SearchContext& context);
  const std::string& name() const { return name_; }

  /// What came of the last round, for its end.
  void setLastWords(std::string line) { lastWords_ = std::move(line); }
  /// Says it, and good-bye. Throws nothing.
  void sayBye();
  /// Waits for its end, so many seconds, and makes one in the end. Throws nothing.
  void finish(double seconds);
  /// What it printed on standard error since the last call.
  std::string takePrinted() { return process_.takePrinted(); }

 private:
  std::string hear(const SearchContext& context);

  LineProcess process_;
  const double answerSeconds_;
  std::string name_, lastWords_;
};

} // namespace nestwright
