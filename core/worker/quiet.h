#pragma once
/// \file Nothing of ours computes beside a kernel that is timed: trainings stop for it, between two
/// batches. Any number of kernels are timed at once, and any number of batches learned from. And
/// while a session runs a training leaves it the other processors. All of it holds among the
/// processes of one user on one machine, by locks that end with their holder.

#include <string>

namespace nestwright {

/// Where they find one another: NESTWRIGHT_QUIET_FILE, or else a file of this user in the folder of
/// temporary files.
std::string quietFile();

/// What those below hold; empty where the file cannot be used, which the log says once: then
/// nobody waits.
class QuietHold {
 public:
  QuietHold() = default;
  explicit QuietHold(int descriptor) : descriptor_(descriptor) {}
  ~QuietHold();
  QuietHold(QuietHold&& other) noexcept;
  QuietHold& operator=(QuietHold&& other) noexcept;

 private:
  int descriptor_ = -1;
};

/// From now on no batch begins. Waits for those under way, for two seconds at most, and not again
/// for one that had not ended then.
[[nodiscard]] QuietHold holdForTiming(const std::string& file = quietFile());

/// For one batch of a training, or another piece of its work: waits while kernels are timed.
[[nodiscard]] QuietHold holdForBatch(const std::string& file = quietFile());

/// For as long as a session runs; any number of them do.
[[nodiscard]] QuietHold holdForSession(const std::string& file = quietFile());
/// Whether one does, in whichever process: then a training takes one thread.
bool isSessionRunning(const std::string& file = quietFile());

} // namespace nestwright
