#pragma once
/// \file Taking records into a file that sessions may be running on: one import or merge at a time,
/// and none beside a running session, whose timings it would spoil.

#include "core/record/care/merge_files.h"

#include <atomic>
#include <functional>
#include <string>

namespace nestwright {

/// Waits until no session of the file runs, telling `waiting` some times a second which one does;
/// returns early when `stop` becomes true. Whoever holds the file's import lock meanwhile knows
/// that none starts afterwards.
void awaitNoSession(const std::string& path, const std::atomic<bool>& stop,
                    const std::function<void(const std::string&)>& waiting);

/// mergeFile() with these rules. Throws SystemError, too, when records are being taken into the
/// file already.
MergeReport mergeDocument(const std::string& into, const std::string& from,
                          const std::atomic<bool>& stop,
                          const std::function<void(const MergeProgress&)>& onProgress = {},
                          const std::function<void(const std::string&)>& waiting = {});

} // namespace nestwright
