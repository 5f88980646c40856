#include "core/session/insight/merge_document.h"

#include "core/record/store/store.h"
#include "core/session/recombination/recombination.h"
#include "core/session/run/session_lock.h"

#include <chrono>
#include <optional>
#include <thread>

namespace nestwright {

void awaitNoSession(const std::string& path, const std::atomic<bool>& stop,
                    const std::function<void(const std::string&)>& waiting) {
  constexpr auto kPause = std::chrono::milliseconds(200);
  const RecordStore store = RecordStore::open(path, OpenMode::ReadOnly);
  for (std::optional<std::string> running; !stop && (running = runningSession(store));) {
    if (waiting) waiting(*running);
    std::this_thread::sleep_for(kPause);
  }
}

MergeReport mergeDocument(const std::string& into, const std::string& from,
                          const std::atomic<bool>& stop,
                          const std::function<void(const MergeProgress&)>& onProgress,
                          const std::function<void(const std::string&)>& waiting) {
  RecordStore::open(from, OpenMode::ReadOnly); // before a new file is made for nothing
  RecordStore::open(into, OpenMode::Create);
  const SessionLock lock(into, 0, SessionLock::What::Import);
  awaitNoSession(into, stop, waiting);
  return mergeFile(into, from, stop, onProgress);
}

} // namespace nestwright
