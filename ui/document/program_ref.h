#pragma once
/// \file Which program is meant, in which file, and how the user calls it: what is compared,
/// dragged and dropped.

#include "core/support/row_id.h"

#include <QMetaType>
#include <QMimeData>
#include <QString>

#include <optional>

namespace nestwright::ui {

struct ProgramRef {
  QString file; // path of the document that holds it
  RowId task = 0;
  RowId record = 0;   // 0: the task's best
  bool naive = false; // the program without steps, whatever the task's best is
  /// The user's word for it; empty: "best · trial 812", made when it is read.
  QString alias;
  bool isValid() const { return !file.isEmpty() && (task || record); }
  friend bool operator==(const ProgramRef&, const ProgramRef&) = default;
};

/// Two programs side by side: A and B.
struct ProgramPair {
  ProgramRef a, b;
  friend bool operator==(const ProgramPair&, const ProgramPair&) = default;
};

/// The form in which programs are dragged from one view to another.
inline QString programMimeType() {
  return QStringLiteral("application/x-nestwright-program");
}
/// The caller owns the result.
QMimeData* toMimeData(const ProgramRef& program);
std::optional<ProgramRef> programFrom(const QMimeData* data);

} // namespace nestwright::ui
