#pragma once
/// \file The learner, `nestwright-learner`: a process that trains networks and scores programs with
/// them. It is started when it is first asked, and again when it was lost; whoever asks gets an
/// answer, or an error that says what happened to it and what to do.

#include "core/learn/learner_protocol.h"
#include "core/model/attention.h"
#include "core/worker/worker_process.h"

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <vector>

namespace nestwright {

struct LearnerLaunch {
  /// Program and arguments. Empty: the one of this machine, beside the running program.
  std::vector<std::string> command;
  double startSeconds = 120;   // until it must have said hello: its 280 libraries may be far away
  double silenceSeconds = 600; // without a word, at work: it hangs
  /// How far it stands back for others, as nice(1) counts: 0 to 19. One that does trains with one
  /// thread while a session runs.
  int niceness = 0;
};

/// Thrown by whoever was asked to stop; nothing is lost that was there before.
class LearnerStopped : public Error {
 public:
  LearnerStopped() : Error("the learner was stopped") {}
};

/// Why no learner can be started on this machine, and what to do; empty where there is one to be
/// started.
std::string missingLearner();

class Learner {
 public:
  explicit Learner(LearnerLaunch launch = {}) : launch_(std::move(launch)) {}

  /// Who it is. All that follows starts it when it does not run, and throws SystemError when it
  /// cannot be started (it is not installed, or one of its libraries is not), hangs, or ends;
  /// InputError when it refuses; LearnerStopped, at once, when `stop` says so.
  LearnerHello hello();

  /// The outputs of the network for the table's programs, `heads` each.
  std::vector<float> score(const NeuralNetwork& network, const FeatureTable& table, int threads,
                           std::stop_token stop = {});
  /// What each feature of each row of one program added to the output of a head, by gradient times
  /// input: rows x columns.
  std::vector<float> explain(const NeuralNetwork& network, const FeatureTable& table,
                             std::size_t program, std::size_t head);
  /// How the steps of one program look at one another, in a network of steps.
  Attention attention(const NeuralNetwork& network, const FeatureTable& table, std::size_t program);

  /// Begins a training (learner_protocol.h), in place of one before.
  void start(const StartWork& work, std::span<const float> numbers, std::stop_token stop = {});
  /// One pass. `tell` hears a few times a second how many programs have been learned from.
  EpochAnswer epoch(const EpochWork& work, const StartWork& of,
                    const std::function<void(std::size_t)>& tell, std::stop_token stop = {});

  /// Ends the process, if there is one.
  void end();
  /// Of the process; -1 when none runs.
  int pid() const;

 private:
  /// What a request is about, for the sentence about a learner that was lost.
  struct About {
    std::size_t programs = 0, bytes = 0;
    std::string advice;
  };

  void requireStarted();
  [[noreturn]] void lost(const std::string& how, const About& about);
  Frame ask(const Frame& request, FrameLimits limits, const About& about, std::stop_token stop,
            const std::function<void(std::size_t)>& tell = {});
  std::optional<Frame> wait(double seconds, std::stop_token stop);
  void keep(const NeuralNetwork& network, const std::string& name);

  LearnerLaunch launch_;
  mutable std::mutex mutex_;
  std::unique_ptr<WorkerProcess> process_;
  LearnerHello hello_;
  std::set<std::string> kept_; // names of networks
};

} // namespace nestwright
