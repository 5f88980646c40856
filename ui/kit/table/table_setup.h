#pragma once
/// \file What all our tables share: dense rows that follow the zoom, no grid, row selection, copy
/// as tab-separated text with headers or as Markdown.

class QAbstractItemView;
class QString;
class QTableView;

namespace nestwright::ui {

/// Call once, after the model is set.
void setUpTable(QTableView* table);
/// Copying by Ctrl+C and in the context menu, for a table or a tree; setUpTable() has it.
void addCopying(QAbstractItemView* view);
/// The selected rows with their headers to the clipboard: as they are shown, tab-separated or as a
/// Markdown table.
void copyRows(const QAbstractItemView* view, bool markdown = false);

/// Room in the column for this text and for its title.
void fitColumn(QTableView* table, int column, const QString& widest);

} // namespace nestwright::ui
