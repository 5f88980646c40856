#pragma once
/// \file The file of a document: where it is, whether it can be written, and the window's state
/// that is kept in it. Opening and making wait for a disk and so happen on a work queue.

#include "core/session/run/again/measure_again.h"
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
    QString error;        // why it failed, else empty
    QString notice;       // what to know although it did not
    RowId session = 0;    // that was made, or found
    QString readOnly{};   // why the file can be looked at but not written; empty when it can be
    bool damaged = false; // it is a document of which a part cannot be read
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

  /// Whether this file, which need not be the document's, can be opened. Migrates an older one, and
  /// finds damage. `done` is not called when another one was looked at meanwhile.
  void look(const QString& path, Done done);
  /// What is being looked at is not wanted any more.
  void forgetLook() { ++looks_; }
  /// From now on it is this file, of which look() told that.
  void enter(const QString& path, const Outcome& seen);
  /// Makes a session in a file that need not be the document's: a new file, or one more session in
  /// one that is there.
  void make(const QString& path, const SessionConfig& config, Done done);
  /// Makes the session in this file that measures programs of its records again, or finds it.
  void measureAgain(const AgainWish& wish, Done done);
  /// There is no document; or this file, which is not known yet or cannot be opened.
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
  std::uint64_t visit_ = 0, looks_ = 0; // an answer for an earlier one is dropped
};

} // namespace nestwright::ui
