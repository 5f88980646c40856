#pragma once
/// \file A connection to a record file that stays open between questions about the same file. One
/// thread only.

#include "core/record/store/store.h"

#include <QString>

#include <optional>

namespace nestwright::ui {

class StoreCache {
 public:
  /// The file, opened for reading; valid until another file is asked for. Throws as
  /// RecordStore::open().
  const RecordStore& at(const QString& path) {
    if (path != path_) {
      store_.reset();
      path_.clear();
      store_ = RecordStore::open(path.toStdString(), OpenMode::ReadOnly);
      path_ = path;
    }
    return *store_;
  }
  /// Lets go of the file.
  void close() {
    store_.reset();
    path_.clear();
  }

 private:
  QString path_;
  std::optional<RecordStore> store_;
};

} // namespace nestwright::ui
