#pragma once
/// \file How the session's search went, round after round, as views that are seen want it: read
/// from the file's events, grown by what is told, and in a replay no further than the moment.

#include "core/story/search_course.h"
#include "ui/document/reader.h"

#include <QObject>

#include <vector>

namespace nestwright::ui {

class Document;

class CourseReader : public QObject {
  Q_OBJECT
 public:
  /// `channel`: of whoever has this one.
  CourseReader(Document& document, Reader::Channel channel, QObject* parent = nullptr);

  const SearchCourse& course() const { return shown_; }
  /// True until the events were read once.
  bool isReading() const { return stale_ || reading_; }
  /// Nothing is read before it is wanted: by a view that can be seen.
  void setWanted(bool wanted);

 Q_SIGNALS:
  void changed();

 private:
  void restart();
  void read();
  void take(const std::vector<Event>& events);
  void show();

  Document& document_;
  Reader::Channel channel_;
  SearchCourse whole_, shown_;
  std::vector<Event> meanwhile_; // told since reading began
  bool wanted_ = false, stale_ = true, reading_ = false;
};

} // namespace nestwright::ui
