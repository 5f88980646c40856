#pragma once
/// \file How much time an adaptive evaluator saved so far in the session that is shown: read from
/// its records, those that are new once there are some. GUI thread only.

#include "core/story/saved_time.h"
#include "ui/document/reading/connection_cache.h"
#include "ui/kit/background.h"

#include <QObject>
#include <QString>

#include <optional>

namespace nestwright::ui {

class Document;

class MeasuringSaved : public QObject {
  Q_OBJECT
 public:
  MeasuringSaved(Document& document, QObject* parent);

  /// Nothing until it is known, and of a session that saves none.
  const std::optional<SavedTime>& saved() const { return saved_; }

 Q_SIGNALS:
  void changed();

 private:
  void begin();
  void ask();

  Document& document_;
  std::optional<SavedTime> saved_;
  bool more_ = false; // records came while others were being read
  std::shared_ptr<StoreCache> store_ = std::make_shared<StoreCache>();
  Background reading_; // last: its thread ends first
};

/// "saved 3.2 s"; empty where nothing was.
QString savedText(const std::optional<SavedTime>& saved);
/// How that is reckoned.
QString savedToolTip(const std::optional<SavedTime>& saved, const Evaluator& evaluator);

} // namespace nestwright::ui
