#include "core/dataset/recorded_data.h"

#include "core/dataset/feature_kind.h"
#include "core/dataset/network_tasks.h"
#include "core/feature/program_features.h"
#include "core/record/format/record_program.h"
#include "core/record/format/target_facts.h"
#include "core/record/format/task_dag.h"
#include "core/record/sql/query_stopped.h"
#include "core/record/store/record_pages.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/schedule/program_ids.h"
#include "core/support/error.h"
#include "core/support/infinity.h"
#include "core/support/parallel.h"
#include "core/support/quantity.h"
#include "core/support/text.h"
#include "core/tensor/definition.h"
#include "core/worker/quiet.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>

namespace nestwright {

namespace {

/// Rows of a file that are about one task on one target.
struct Source {
  std::size_t file = 0;
  RowId task = 0;
};

/// A task with all rows that are about it.
struct FoundTask {
  DataTask task;
  std::optional<ComputeDag> dag;
  std::map<std::size_t, std::vector<Source>> sources; // by the index of the target
};

/// A program with what measuring it gave, each time.
struct MeasuredOften {
  std::string id;
  ComputeDag dag;
  Steps steps;
  DataSource source;
  std::string renamed;         // RecordedData::renamed; empty: its task is the first
  std::vector<double> seconds; // of the records that ran
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double timeOf(const MeasureResult& result, LabelTime label) {
  if (label == LabelTime::Centre || result.seconds.empty()) return result.latency();
  return std::accumulate(result.seconds.begin(), result.seconds.end(), 0.0) /
         static_cast<double>(result.seconds.size());
}

/// The first task of a definition.
struct FirstTask {
  FirstTask(std::string of, const ComputeDag& dag) : key(std::move(of)), ids(dag) {}
  std::string key;
  ProgramIds ids;
};

class Reading {
 public:
  Reading(const std::vector<RecordStore>& files, const DataChoice& choice,
          const ReadOptions& options)
      : files_(files), choice_(choice), options_(options) {
    query_.filter = parseRecordFilter(choice.filter);
  }

  RecordedData run() {
    findTasks();
    countTargets();
    requireTargets();
    data_.features = choice_.features.empty() ? "paper" : choice_.features;
    const bool twice = options_.learnSteps && options_.features && isOfSteps(data_.features);
    for (const DataTarget& target : data_.targets)
      recordsToRead_ += target.records * (twice ? 2 : 1);
    if (twice) learnSteps();
    makeKinds();
    data_.set = DataSet(columns_);
    for (std::size_t i = 0; i < data_.targets.size(); ++i) {
      data_.set.machines.push_back(data_.targets[i].id);
      data_.targets[i].records = 0;
    }
    forEachTask([&](const DataTask& task, std::size_t target,
                    const std::vector<MeasuredOften>& programs) { add(task, target, programs); });
    if (data_.set.size() == 0) throw InputError(nothingText());
    return std::move(data_);
  }

 private:
  void findTasks() {
    std::set<std::string> wanted;
    for (const NetworkTasks& network : networkTasks(choice_.networks, files_))
      for (const auto& [definition, weight] : network.weights)
        wanted.insert(definition);
    for (std::size_t file = 0; file < files_.size(); ++file) {
      const RecordStore& store = files_[file];
      std::map<RowId, std::size_t> targets;
      for (const TargetRow& row : store.targets().all())
        if (const std::optional<std::size_t> target = targetOf(row)) targets[row.id] = *target;
      for (const TaskRow& row : store.tasks().all()) {
        const auto target = targets.find(row.target);
        if (target == targets.end() || !isNamed(row)) continue;
        FoundTask& found = tasks_[row.key];
        if (found.task.key.empty()) {
          found.dag = dagIfKnown(row);
          found.task = {row.key, row.name, "", row.flops};
          if (found.dag) found.task.definition = definitionHash(*found.dag);
          if (found.dag) found.task.kind = kindHash(*found.dag);
        }
        if (!choice_.networks.empty() && !wanted.contains(found.task.definition)) continue;
        found.sources[target->second].push_back({file, row.id});
      }
    }
  }

  /// The place of the target among those that are wanted; nothing for another.
  std::optional<std::size_t> targetOf(const TargetRow& row) {
    const DataTarget target{machineIdOf(row), row.text, factsIfKnown(row).value_or(TargetFacts()),
                            0};
    if (!choice_.target.empty() && !isTargetMeant(target, choice_.target)) return std::nullopt;
    const auto known = std::ranges::find(data_.targets, target.id, &DataTarget::id);
    const auto place = static_cast<std::size_t>(known - data_.targets.begin());
    if (known == data_.targets.end()) data_.targets.push_back(target);
    return place;
  }

  bool isNamed(const TaskRow& row) const {
    return choice_.tasks.empty() ||
           std::ranges::any_of(choice_.tasks, [&](const std::string& task) {
             return task == row.key || task == row.name;
           });
  }

  RecordQuery queryOf(const Source& source) const {
    RecordQuery query = query_;
    query.task = source.task;
    return query;
  }

