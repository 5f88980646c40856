#include "core/session/run/tuning/proposing_ahead.h"

#include "core/search/seed_candidates.h"
#include "core/support/clock.h"

#include <chrono>
#include <utility>

namespace nestwright {

namespace {

// How soon an interruption is noticed; the end of the proposal wakes by itself.
constexpr std::chrono::milliseconds kInterruptPeriod{20};

} // namespace

ProposingAhead::ProposingAhead(const SearchPolicy& policy, int count, ProposalInputs inputs,
                               std::unordered_set<std::string> known)
    : known_(std::move(known)) {
  thread_ = std::thread([this, &policy, count, inputs = std::move(inputs)]() mutable {
    propose(policy, count, inputs);
  });
}

ProposingAhead::~ProposingAhead() {
  stop_ = true;
  thread_.join();
}

void ProposingAhead::propose(const SearchPolicy& policy, int count, const ProposalInputs& inputs) {
  const auto start = std::chrono::steady_clock::now();
  ProposedAhead made;
  std::exception_ptr failure;
  try {
    SearchContext context = inputs.context;
    context.known = [this](const std::string& program) { return known_.contains(program); };
    context.log = &made.search;
    context.stop = &stop_;
    made.proposal = proposeBehind(inputs.first, policy, count, context);
    made.seconds = secondsSince(start);
  } catch (...) {
    failure = std::current_exception();
  }
  const std::lock_guard lock(mutex_);
  result_ = std::move(made);
  failure_ = std::move(failure);
  over_ = true;
  changed_.notify_all();
}

bool ProposingAhead::isOver() const {
  const std::lock_guard lock(mutex_);
  return over_;
}

std::optional<ProposedAhead> ProposingAhead::take(const std::atomic<bool>& interrupt) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, kInterruptPeriod, [this] { return over_; }))
    if (interrupt) stop_ = true;
  if (failure_) std::rethrow_exception(failure_);
  if (result_.proposal.stopped) return std::nullopt;
  return std::move(result_);
}

} // namespace nestwright
