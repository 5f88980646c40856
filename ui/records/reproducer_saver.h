#pragma once
/// \file A failed record as a file of its own, for somebody else to see the same failure: asked for
/// in the menu of the records, made in the background.

#include "core/support/row_id.h"
#include "ui/kit/background.h"

#include <QString>

#include <atomic>
#include <functional>

class QAction;

namespace nestwright::ui {

class Document;

class ReproducerSaver : public QObject {
  Q_OBJECT
 public:
  /// Its command is about the record that `current` gives then.
  ReproducerSaver(Document& document, std::function<RowId()> current, QObject* parent);
  ~ReproducerSaver() override { stop_ = true; }

  QAction* action() const { return action_; }
  /// Whether the command makes sense for the record: it failed, and nothing is being timed.
  void allow(bool failed);
  /// Leaves out what the failure does not need, for a minute at most, and writes the file; in place
  /// of one that is there. Emits saved(), or the document's warning.
  void save(RowId record, const QString& path);

 Q_SIGNALS:
  void saved(const QString& sentence);

 private:
  void ask();

  Document& document_;
  std::function<RowId()> current_;
  QAction* action_;
  std::atomic<bool> stop_ = false; // measuring
  Background background_;          // last: its work is waited for first
};

} // namespace nestwright::ui