  /// Whether ReadOptions::targets asks for it.
  bool isAskedFor(const DataTarget& target) const {
    const auto meansSome = [&](const std::string& meant) {
      return std::ranges::any_of(data_.targets,
                                 [&](const DataTarget& one) { return isTargetMeant(one, meant); });
    };
    const std::vector<std::string>& asked = options_.targets;
    return asked.empty() || !std::ranges::all_of(asked, meansSome) ||
           std::ranges::any_of(
               asked, [&](const std::string& meant) { return isTargetMeant(target, meant); });
  }

  /// Leaves out targets that are not asked for or have no records, and puts the others in the order
  /// of their ids.
  void countTargets() {
    for (const auto& [key, found] : tasks_)
      for (const auto& [target, sources] : found.sources)
        for (const Source& source : sources)
          data_.targets[target].records += files_[source.file].records().count(queryOf(source));
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < data_.targets.size(); ++i)
      if (data_.targets[i].records > 0 && isAskedFor(data_.targets[i])) order.push_back(i);
    std::ranges::sort(order, {}, [&](std::size_t i) { return data_.targets[i].id; });
    std::vector<DataTarget> kept;
    std::map<std::size_t, std::size_t> places;
    for (const std::size_t i : order) {
      places[i] = kept.size();
      kept.push_back(data_.targets[i]);
    }
    for (auto& [key, found] : tasks_) {
      std::map<std::size_t, std::vector<Source>> sources;
      for (auto& [target, list] : found.sources)
        if (places.contains(target)) sources[places[target]] = std::move(list);
      found.sources = std::move(sources);
    }
    data_.targets = std::move(kept);
  }

  std::string nothingText() const {
    return fmt::format("no record of {} is what the choice of data asks for: look at its filter, "
                       "target, networks and tasks",
                       fmt::join(choice_.files, ", "));
  }

  void requireTargets() const {
    if (data_.targets.empty()) throw InputError(nothingText());
    if (data_.targets.size() == 1 || choice_.acrossTargets) return;
    std::vector<std::string> counts;
    for (const DataTarget& target : data_.targets)
      counts.push_back(fmt::format("{} of {} ({})", target.records, target.id, target.text));
    throw InputError(fmt::format("the records are of {} targets, whose times do not compare: {}; "
                                 "choose one with --target, or ask for all with --across-targets",
                                 data_.targets.size(), fmt::join(counts, ", ")));
  }

  void learnSteps() {
    const bool gpu = data_.targets.front().facts.gpu.has_value();
    PrimitiveVocabulary vocabulary = publishedVocabulary(gpu);
    PrimitiveCensus census;
    forEachTask([&](const DataTask&, std::size_t, const std::vector<MeasuredOften>& programs) {
      for (const MeasuredOften& program : programs) {
        learn(vocabulary, program.steps);
        census.add(program.steps);
      }
    });
    const PrimitiveShape shape =
        data_.features == kFittedSteps ? census.shape(vocabulary) : publishedShape(vocabulary, gpu);
    data_.features = stepFeaturesText({std::move(vocabulary), shape});
    data_.intake = {};
  }

  void makeKinds() {
    for (const DataTarget& target : data_.targets)
      kinds_.push_back(featureKind(data_.features, target.facts));
    columns_ = kinds_.front().columns;
    for (std::size_t i = 0; i < kinds_.size(); ++i)
      if (options_.features && kinds_[i].columns != columns_)
        throw InputError(fmt::format("programs for {} have {} a row and those for {} {}: "
                                     "they cannot be learned from together",
                                     data_.targets[0].id,
                                     quantity(std::int64_t(columns_), "feature"),
                                     data_.targets[i].id, kinds_[i].columns));
  }

  /// Calls `visit` with each task and target that has programs.
  template <class Visit>
  void forEachTask(const Visit& visit) {
    for (auto& [key, found] : tasks_)
      for (const auto& [target, sources] : found.sources) {
        const std::vector<MeasuredOften> programs = read(found, target, sources);
        if (!programs.empty()) visit(found.task, target, programs);
      }
  }

  std::vector<MeasuredOften> read(const FoundTask& found, std::size_t target,
                                  const std::vector<Source>& sources) {
    std::vector<MeasuredOften> programs;
    std::unordered_map<std::string, std::size_t> places;
    std::optional<RecordPrograms> made;
    const ProgramIds* others = nullptr;
    if (found.dag) {
      made.emplace(*found.dag);
      const auto [first, isNew] =
          firstTasks_.try_emplace(found.task.definition, found.task.key, *found.dag);
      if (first->second.key != found.task.key) others = &first->second.ids;
    }
    for (const Source& source : sources)
      forEachPage(files_[source.file], queryOf(source), [&](const std::vector<Record>& page) {
        const QuietHold turn = waitForTurn();
        for (const Record& record : page)
          take(record, source.file, made, others, programs, places, target);
        recordsRead_ += static_cast<std::int64_t>(page.size());
        askToGoOn();
      });
    if (!choice_.keepFailures)
      data_.intake.failuresDropped += static_cast<std::int64_t>(
          std::erase_if(programs, [](const MeasuredOften& one) { return one.seconds.empty(); }));
    return programs;
  }

