/// A plugin for tests: a policy that draws at random, and does badly when it is asked ahead, which
/// it knows by the thread. $NESTWRIGHT_ODD_POLICY says how: "throws" once, or "waits" until it is
/// stopped.

#include "core/plugin/plugin.h"
#include "core/search/random_policy.h"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

namespace nestwright::odd_policy {

namespace {

class OddPolicy final : public SearchPolicy {
 public:
  std::string name() const override { return "odd_policy"; }

  Proposal propose(int count, const SearchContext& context) const override {
    const std::thread::id none, here = std::this_thread::get_id();
    std::thread::id first = none;
    if (!first_.compare_exchange_strong(first, here) && first != here) {
      const char* how = std::getenv("NESTWRIGHT_ODD_POLICY");
      const std::string does = how != nullptr ? how : "";
      if (does == "throws" && !threw_.exchange(true))
        throw std::runtime_error("the odd policy has no idea");
      while (does == "waits" && !context.isStopped())
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      if (context.isStopped()) return stoppedProposal();
    }
    return RandomPolicy().propose(count, context);
  }

 private:
  mutable std::atomic<std::thread::id> first_{};
  mutable std::atomic<bool> threw_{false};
};

std::unique_ptr<SearchPolicy> makeOddPolicy(const PolicyOptions&) {
  return std::make_unique<OddPolicy>();
}

} // namespace

} // namespace nestwright::odd_policy

extern "C" nestwright::PluginDescription nestwright_plugin() {
  nestwright::PluginDescription description;
  description.name = "odd_policy";
  description.version = NESTWRIGHT_VERSION;
  description.purpose = "A policy that does badly when it is asked ahead.";
  description.searchPolicy = [] {
    nestwright::SearchPolicyKind kind;
    kind.make = nestwright::odd_policy::makeOddPolicy;
    return kind;
  };
  return description;
}
