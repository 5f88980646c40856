#pragma once
/// \file A search policy that is a process of its own, in any language (handbook/policies.md).

#include "core/search/exec/policy_launch.h"
#include "core/search/search_policy.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace nestwright {

/// Why a session whose policy has this name cannot ask the program that the person named in this
/// run: there is none, or it is another one. Empty where it can.
std::string whyNotAsked(const std::string& policy, const PolicyLaunch& launch);

/// Asks a process for the programs of a round; one process for each task, the last few of which are
/// kept. What it does not give, because it does not answer or what it says is not legal or not new,
/// is drawn at random; Proposal::talk has what was said, and why. Thread-compatible.
///
/// It is not repeatable: a program need not be deterministic. What Proposal::talk has of earlier
/// rounds has to come back in SearchContext::talks, and is all that it needs of them.
class ExecPolicy final : public SearchPolicy {
 public:
  ExecPolicy(PolicyLaunch launch, std::string name);
  ~ExecPolicy() override;

  std::string name() const override { return name_; }
  std::string obstacle() const override { return whyNotAsked(name_, launch_); }
  /// Leaves SearchContext::afterPhase alone. Throws UsageError where there is an obstacle.
  Proposal propose(int count, const SearchContext& context) const override;
  bool isRepeatable() const override { return false; }
  void learn(const std::string& taskKey, std::vector<ToldProgram> measured) const override;
  void rest() const override;

 private:
  struct Processes;

  const PolicyLaunch launch_;
  const std::string name_;
  const std::unique_ptr<Processes> processes_;
};

} // namespace nestwright
