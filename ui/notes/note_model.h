#pragma once
/// \file All notes of the document as a table: sessions, tasks, records.

#include "core/record/store/notes.h"
#include "ui/kit/table/column_model.h"

#include <utility>

namespace nestwright::ui {

class Document;

class NoteModel : public TableModel<std::pair<NoteKey, Note>> {
  Q_OBJECT
 public:
  enum Column { Star, About, Text, ColumnCount };

  explicit NoteModel(Document& document, QObject* parent = nullptr);
  NoteKey keyAt(int row) const { return this->row(row).first; }
  /// -1 when there is no note about it.
  int rowOf(const NoteKey& key) const;

 private:
  using Row = std::pair<NoteKey, Note>;
  void reload();
  Columns columns() const;
  QVariant rowData(const Row& row, int role) const override;

  Document& document_;
};

/// "Conv 3x3 64→128", "record 123", "resnet18 · 2026-11-20 23:04": what the note is about.
QString aboutText(const Document& document, const NoteKey& key);

} // namespace nestwright::ui
