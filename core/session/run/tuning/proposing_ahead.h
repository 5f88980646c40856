#pragma once
/// \file A proposal that is made on a thread of its own, while the session's measures.

#include "core/search/search_log.h"
#include "core/session/run/tuning/proposal_inputs.h"

#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <unordered_set>

namespace nestwright {

/// What a proposal is, and how it came to be.
struct ProposedAhead {
  Proposal proposal;
  SearchLog search;
  double seconds = 0; // that it took
};

/// Begins with its construction. While it lives, the policy, the task and the cost model that it
/// reads may not change.
class ProposingAhead {
 public:
  /// `known`: programs that are not to be proposed. `inputs.context` has no log and no stop yet.
  ProposingAhead(const SearchPolicy& policy, int count, ProposalInputs inputs,
                 std::unordered_set<std::string> known);
  /// Ends it, within a phase.
  ~ProposingAhead();
  ProposingAhead(const ProposingAhead&) = delete;
  ProposingAhead& operator=(const ProposingAhead&) = delete;

  /// Whether take() would not wait.
  bool isOver() const;
  /// Waits until it is over; nothing where `interrupt` ended it. Throws what proposing threw. Once.
  std::optional<ProposedAhead> take(const std::atomic<bool>& interrupt);

 private:
  void propose(const SearchPolicy& policy, int count, const ProposalInputs& inputs);

  std::unordered_set<std::string> known_;
  std::atomic<bool> stop_{false};
  mutable std::mutex mutex_; // of all that follows
  std::condition_variable changed_;
  bool over_ = false;
  ProposedAhead result_;
  std::exception_ptr failure_;
  std::thread thread_;
};

} // namespace nestwright
