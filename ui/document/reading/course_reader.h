#pragma once
/// \file How the session's search went, round after round, as views that are seen want it: read
/// from the file's events, grown by what is told, and in a replay no further than the moment.

#include "core/story/search_course.h"
#include "ui/document/reading/reader.h"

#include <QObject>

#include <vector>

namespace nestwright::ui {

class Document;

class CourseReader : public QObject {
  Q_OBJECT
 public:
  /// `channel`: of whoever has this one.
  CourseReader(Document& document, Reader::Channel channel, QObject* parent = nullptr);

  /// Of a replay as far as the moment, while it is wanted.
  const SearchCourse& course() const;
  /// True until the events were read once, or could not be.
  bool isReading() const { return (stale_ && !failed_) || reading_; }
  /// Nothing is read before it is wanted: by a view that can be seen.
  void setWanted(bool wanted);

 Q_SIGNALS:
  void changed();

 private:
  void restart();
  void read();
  void take(const std::vector<Event>& events);
  void show();
  /// The moment of a replay, or the replay as such, is another one.
  void followMoment();

  Document& document_;
  Reader::Channel channel_;
  SearchCourse whole_;
  SearchCourse until_;           // of it, the moment of a replay
  std::vector<Event> meanwhile_; // told since reading began
  bool wanted_ = false, stale_ = true, reading_ = false;
  bool failed_ = false;      // the last reading; the next one begins when it is wanted again
  bool momentPassed_ = true; // until_ is of another moment
};

} // namespace nestwright::ui
