#pragma once
/// \file A training on a thread of its own, which stands back for others: looked at and stopped
/// from any other thread. What comes out is written to the model's file.

#include "core/training/training_course.h"

#include <mutex>
#include <string>
#include <thread>

namespace nestwright {

class TrainingRun {
 public:
  /// Begins at once, or goes on from the checkpoint beside the model's file where the wish says so.
  /// Of networks what is needed to go on lies there until the model is written, whatever happens.
  TrainingRun(ModelWish wish, std::string model);
  /// Stops it, and waits for that: a second at most.
  ~TrainingRun();
  TrainingRun(const TrainingRun&) = delete;
  TrainingRun& operator=(const TrainingRun&) = delete;

  const ModelWish& wish() const { return wish_; }
  /// Returns at once; the course says when it has stopped.
  void stop() { thread_.request_stop(); }
  bool isStopping() const { return thread_.get_stop_token().stop_requested(); }
  /// Takes what is new into a course that was given before, or into an empty one.
  void bringUpToDate(TrainingCourse& course) const;

 private:
  void run(std::stop_token stop);
  void train(std::stop_token stop);
  ModelObserver observer();
  template <class Change>
  void note(Change change);

  ModelWish wish_;
  const std::string model_;
  int epochs_ = 0; // of a network; the thread's alone
  mutable std::mutex mutex_;
  TrainingCourse course_;
  std::jthread thread_; // last: it uses the others
};

} // namespace nestwright
