#pragma once
/// \file Rows for the tests of the record store.

#include "core/record/rows/record.h"
#include "core/record/store/network_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/support/random.h"

#include <QTemporaryDir>

#include <string>

namespace nestwright::samples {

/// The steps of a tiled matrix product with random tile sizes, like those that a sketch gives.
inline Steps steps(Random& random) {
  const auto size = [&] { return TileSize(std::int64_t(1) << random.below(5)); };
  return {SplitStep{2, 0, 512, {size(), size(), size()}, true},
          SplitStep{2, 4, 512, {size(), size(), size()}, true},
          SplitStep{2, 8, 512, {size()}, true},
          ReorderStep{2, {0, 4, 1, 5, 8, 2, 6, 9, 3, 7}},
          FollowSplitStep{3, 0, 0, 2},
          FollowSplitStep{3, 3, 1, 2},
          ReorderStep{3, {0, 3, 1, 4, 2, 5}},
          ComputeAtStep{2, 3, int(random.below(4))},
          FuseStep{3, {0, 1, 2}},
          AnnotationStep{3, 0, Annotation::Parallel},
          PragmaStep{2, 0, fmt::format("auto_unroll_max_step${}", 16 << random.below(3))},
          AnnotationStep{2, 9, Annotation::Vectorize}};
}

/// Ids of the rows that a record needs.
struct Ground {
  RowId network = 0, target = 0, session = 0;
  std::vector<RowId> tasks;
};

inline Ground fill(RecordStore& store, int tasks = 1) {
  Ground ground;
  ground.network = store.networks().add({0, "resnet18", "resnet18:batch=1"});
  ground.target = store.targets().add({0, "cpu-test", "llvm -keys=cpu", "{}"});
  for (int i = 0; i < tasks; ++i)
    ground.tasks.push_back(store.tasks().add(
        {0, ground.network, ground.target, i, fmt::format("conv{}[1,64,56,56]#{:016x}", i, i),
         fmt::format("conv {}", i), fmt::format("dag {}", i), 1.0 + i, 1e9}));
  ground.session =
      store.sessions().add({0, ground.network, "first", "{}", SessionStatus::Ready,
                            1'700'000'000'000'000, 1'700'000'000'000'000, 0, "{}", "0.1"});
  store.sessions().setTasks(ground.session, ground.tasks);
  return ground;
}

/// A measured record with `seconds` as its only repeat.
inline Record record(const Ground& ground, std::int64_t trial, double seconds, RowId task = 0) {
  Record record;
  record.session = ground.session;
  record.task = task != 0 ? task : ground.tasks.front();
  record.trial = trial;
  record.program = hashHex(fmt::format("program {}", trial));
  record.result.seconds = {seconds};
  record.result.runSeconds = 0.25;
  record.verified = true;
  return record;
}

/// A record that failed.
inline Record failure(const Ground& ground, std::int64_t trial, Verdict verdict, RowId task = 0) {
  Record failed = record(ground, trial, 1, task);
  failed.result.seconds.clear();
  failed.result.verdict = verdict;
  failed.result.error = fmt::format("it failed as '{}'", name(verdict));
  failed.verified = false;
  return failed;
}

/// A folder that goes with the test, and a name in it.
class Folder {
 public:
  std::string file(const char* name) const {
    return folder_.filePath(QString::fromUtf8(name)).toStdString();
  }
  std::string path() const { return folder_.path().toStdString(); }

 private:
  QTemporaryDir folder_;
};

} // namespace nestwright::samples
