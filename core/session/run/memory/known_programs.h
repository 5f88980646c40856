#pragma once
/// \file What record files know of a task: the best programs of each source, and records to learn
/// from.

#include "core/record/rows/record.h"
#include "core/record/rows/task_row.h"
#include "core/record/store/store.h"
#include "core/session/run/memory/memory_source.h"

#include <cstddef>
#include <string>
#include <vector>

namespace nestwright {

/// "this" in SessionConfig::memory.
inline constexpr const char* kOwnMemory = "this";

/// Opens the files of a memory for reading, each once; `own` is the session's, which "this" stands
/// for and which need not be there yet. Throws InputError that names the file when one is not there
/// or is no document.
std::vector<RecordStore> openMemory(const std::vector<std::string>& memory, const std::string& own);

/// A task of a file.
struct MemoryTask {
  std::size_t file = 0; // index into the files
  TaskRow row;
  ComputeDag dag;
  TargetFacts target;
  std::string definition, kind; // definitionHash(), kindHash()
};

/// One that is of use for a task of a session.
struct RelatedTask {
  MemorySource source = MemorySource::SameTask;
  double distance = 0;  // extentDistance()
  std::size_t task = 0; // index into MemoryTasks::tasks()
};

/// The tasks of some files, read once. The files outlive it.
class MemoryTasks {
 public:
  /// Tasks that nobody described, and targets, are passed over.
  explicit MemoryTasks(const std::vector<RecordStore>& files);

  const std::vector<MemoryTask>& tasks() const { return tasks_; }
  const RecordStore& fileOf(const MemoryTask& task) const { return files_[task.file]; }
  /// Those that are of use for the task on the target, by source and then the nearest first.
  std::vector<RelatedTask> relatedTo(const ComputeDag& task, const TargetFacts& target) const;
  /// The task's fastest programs, fastest first, each once: of sketches, that ran and are
  /// plausible. Whether an answer was compared does not matter: a session compares its own.
  std::vector<Record> fastest(const MemoryTask& task, std::size_t count) const;
  /// Up to `count` records of sketches to learn from: half of them the fastest, and the rest spread
  /// over all others, failures included.
  std::vector<Record> sample(const MemoryTask& task, std::size_t count) const;

 private:
  const std::vector<RecordStore>& files_;
  std::vector<MemoryTask> tasks_;
};

} // namespace nestwright
