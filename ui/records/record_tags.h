#pragma once
/// \file Words that users put on records.

#include "core/record/rows/tag_count.h"
#include "core/support/row_id.h"
#include "ui/kit/background.h"
#include "ui/kit/work_queue.h"

#include <QObject>
#include <QString>

#include <vector>

namespace nestwright::ui {

class Document;

class RecordTags : public QObject {
  Q_OBJECT
 public:
  explicit RecordTags(Document& document, QObject* parent = nullptr);
  /// The tags of the document, by name.
  const std::vector<TagCount>& all() const { return tags_; }
  /// Puts a tag on records, or takes it away. Can be undone.
  void set(const QString& tag, const std::vector<RowId>& records, bool on);

 Q_SIGNALS:
  /// The list of tags is another.
  void listChanged();
  /// Records carry other tags now.
  void recordsChanged();
  void failed(const QString& why);

 private:
  void read();

  Document& document_;
  std::vector<TagCount> tags_;
  Background reading_;
  WorkQueue writing_;
};

} // namespace nestwright::ui
