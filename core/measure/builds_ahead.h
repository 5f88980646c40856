#pragma once
/// \file Programs that are built before anybody asks for their measurement.

#include "core/backend/backend.h"
#include "core/measure/measure.h"
#include "core/measure/worker_pool.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

namespace nestwright {

/// A program that is built.
struct BuiltProgram {
  KernelArtifact artifact;
  double seconds = 0;         // of building it
  std::int64_t startedAt = 0; // microseconds since 1970
};

/// Only what was built well is kept: a program that failed is built again when it is asked for, and
/// fails, or does not, in its own measurement. Thread-compatible; jobs may outlive this.
class BuildsAhead {
 public:
  BuildsAhead(const MeasureOptions& options, const TargetFacts& target)
      : options_(options), target_(target) {}

  /// Jobs for builders, of these programs in place of all those before.
  std::deque<WorkerJob> expect(const std::vector<MeasureRequest>& programs);
  /// Calls `then` with the program once it is built, perhaps at once, or with nothing when that
  /// failed; the program is no longer kept. False, and nothing is called, where it is none of them.
  using Then = std::function<void(std::optional<BuiltProgram> built)>;
  bool take(const MeasureRequest& request, Then then);
  bool isEmpty() const { return builds_.empty(); }
  void clear() { builds_.clear(); }

 private:
  struct Build {
    std::string dag;
    Steps steps;
    std::optional<BuiltProgram> built;
    bool over = false;
    Then then;
  };
  WorkerJob jobOf(const std::shared_ptr<Build>& build, const MeasureRequest& request) const;

  const MeasureOptions& options_;
  const TargetFacts& target_;
  std::list<std::shared_ptr<Build>> builds_;
};

} // namespace nestwright
