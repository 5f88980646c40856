#pragma once
/// \file All notes of the document as a table: sessions, tasks, records.

#include "core/record/store/notes.h"

#include <QAbstractTableModel>

#include <vector>

namespace nestwright::ui {

class Document;

class NoteModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Column { Star, About, Text, ColumnCount };

  explicit NoteModel(Document& document, QObject* parent = nullptr);

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role = Qt::DisplayRole) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;
  NoteKey keyAt(int row) const { return rows_[static_cast<std::size_t>(row)].first; }
  /// -1 when there is no note about it.
  int rowOf(const NoteKey& key) const;

 private:
  void reload();

  Document& document_;
  std::vector<std::pair<NoteKey, Note>> rows_;
};

/// "Conv 3x3 64→128", "record 123", "resnet18 · 2026-11-20 23:04": what the note is about.
QString aboutText(const Document& document, const NoteKey& key);

} // namespace nestwright::ui
