#pragma once
/// \file The file of a document: where it is, whether it can be written, and the window's state
/// that is kept in it. Opening and making wait for a disk and so happen on a work queue.

#include "core/session/run/measure_again.h"
#include "core/session/run/session.h"
#include "ui/kit/work_queue.h"

#include <QObject>
#include <QString>

#include <cstdint>
#include <functional>
#include <string>

namespace nestwright::ui {

class DocumentFile : public QObject {
  Q_OBJECT
 public:
  /// What opening or making a file came to.
  struct Outcome {
    QString error;     // why it failed, else empty
    QString notice;    // what to know although it did not
    RowId session = 0; // that was made, or found
  };
  using Done = std::function<void(const Outcome&)>;

  explicit DocumentFile(WorkQueue& work, QObject* parent = nullptr)
      : QObject(parent), work_(work) {}

  /// Absolute; empty without a document.
  const QString& path() const { return path_; }
  /// File name without folder and ending; empty without a document.
  QString title() const;
  /// Why the file can be looked at but not written, with what to do; empty when it can be.
  const QString& readOnlyReason() const { return readOnlyReason_; }

  /// Returns at once, with the path already the new one. Migrates an older file, and finds damage.
  /// `done` is not called when another file was wanted meanwhile.
  void open(const QString& path, Done done);
  /// Makes a session in the file: a new one, or one more in an existing file.
  void create(const QString& path, const SessionConfig& config, Done done);
  /// Makes the session in this file that measures programs of its records again, or finds it.
  void measureAgain(const AgainWish& wish, Done done);
  /// There is no document; or this file, which cannot be opened.
  void leave(const QString& path = {});

  /// The window's state when the document was left, JSON; empty for one that was never shown.
  const std::string& viewState() const { return viewState_; }
  void setViewState(const std::string& json) { viewState_ = json; }
  /// Keeps the window's state in the file, to be read again when it is opened.
  void keepViewState(const std::string& json);

 private:
  WorkQueue& work_;
  QString path_, readOnlyReason_;
  std::string viewState_;
  std::uint64_t visit_ = 0; // an answer for an earlier one is dropped
};

} // namespace nestwright::ui
