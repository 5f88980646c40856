#pragma once
/// \file Filters with a name, kept in the document.

#include "ui/kit/background.h"
#include "ui/kit/work_queue.h"

#include <QObject>
#include <QString>

#include <vector>

namespace nestwright::ui {

class Document;

struct SavedFilter {
  QString name, text; // text: of core/record/rows/record_filter.h
  friend bool operator==(const SavedFilter&, const SavedFilter&) = default;
};

class SavedFilters : public QObject {
  Q_OBJECT
 public:
  explicit SavedFilters(Document& document, QObject* parent = nullptr);
  const std::vector<SavedFilter>& all() const { return filters_; }
  /// Keeps the text under the name, in place of what was there; an empty text removes the name. Can
  /// be undone.
  void save(const QString& name, const QString& text);

 Q_SIGNALS:
  void failed(const QString& why);

 private:
  void read();
  void set(const QString& path, std::vector<SavedFilter> filters);

  Document& document_;
  std::vector<SavedFilter> filters_;
  Background reading_;
  WorkQueue writing_;
};

} // namespace nestwright::ui
