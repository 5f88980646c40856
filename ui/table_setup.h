#pragma once
/// \file What all our tables share: dense rows that follow the zoom, no grid, row selection, copy
/// as tab-separated text with headers.

class QTableView;

namespace nestwright::ui {

/// Call once, after the model is set.
void setUpTable(QTableView* table);
/// The selected rows with their headers, tab-separated, to the clipboard.
void copyRows(const QTableView* table);

} // namespace nestwright::ui
