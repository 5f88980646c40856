#pragma once
/// \file The session's saved cost model, asked anew whenever it may have changed, or another
/// program is looked at.

#include "core/support/row_id.h"
#include "ui/cost_model/score_story.h"
#include "ui/document/reading/file_asking.h"

#include <QObject>
#include <QTimer>

namespace nestwright::ui {

class Document;

class ModelReader : public QObject {
  Q_OBJECT
 public:
  explicit ModelReader(Document& document, QObject* parent = nullptr);

  /// What it told when it was last asked.
  const ModelStory& story() const { return story_; }
  /// Nothing is asked before it is wanted: by a view that can be seen.
  void setWanted(bool wanted) { wanted_ = wanted; }
  /// Asks soon if what is known is old, or about another program.
  void follow();

 Q_SIGNALS:
  void asked();

 private:
  void schedule();
  void ask();
  void take(ModelStory story);
  /// The record whose score is explained: the selected one, or the task's best.
  RowId explained() const;

  Document& document_;
  ModelStory story_;
  RowId explained_ = 0; // what was asked for
  bool wanted_ = false, stale_ = true;
  QTimer timer_;
  StoreAsking background_; // last: its work is waited for first
};

} // namespace nestwright::ui
