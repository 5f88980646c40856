#pragma once
/// \file The log as a table that stays at its end while the user does not scroll back.

#include <QTableView>

namespace nestwright::ui {

class Document;

class LogView : public QTableView {
  Q_OBJECT
 public:
  explicit LogView(Document& document, QWidget* parent = nullptr);
};

} // namespace nestwright::ui
