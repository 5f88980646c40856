#pragma once
/// \file Taking one `.nwdb` file into another: its networks, targets, tasks, sessions and all that
/// belongs to them. What both files have is known again, so merging twice changes nothing, and the
/// order in which several files come together decides nothing but the numbers of rows (C29).

#include "core/record/sql/sqlite.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

namespace nestwright {

/// Where a merge stands.
struct MergeProgress {
  std::int64_t records = 0, recordsDone = 0; // of the file that is taken in
  double seconds = 0;
};

/// What was new, and what the file had already.
struct MergeReport {
  std::int64_t networks = 0, targets = 0, tasks = 0, sessions = 0; // new ones
  std::int64_t records = 0;                                        // new ones
  std::int64_t known = 0;   // records that were there, or that another log had told
  std::int64_t updated = 0; // of them: about which the other file knew more
  double seconds = 0;
  bool cancelled = false;
};

/// Adds everything of the file `from` to the file `into`, which is made when it is not there, notes
/// included; what a window keeps of its own is not taken over. Records stay with their session,
/// their task and their target, so those of another machine are never a best of this one (C28). Of
/// a session that both have, records are put together and the state is that of the file where it
/// went on last. What was found out about a record in either file holds: further repeats, a
/// comparison with the naive program, and whether it is forgotten, as it was marked last.
///
/// Stores a part at a time, sound at every moment: ended by `stop`, an error or a crash, the same
/// merge again goes on. Other programs may read and write meanwhile; nobody may run a session of
/// `into`, which is the caller's care (runningSession()). Calls `onProgress` after each part, on
/// this thread. Throws InputError, and changes nothing, when a file cannot be used or a task has
/// the hash of another one with a different definition (C27).
MergeReport mergeFile(const std::string& into, const std::string& from,
                      const std::atomic<bool>& stop,
                      const std::function<void(const MergeProgress&)>& onProgress = {});

/// The same from a connection, which may hide rows of its file behind temporary views: what a row
/// that shows names must show, too.
MergeReport mergeDatabase(const std::string& into, sqlite::Database from,
                          const std::atomic<bool>& stop,
                          const std::function<void(const MergeProgress&)>& onProgress = {});

} // namespace nestwright
