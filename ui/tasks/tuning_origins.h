#pragma once
/// \file Where each task of the document was tuned, seen from this machine, and what share of the
/// network's latency was not (C36).

#include "core/execute/tuning_origin.h"
#include "core/support/row_id.h"
#include "ui/kit/background.h"

#include <QString>

#include <map>
#include <optional>

namespace nestwright {
struct TaskEntry;
} // namespace nestwright

namespace nestwright::ui {

class Document;

class TuningOrigins : public QObject {
  Q_OBJECT
 public:
  TuningOrigins(Document& document, QObject* parent);

  /// Nothing until the file was read.
  std::optional<TuningOrigin> of(const TaskEntry& task) const;
  /// Of the latency as the document has it; nothing while some task was not measured at all.
  std::optional<double> untunedShare() const;

 Q_SIGNALS:
  void changed();

 private:
  struct Answer {
    bool here = false; // the session's records are of this machine
    std::map<RowId, TuningOrigin> origins;
  };
  void ask();

  Document& document_;
  Background background_;
  Answer known_;
};

/// "this machine", "elsewhere", "fallback"; empty while it is not known.
QString originText(std::optional<TuningOrigin> origin);
/// What that means, in a sentence.
QString originMeaning(std::optional<TuningOrigin> origin);

} // namespace nestwright::ui