  void take(const Record& record, std::size_t file, std::optional<RecordPrograms>& made,
            const ProgramIds* others, std::vector<MeasuredOften>& programs,
            std::unordered_map<std::string, std::size_t>& places, std::size_t target) {
    ++data_.intake.records;
    ++data_.targets[target].records;
    if (!made) return void(++data_.intake.withoutDag);
    if (saysNothing(record.result.verdict)) return void(++data_.intake.neverTried);
    if (record.implausible) return void(++data_.intake.implausible);
    auto place = places.find(record.program);
    if (place == places.end()) {
      std::optional<RecordProgram> program = programOf(*made, record);
      if (!program) return void(++data_.intake.withoutProgram);
      place = places.emplace(record.program, programs.size()).first;
      // A template's steps may be of a DAG of their own.
      std::string renamed = others && !program->config ? others->of(program->steps) : "";
      programs.push_back({record.program,
                          std::move(program->dag),
                          std::move(program->steps),
                          {file, record.task, record.id},
                          std::move(renamed),
                          {}});
    } else {
      ++data_.intake.repeated;
    }
    if (record.result.verdict == Verdict::Ok)
      programs[place->second].seconds.push_back(timeOf(record.result, choice_.label));
  }

  static std::optional<RecordProgram> programOf(RecordPrograms& made, const Record& record) {
    try {
      return made.program(record);
    } catch (const InputError&) { // of a template that nobody knows, or of none of its versions
    } catch (const IllegalSchedule&) {
    }
    return std::nullopt;
  }

  void add(const DataTask& task, std::size_t target, const std::vector<MeasuredOften>& programs) {
    std::vector<std::vector<float>> rows(programs.size());
    std::vector<PrimitiveCounts> counts(programs.size());
    constexpr std::size_t kAtOnce = 256; // some tens of milliseconds
    for (std::size_t begin = 0; options_.features && begin < programs.size(); begin += kAtOnce) {
      const QuietHold turn = waitForTurn();
      parallelFor(std::min(kAtOnce, programs.size() - begin), threads(), [&](std::size_t n) {
        const std::size_t i = begin + n;
        rows[i] = kinds_[target].rows(programs[i].dag, programs[i].steps, counts[i]);
      });
      askToGoOn();
    }
    for (std::size_t i = 0; i < programs.size(); ++i) {
      data_.primitives += counts[i];
      if (options_.features && rows[i].empty()) ++data_.intake.withoutFeatures;
      const std::vector<double>& seconds = programs[i].seconds;
      data_.set.add(task.key, programs[i].id, data_.targets[target].id, rows[i],
                    seconds.empty() ? kInfinity : median(seconds));
      if (!programs[i].renamed.empty())
        data_.renamed.emplace(data_.sources.size(), programs[i].renamed);
      data_.sources.push_back(programs[i].source);
    }
    if (data_.tasks.size() < data_.set.tasks.size()) data_.tasks.push_back(task);
  }

  /// What comes next is some tens of milliseconds of work.
  QuietHold waitForTurn() const { return options_.standsBack ? holdForBatch() : QuietHold(); }
  unsigned threads() const {
    return options_.standsBack && isSessionRunning() ? 1 : options_.threads;
  }

  void askToGoOn() const {
    if (options_.goOn &&
        !options_.goOn(static_cast<double>(recordsRead_) /
                       static_cast<double>(std::max<std::int64_t>(recordsToRead_, 1))))
      throw QueryStopped("the records are no longer wanted");
  }

  const std::vector<RecordStore>& files_;
  const DataChoice& choice_;
  const ReadOptions& options_;
  RecordQuery query_;
  std::map<std::string, FoundTask> tasks_;      // by key
  std::map<std::string, FirstTask> firstTasks_; // by definition
  std::vector<FeatureKind> kinds_;              // by target
  std::size_t columns_ = 0;
  std::int64_t recordsRead_ = 0, recordsToRead_ = 0;
  RecordedData data_;
};

} // namespace

std::vector<RecordStore> openFiles(const DataChoice& choice) {
  std::vector<RecordStore> stores;
  std::set<std::string> seen;
  for (const std::string& file : choice.files) {
    if (!std::filesystem::exists(file))
      throw InputError(fmt::format("there is no file {} to take records from", file));
    if (seen.insert(std::filesystem::canonical(file)).second)
      stores.push_back(RecordStore::open(file, OpenMode::ReadOnly));
  }
  return stores;
}

RecordedData readData(const std::vector<RecordStore>& files, const DataChoice& choice,
                      const ReadOptions& options) {
  checkChoice(choice);
  return Reading(files, choice, options).run();
}

const std::string& identityOf(const RecordedData& data, std::size_t outcome) {
  const auto renamed = data.renamed.find(outcome);
  return renamed != data.renamed.end() ? renamed->second : data.set.outcomes[outcome].program;
}

bool isTargetMeant(const DataTarget& target, const std::string& meant) {
  if (target.id == meant) return true;
  const std::string part = lowerCase(meant);
  return lowerCase(target.id).find(part) != std::string::npos ||
         lowerCase(target.text).find(part) != std::string::npos;
}

} // namespace nestwright
