#pragma once
/// \file How long to polish a record's program, before a session of its own does so.

#include "core/session/run/finish/polish_session.h"

#include <QDialog>

class QSpinBox;

namespace nestwright::ui {

class PolishDialog : public QDialog {
  Q_OBJECT
 public:
  /// `running`: what is being tuned in the window, which then pauses; empty: nothing is.
  PolishDialog(RowId record, const QString& running, QWidget* parent = nullptr);

  PolishWish wish() const;

 private:
  RowId record_;
  QSpinBox* trials_;
};

} // namespace nestwright::ui
