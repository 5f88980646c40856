#pragma once
/// \file Copying a document to another file, beside everything else that goes on.

#include <QObject>
#include <QString>

#include <atomic>
#include <memory>

namespace nestwright::ui {

class FileCopy : public QObject {
  Q_OBJECT
 public:
  using QObject::QObject;
  /// Gives up a copy under way.
  ~FileCopy() override;

  /// Writes all that is in the file `from` now to another one. False, and nothing begins, while a
  /// copy is being written.
  bool begin(const QString& from, const QString& to);
  void cancel();

 Q_SIGNALS:
  /// This part of it is done.
  void progressed(double done);
  /// It was written; or was not, with the reason, which is empty when it was cancelled.
  void ended(const QString& path, bool written, const QString& reason);

 private:
  std::shared_ptr<std::atomic<bool>> cancelled_; // null while nothing is copied
};

} // namespace nestwright::ui
