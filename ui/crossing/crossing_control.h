#pragma once
/// \file The crossing lab's state: the parents, what came of crossing them, and what was measured
/// of that. GUI thread only; files are read and programs crossed on a thread of its own.

#include "core/session/crossing/ancestry.h"
#include "core/session/crossing/crossing.h"
#include "core/session/run/events.h"
#include "ui/document/program_ref.h"
#include "ui/kit/work_queue.h"

#include <QObject>
#include <QTimer>

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace nestwright::ui {

class Document;

struct MeasuredCross {
  RowId record = 0;
  double seconds = 0; // infinity when it failed
  CrossStanding standing = CrossStanding::Slower;
  bool isBest() const { return standing == CrossStanding::Best; }
};

class CrossingControl : public QObject {
  Q_OBJECT
 public:
  CrossingControl(Document& document, QObject* parent);
  ~CrossingControl() override;

  // Commands. All return at once; changed() follows. The choice of parents can be undone, which
  // brings back what came of crossing those before.
  /// The parents are the programs of these records, or the `top` fastest of the task for none.
  void take(RowId task, const std::vector<RowId>& records, int top);
  /// More parents; of another task, it begins anew. Those of another file, or of another task than
  /// the first, are passed over; false when that leaves none.
  bool add(const std::vector<ProgramRef>& programs);
  void remove(const std::vector<int>& parents);
  void cross(int count, std::uint64_t seed);
  /// Asks the session to measure these children; those that it cannot take are passed over.
  void measure(const std::vector<int>& children);
  /// Something else is timed on this machine now, so nothing can be measured.
  void setMachineTaken(bool taken);

  // Facts.
  const QString& path() const { return path_; } // of the document; empty when there is none
  RowId task() const { return lab_.task; }
  const std::vector<CrossingParent>& parents() const { return lab_.parents; }
  const std::vector<CrossChild>& children() const { return lab_.crossing.children; }
  CrossTally tally() const { return nestwright::tally(lab_.crossing.children); }
  std::uint64_t seed() const { return lab_.seed; }
  bool isPredicted() const { return lab_.crossing.predicted; }
  /// Why nothing is, in a sentence.
  QString unpredicted() const;
  /// A parent as it is called in the lab: its place, from 1.
  const CrossingParent& parentOf(const CrossChild& child, int side) const;
  /// In words, of a child that is no illegal one.
  const std::vector<CrossedStep>& stepsOf(int child) const;
  std::optional<MeasuredCross> measured(int child) const;
  bool isWaiting(int child) const; // to be measured
  bool canMeasure(int child) const;
  /// Why no child can be measured that is chosen, in a sentence; empty where one could be.
  QString whyNotMeasure() const;
  bool isReading() const { return lab_.reading; }
  bool isCrossing() const { return crossingNow_; }
  /// Hands over the family tree of a measured child, itself first.
  void readFamily(int child, std::function<void(std::vector<Ancestor>)> done);
  /// Why nothing can be crossed, in a sentence; empty when it can.
  QString obstacle() const;

 Q_SIGNALS:
  void changed();
  /// There are other children.
  void crossed();
  /// One became the task's best.
  void bestFound(int child);
  void failed(const QString& text);

 private:
  struct Result {
    Crossing crossing;
    std::vector<std::vector<CrossedStep>> steps;
  };
  struct Kept;
  /// What another choice of parents replaces.
  struct Lab {
    RowId task = 0;
    std::vector<CrossingParent> parents;
    bool reading = false;     // parents: the programs of the records that are
    std::vector<RowId> asked; // asked for, or the `top` fastest for none
    int top = 0;
    std::uint64_t seed = 0;
    Crossing crossing;
    std::vector<std::vector<CrossedStep>> steps;   // by child
    std::map<std::string, MeasuredCross> measured; // by programId
    std::set<std::string> waiting;                 // to be measured
  };
  /// Puts another lab in the place of the present one, in a way that can be undone.
  void replaceBy(const QString& what, Lab lab);
  void putIn(Lab lab);
  void readParents();
  void readMeasured();
  /// The lab as it was left in the file.
  void restore();
  void adopt(Kept kept);
  /// Keeps the lab in the file, soon.
  void remember();
  void rememberNow();
  MeasuredCross measuredBy(const Record& record) const;
  static Result compute(const std::string& path, const CrossingConfig& config);
  void clear();
  CrossingConfig config() const;
  void takeEvents(const std::vector<Event>& events);
  /// Takes in what was measured: the records that `find` gives.
  void readRecords(std::function<std::vector<Record>(const RecordStore&)> find);
  void takeRecord(const Record& record);

  Document& document_;
  QString path_;
  RowId session_ = 0;
  Lab lab_;
  QTimer remembering_;
  bool crossingNow_ = false, machineTaken_ = false;
  std::uint64_t visit_ = 0; // an answer about earlier parents is dropped
  WorkQueue workQueue_;     // the last member: finishes before the others go
};

} // namespace nestwright::ui
