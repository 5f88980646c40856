#pragma once
/// \file Showing a session's past in place of its present, with all views following; and what views
/// may show of it meanwhile.

#include "core/record/rows/record_query.h"
#include "core/story/forgetting.h"
#include "ui/document/replay/replay.h"

#include <QObject>

#include <memory>

namespace nestwright::ui {

class DocumentFile;
class Notices;
class SessionFollower;

class ReplayMode : public QObject {
  Q_OBJECT
 public:
  ReplayMode(const DocumentFile& file, SessionFollower& follower, Notices& notices,
             QObject* parent = nullptr);

  bool isOn() const { return replay_ != nullptr; }
  /// Why not, in a sentence; empty when it can be started.
  QString whyNotStart() const;
  bool canStart() const { return whyNotStart().isEmpty(); }
  /// Plays the session's past from its beginning; what would change the session is refused until
  /// end().
  void start();
  /// Pauses the replay and asks for the present; see presentWanted().
  void end();
  /// Drops the replay: the document goes elsewhere.
  void leave();

  /// The replay, or null.
  Replay* replay() const { return replay_.get(); }
  /// The newest record that views may show: later ones have not happened yet in a replay.
  RowId newestRecord() const;
  /// Marks of records that were not then what they are now; null where all were the same, and
  /// outside of a replay.
  std::shared_ptr<const OtherMarks> otherMarks() const;

 Q_SIGNALS:
  /// A replay began or ended.
  void changed();
  /// The present is wanted again, in place of the replay, which is still there.
  void presentWanted();

 private:
  const DocumentFile& file_;
  SessionFollower& follower_;
  Notices& notices_;
  std::unique_ptr<Replay> replay_;
};

} // namespace nestwright::ui
