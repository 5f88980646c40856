#pragma once
/// \file Made-up logs that are to a reader what TenSet's are: a file for each task, convolutions of
/// many shapes, some sketches each, eight repeats of six digits, now and then a failure.

#include "core/support/random.h"

#include <array>
#include <cstdint>
#include <string>

namespace nestwright::bench {

class TenSetLines {
 public:
  explicit TenSetLines(std::uint64_t seed) : random_(seed) {}

  /// Turns to another task.
  void nextTask();
  /// A line of the task, without its end.
  std::string line();
  /// "([hash,1,56,...],llvm).json"
  std::string fileName() const;

 private:
  std::string split(int iterator, std::int64_t extent, int parts);
  std::string steps();
  std::string result();

  Random random_;
  std::int64_t task_ = 0, time_ = 1'620'000'000;
  std::int64_t size_ = 56, in_ = 64, out_ = 64, kernel_ = 3;
  double seconds_ = 1e-3;
  std::string key_;
};

/// Writes FOLDER/measure_records/PLATFORM/... with so many records, `perTask` in a file. Returns
/// the bytes.
std::int64_t writeTenSetTree(const std::string& folder, std::int64_t records, std::int64_t perTask,
                             std::uint64_t seed);

} // namespace nestwright::bench
