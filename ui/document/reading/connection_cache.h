#pragma once
/// \file A connection to a record file that stays open between questions about the same file.

#include "core/record/store/store.h"

#include <QString>

#include <optional>
#include <type_traits>

namespace nestwright::ui {

/// Of a store, which is opened for reading, or of what is made from a path: RecordBrowser,
/// RecordSurvey. One thread only.
template <class Connection>
class ConnectionCache {
 public:
  /// The connection to the file; valid until another file is asked for. Throws as
  /// RecordStore::open().
  Connection& at(const QString& path) {
    if (path != path_) {
      close();
      if constexpr (std::is_same_v<Connection, const RecordStore>)
        connection_.emplace(RecordStore::open(path.toStdString(), OpenMode::ReadOnly));
      else
        connection_.emplace(path.toStdString());
      path_ = path;
    }
    return *connection_;
  }
  /// Lets go of the file.
  void close() {
    connection_.reset();
    path_.clear();
  }

 private:
  QString path_;
  std::optional<Connection> connection_;
};

using StoreCache = ConnectionCache<const RecordStore>;

} // namespace nestwright::ui
