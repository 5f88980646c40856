#pragma once
/// \file Questions of one view about record files, beside everything else: the connections stay
/// open from one question to the next.

#include "ui/document/reading/connection_cache.h"
#include "ui/kit/background.h"

#include <array>
#include <memory>
#include <utility>

namespace nestwright::ui {

/// Of so many files at once, which may be the same one.
template <class Connection, std::size_t Files = 1>
class FileAsking : public Background {
 public:
  using Cache = ConnectionCache<Connection>;

  explicit FileAsking(QObject* parent = nullptr) : Background(parent) {
    for (std::shared_ptr<Cache>& cache : caches_)
      cache = std::make_shared<Cache>();
  }

  /// For the work to take along: at() of it is the connection to a file.
  std::shared_ptr<Cache> connection(std::size_t file = 0) const { return caches_[file]; }
  /// Lets go of the files when the work at hand is done: what lies there next may be other ones of
  /// the same names. No later question keeps them open.
  void close() {
    for (std::shared_ptr<Cache>& cache : caches_)
      afterwards([old = std::exchange(cache, std::make_shared<Cache>())] { old->close(); });
  }
  /// Cancels, and lets go of the files.
  void leave() {
    cancel();
    close();
  }

 private:
  std::array<std::shared_ptr<Cache>, Files> caches_; // each used on the thread alone
};

using StoreAsking = FileAsking<const RecordStore>;

} // namespace nestwright::ui
