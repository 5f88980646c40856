#pragma once
/// \file The `.nwdb` file: networks, tasks, targets, sessions, records and events in SQLite. One
/// writer (the session), any number of readers (the window). A call that returns has stored. Each
/// kind of row has a part of the store for itself, in a header of its own: `store.tasks()` and
/// task_rows.h.

#include "core/record/file/open_mode.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace nestwright {

class ChoiceRows;
class EventRows;
class EvolutionRows;
class MarkRows;
class ModelRows;
class NetworkRows;
class RecombinationRows;
class RecordRows;
class SessionRows;
class TagRows;
class TargetRows;
class TaskRows;
class TrialRows;

struct CheckOptions {
  /// Looks at what is small, and at records here and there: a second or two whatever the file's
  /// size, and no proof.
  bool quick = false;
  std::function<void(double)> onProgress = {}; // gets about the part that is done
};

/// Thread-compatible: one thread per object; open a second store on the same file for another.
class RecordStore {
 public:
  /// Opens or creates (Create makes the file when it does not exist). Throws InputError with a
  /// clear text, and changes nothing, when the file is no database or damaged. Older schema
  /// versions are read as they are, and migrated when opened for writing. A file of a newer
  /// version (both versions are named), or with objects in it that are not ours, is read as far as
  /// its tables are there; opening it, or one that cannot be written, for writing throws
  /// ReadOnlyFile. Reading never changes the
  /// file or its log; a log of another file is not read, and set aside by writers
  /// (setForeignLogAside in generation_keeper.h tells of it).
  static RecordStore open(const std::string& path, OpenMode mode = OpenMode::ReadWrite);
  ~RecordStore();
  RecordStore(RecordStore&&) noexcept;
  RecordStore& operator=(RecordStore&&) noexcept;

  const std::string& path() const;
  /// Why the file can only be read, with what to do; empty when it can be written.
  std::string readOnlyReason() const;

  // The parts, which stay where they are when the store is moved. What they write is durable on
  // return (C20), or when the surrounding transaction ends.
  NetworkRows& networks();
  const NetworkRows& networks() const;
  TargetRows& targets();
  const TargetRows& targets() const;
  TaskRows& tasks();
  const TaskRows& tasks() const;
  SessionRows& sessions();
  const SessionRows& sessions() const;
  RecordRows& records();
  const RecordRows& records() const;
  const TrialRows& trials() const;
  TagRows& tags();
  const TagRows& tags() const;
  EventRows& events();
  const EventRows& events() const;
  MarkRows& marks();
  const MarkRows& marks() const;
  EvolutionRows& evolutions();
  const EvolutionRows& evolutions() const;
  ModelRows& models();
  const ModelRows& models() const;
  RecombinationRows& recombinations();
  const RecombinationRows& recombinations() const;
  ChoiceRows& choices();
  const ChoiceRows& choices() const;

  /// Everything between begin and the end of `body` is one transaction, undone when `body` throws.
  /// Transactions may nest: an inner one that throws undoes only itself.
  void transaction(const std::function<void()>& body);
  /// From here on transactions of this connection do not wait for the disk: a power cut may undo
  /// the last ones, a kill none. For what can be had again at once.
  void commitWithoutFlushing();
  /// Runs `body`, asking `goOn` many times a second while it reads; throws QueryStopped when that
  /// says no. Does not nest.
  void interruptible(const std::function<bool()>& goOn, const std::function<void()>& body) const;
  /// Runs `body`; all that it reads is of one moment, whatever others store meanwhile.
  void atOneMoment(const std::function<void()>& body) const;

  /// Empty when the file is sound, else the first problems in words.
  std::vector<std::string> check(const CheckOptions& options = {}) const;

 private:
  struct Impl;
  explicit RecordStore(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

/// A check of a file tells the first so many problems.
inline constexpr std::size_t kMostProblems = 20;

} // namespace nestwright
