#pragma once
/// \file Notes and stars: one place to write about the selected session, task or record, and the
/// list of all that were written.

#include "core/record/store/notes.h"

#include <QTimer>
#include <QWidget>

class QComboBox;
class QLabel;
class QPlainTextEdit;
class QTableView;
class QToolButton;

namespace nestwright::ui {

class Document;
class NoteModel;

class NotesView : public QWidget {
  Q_OBJECT
 public:
  explicit NotesView(Document& document, QWidget* parent = nullptr);
  ~NotesView() override;

  QComboBox* about() const { return about_; }
  QToolButton* star() const { return star_; }
  QPlainTextEdit* text() const { return text_; }
  QTableView* list() const { return list_; }
  /// Turns to the note of what is selected, record before task before session, to be typed into.
  void write();

 private:
  QWidget* head();
  void follow();   // the document's selection
  void showNote(); // of `key_`
  void showList();
  void save();
  void open(int row);
  NoteKey selectedKey() const;
  RowId selectedRecord() const;

  Document& document_;
  NoteModel* model_;
  QComboBox* about_;
  QLabel* subject_;
  QToolButton* star_;
  QPlainTextEdit* text_;
  QTableView* list_;
  QLabel* empty_; // instead of an empty list
  NoteKey key_;
  RowId task_ = 0; // that a record's note belongs to
  QTimer typing_;  // saves when the user pauses
};

} // namespace nestwright::ui
