#pragma once
/// \file Records of files as the data set that a choice says.

#include "core/dataset/data_choice.h"
#include "core/feature/schedule_primitives.h"
#include "core/model/data_set.h"
#include "core/support/row_id.h"
#include "core/target/target.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <unordered_map>
#include <vector>

namespace nestwright {

class RecordStore;

/// A task of a data set.
struct DataTask {
  std::string key, name;
  std::string definition; // definitionHash()
  double flops = 0;
  std::string kind = {}; // kindHash()
};

/// A target of a data set.
struct DataTarget {
  std::string id;   // TargetFacts::id() of the machine
  std::string text; // as in public records
  TargetFacts facts;
  std::int64_t records = 0; // that were read
};

/// Records that were read, and those that are not in the data set, by reason.
struct DataIntake {
  std::int64_t records = 0;        // that match the choice
  std::int64_t repeated = 0;       // of a program that another record has; their times count
  std::int64_t neverTried = 0;     // cancelled
  std::int64_t implausible = 0;    // below the physical floor
  std::int64_t withoutDag = 0;     // of tasks whose definition nobody told
  std::int64_t withoutProgram = 0; // of templates that are not known here
  std::int64_t failuresDropped = 0;
  std::int64_t withoutFeatures =
      0; // programs of the set that cannot be executed: they have no rows
};

/// Where a program of a data set is from: its first record, in the order in which they were read.
struct DataSource {
  std::size_t file = 0; // index into the files that were read
  RowId task = 0, record = 0;
};

struct RecordedData {
  DataSet set;
  std::vector<DataSource> sources; // parallel to DataSet::outcomes
  std::vector<DataTask> tasks;     // parallel to DataSet::tasks
  std::vector<DataTarget> targets; // parallel to DataSet::machines
  /// Of programs whose task is not the first, by key, that computes what it does: the program's id
  /// under the first one's names. By the place of their outcome.
  std::unordered_map<std::size_t, std::string> renamed = {};
  DataIntake intake;
  /// What the rows hold, as featureChoice() takes it.
  std::string features;
  PrimitiveCounts primitives; // of rows of steps
};

/// What the program of an outcome is, the same for all tasks that compute the same.
const std::string& identityOf(const RecordedData& data, std::size_t outcome);

/// How the records are read.
struct ReadOptions {
  unsigned threads = 2; // 0: all cores
  bool features = true; // without them programs have no rows: enough to describe a data set
  /// Rows of steps get room for kinds and texts of steps that the published vocabulary lacks, and
  /// with "steps,fit" the length and width that 99 % of the programs and steps have. The records
  /// are read twice for it. What a model learns from is read so.
  bool learnSteps = false;
  /// Of the choice's targets only those that one of these means, as long as each means some; empty:
  /// all.
  std::vector<std::string> targets = {};
  /// As trainings do: it takes one thread while a session runs, and none while a kernel is timed.
  bool standsBack = false;
  /// Told some times a second which share of the records has been read; false ends the reading with
  /// QueryStopped.
  std::function<bool(double)> goOn = {};
};

/// Opens the choice's files for reading, each once. Throws InputError for one that is not there, or
/// no document.
std::vector<RecordStore> openFiles(const DataChoice& choice);

/// The programs of all files, by task and target, each once: a program's time is the median over
/// its records that ran; it failed where none did. Tasks stand in the order of their keys, so that
/// the order of the files does not matter. Throws InputError where no record matches; where those
/// that do are of several targets and the choice does not ask for that, with the counts; and where
/// there are to be rows, and the targets' differ in width.
RecordedData readData(const std::vector<RecordStore>& files, const DataChoice& choice,
                      const ReadOptions& options = {});

/// Whether a target is the one meant: by its id, or a part of it or of its text, whatever the case
/// of letters.
bool isTargetMeant(const DataTarget& target, const std::string& meant);

} // namespace nestwright
