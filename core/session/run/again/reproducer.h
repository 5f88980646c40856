#pragma once
/// \file A program that failed, on its own: all that another person needs to see the same failure,
/// and no more. Written as a file of JSON that needs neither the record file nor the session.

#include "core/measure/measure.h"
#include "core/support/row_id.h"

#include <nlohmann/json_fwd.hpp>

#include <functional>
#include <string>

namespace nestwright {

class RecordStore;

struct Reproducer {
  std::string task; // readable name
  std::string dag;  // exact text of the compute DAG
  Steps steps;
  std::size_t recordedSteps = 0; // that the program had when it was recorded
  Verdict verdict = Verdict::RunError;
  std::string reason;   // in the worker's words, as recorded
  int failingStep = -1; // index among `steps`, if one broke the program
  /// Those that decide the verdict; all others are defaults.
  MeasureOptions options;
  std::string target;  // text of the target that it was recorded on
  std::string machine; // name of its processor
  std::string product; // version that wrote it
};

/// The record's failure, with all of its steps. Throws InputError when the record is not there, did
/// not fail, or its task's definition is not known.
Reproducer reproducerOf(const RecordStore& store, RowId record);

/// How the session of records measured, of the options that decide a verdict; the defaults where it
/// does not say, as an import's. All cores of the target are their number, where that is recorded.
MeasureOptions recordedOptions(const RecordStore& store, RowId session, RowId target);

/// The options that decide a verdict, by name: not how many workers there are, or how long they
/// live, which is for those to say who repeat it.
nlohmann::json decidingOptions(const MeasureOptions& options);
/// The inverse; options that are missing, and all others, keep their default. Throws InputError on
/// a wrong type.
MeasureOptions decidingOptionsFromJson(const nlohmann::json& json);

/// What a worker is asked in order to see the failure.
MeasureRequest requestOf(const Reproducer& reproducer);
/// The same verdict, and where a step broke the program, the same step.
bool showsTheSame(const Reproducer& reproducer, const MeasureResult& result);

/// Measures one program with the options given.
using MeasureOne =
    std::function<MeasureResult(const MeasureOptions& options, const MeasureRequest& request)>;
/// In worker processes that are started so, on the machine's processor, or on its GPU where the
/// text of `target` is one of CUDA. Ends with the verdict Cancelled soon after `stop` is set.
MeasureOne measureInWorkers(WorkerLaunch launch, const std::string& target,
                            const std::atomic<bool>* stop = nullptr);

struct ShortReproducer {
  Reproducer reproducer;
  int attempts = 0;     // programs that were measured
  bool minimal = false; // no single step more can be left out; else there was no time to find out
};
/// Leaves out steps as long as the failure stays the same. Programs that cannot be replayed are not
/// measured, unless being illegal is the failure. Ends early, with what it has, when `goOn` says
/// no. Throws InputError when the failure does not show itself at all.
ShortReproducer shortened(const Reproducer& reproducer, const MeasureOne& measure,
                          const std::function<bool()>& goOn);

/// The file's text: JSON, one line for each line of the DAG and for each step.
std::string toText(const Reproducer& reproducer);
/// The inverse. Throws InputError that says what is wrong with the text.
Reproducer reproducerFromText(const std::string& text);

/// Makes the file. Throws InputError when there is one of this name already, SystemError when it
/// cannot be written.
void writeReproducer(const std::string& path, const Reproducer& reproducer);
/// Throws InputError, with the path, when the file cannot be read or is none.
Reproducer readReproducer(const std::string& path);

} // namespace nestwright
