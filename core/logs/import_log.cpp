#include "core/logs/import_log.h"

#include "core/logs/chunk_pipeline.h"
#include "core/logs/task_guide.h"
#include "core/record/format/step_codec.h"
#include "core/record/intake/import_writer.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/session_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/session/insight/merge_document.h"
#include "core/session/run/session.h"
#include "core/session/run/session_lock.h"
#include "core/session/run/tuning_state.h"
#include "core/support/clock.h"
#include "core/support/error.h"
#include "core/support/first_names.h"
#include "core/support/hash.h"
#include "core/support/infinity.h"
#include "core/support/version.h"

#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <set>

namespace nestwright {

namespace {

using Clock = std::chrono::steady_clock;

/// A transaction takes in so many lines, or as many as fit into its time.
constexpr std::int64_t kLinesPerCommit = 20'000;
constexpr double kSecondsPerCommit = 0.5;
constexpr std::size_t kProblemsTold = 1000;
constexpr std::int64_t kProblemsStored = 10'000; // of a file

/// A file that is to be read.
struct Plan {
  std::size_t source = 0; // index into the report's
  std::int64_t bytes = 0, position = 0;
};

/// What was done by a moment.
struct Moment {
  double at = 0;
  std::int64_t lines = 0, bytes = 0;
};

/// The same inputs give the same title, by which their session is known again.
std::string titleOf(const std::vector<std::string>& inputs) {
  constexpr std::size_t kNamed = 3;
  std::vector<std::string> paths;
  for (const std::string& input : inputs)
    paths.push_back(std::filesystem::canonical(input).string());
  std::string title = "Import of " + firstNames(paths, kNamed);
  if (paths.size() > kNamed)
    title += fmt::format(" ({})", hashHex(fmt::format("{}", fmt::join(paths, "\n"))).substr(0, 8));
  return title;
}

/// What the session is shown as.
std::string subjectOf(const std::string& input) {
  const std::filesystem::path whole = std::filesystem::canonical(input);
  const bool folder = std::filesystem::is_directory(whole);
  return fmt::format("{}{}{}", folder ? "logs below " : "log ", whole.filename().string(),
                     folder ? "/" : "");
}

SessionRow sessionOf(const LogImportOptions& options, std::int64_t records, SessionStatus status) {
  SessionConfig config;
  for (const std::string& input : options.inputs)
    config.subjects.push_back(subjectOf(input));
  config.trials = records;
  nlohmann::json json = toJson(config);
  // By their whole names, so that the import can be taken up again from anywhere.
  const auto whole = [](const std::vector<std::string>& paths) {
    nlohmann::json list = nlohmann::json::array();
    for (const std::string& path : paths)
      list.push_back(std::filesystem::canonical(path).string());
    return list;
  };
  json["import"] = whole(options.inputs);
  if (!options.dags.empty()) json["import_dags"] = whole(options.dags);
  SessionRow row;
  row.title = titleOf(options.inputs);
  row.config = json.dump();
  row.schedulerState = toText(TuningState{});
  row.status = status;
  row.createdAt = row.updatedAt = nowMicroseconds();
  row.product = versionText();
  return row;
}

class Import {
 public:
  Import(const LogImportOptions& options, const std::atomic<bool>& stop,
         const std::function<void(const ImportProgress&)>& onProgress)
      : options_(options), stop_(stop), onProgress_(onProgress), files_(findLogs(options.inputs)),
        guide_(options.dags, options.matchZoo), writer_(options.database),
        alone_(options.database, 0, SessionLock::What::Import) {}

  ImportReport run() {
    report_.others = files_.others;
    report_.session = progress_.session =
        writer_.useSession(sessionOf(options_, 0, SessionStatus::Paused));
    plan();
    if (options_.awaitSession) awaitQuiet();
    if (!options_.dags.empty()) completeTasks();
    if (onProgress_) onProgress_(progress_);
    {
      ChunkPipeline pipeline(jobs_, options_.threads);
      while (!ended_ && !stop_) {
        writer_.transaction([&] { storeSome(pipeline); });
        progress_.stored = report_.records;
        report_.session = progress_.session = writer_.session();
      }
    }
    report_.cancelled = !ended_;
    if (report_.tasks + report_.learned + report_.undefined > 0)
      for (const PassedOver& problem : guide_.problems())
        report_.problems.push_back(
            {problem.path, {0, 0, fmt::format("{}: {}", problem.path, problem.reason)}});
    writer_.updateSession(
        sessionOf(options_, writer_.sessionRecords(),
                  report_.cancelled ? SessionStatus::Paused : SessionStatus::Finished));
    report_.templates = templates_.counts();
    report_.seconds = secondsSince(start_);
    return std::move(report_);
  }

 private:
  /// What is to be read of each log; logs that earlier runs read to the end are left out.
  void plan() {
    for (const LogFile& log : files_.logs) {
      ImportSource source;
      try {
        source = sourceOf(log);
      } catch (const InputError& error) {
        report_.problems.push_back({log.path, {0, 0, error.what()}});
        continue;
      }
      const bool done = source.finished && source.fileBytes == log.bytes;
      report_.before += done ? 1 : 0;
      report_.sources.push_back(source);
      if (done) continue;
      jobs_.push_back({log.path, source.offset, source.lines + 1});
      plans_.push_back({report_.sources.size() - 1, log.bytes});
      progress_.bytes += log.bytes;
    }
    progress_.files = jobs_.size();
  }

  /// Definitions that are given now may be of tasks that earlier imports found, of whatever logs.
  void completeTasks() {
    const RecordStore store = RecordStore::open(options_.database, OpenMode::ReadOnly);
    std::set<RowId> seen; // a task may have several places
    for (const TaskRow& task : store.tasks().all()) {
      if (!task.dag.empty() || !seen.insert(task.id).second) continue;
      RecordQuery one;
      one.task = task.id;
      one.limit = 1;
      const std::vector<Record> records = store.records().page(one);
      if (records.empty() || records.front().steps.empty()) continue;
      ImportedTask named;
      named.key = task.key;
      const TaskKnowledge knowledge =
          guide_.describe(named, options_.database, records.front().steps);
      ++(knowledge.dag.empty() ? report_.undefined : report_.learned);
      if (!knowledge.dag.empty())
        writer_.transaction([&] { writer_.complete(task.id, knowledge); });
    }
  }

  /// Until no session of the file runs. One that starts later finds the lock.
  void awaitQuiet() {
    awaitNoSession(options_.database, stop_, [this](const std::string& session) {
      progress_.waitingFor = session;
      if (onProgress_) onProgress_(progress_);
    });
    progress_.waitingFor.clear();
    start_ = Clock::now();
  }

  ImportSource sourceOf(const LogFile& log) {
    const auto known =
        writer_.findSource(log.path, [&](std::int64_t bytes) { return headHash(log.path, bytes); });
    ImportSource source;
    if (known) {
      source = *known;
      if (!source.finished || source.fileBytes != log.bytes) takeBackLastLine(source);
      return source;
    }
    source.path = log.path;
    source.headBytes = headSize(log.path);
    source.headHash = headHash(log.path, source.headBytes);
    return source;
  }

  /// A file that has grown, or whose import was stopped: its last line, if it was broken for want
  /// of an end, is read again.
  void takeBackLastLine(ImportSource& source) {
    for (const LineProblem& problem : writer_.problems(source.id))
      if (problem.line == source.lines && problem.offset == source.offset) {
        --source.lines;
        --source.broken;
        takenBack_.push_back({source.id, problem.line});
      }
  }

  void storeSome(ChunkPipeline& pipeline) {
    const Clock::time_point begin = Clock::now();
    const std::int64_t linesBefore = report_.lines;
    while (!stop_ && report_.lines - linesBefore < kLinesPerCommit &&
           secondsSince(begin) < kSecondsPerCommit) {
      const std::unique_ptr<ChunkPipeline::Piece> piece = pipeline.next();
      if (piece == nullptr) {
        ended_ = true;
        break;
      }
      store(*piece);
      tellProgress();
    }
  }

  void store(const ChunkPipeline::Piece& piece) {
    Plan& plan = plans_[piece.job];
    ImportSource& source = report_.sources[plan.source];
    if (source.id == 0) writer_.addSource(source);
    std::erase_if(takenBack_, [&](const auto& taken) { // once: it may be broken again
      if (taken.first == source.id) writer_.forgetProblem(source, taken.second);
      return taken.first == source.id;
    });
    progress_.file = source.path;
    storeRecords(piece.parsed, source);
    std::vector<LineProblem> problems = piece.parsed.problems;
    for (const LineProblem& problem : problems)
      if (report_.problems.size() < kProblemsTold)
        report_.problems.push_back({source.path, problem});
    if (source.broken >= kProblemsStored) problems.clear();
    count(piece.parsed, source);
    if (piece.last) finish(piece, source, plan);
    writer_.save(source, problems);
    const std::int64_t position = piece.last ? plan.bytes : piece.parsed.filePosition;
    progress_.bytesDone += position - plan.position;
    plan.position = position;
  }

  void storeRecords(const ParsedChunk& parsed, ImportSource& source) {
    std::vector<RowId> tasks(parsed.batch.tasks.size(), 0);
    for (const ImportedRecord& record : parsed.batch.records) {
      const ImportedTask& from = parsed.batch.tasks[std::size_t(record.task)];
      RowId& task = tasks[std::size_t(record.task)];
      if (task == 0) task = writer_.task(from, [&] { return describe(from, record, source); });
      if (record.item.isConfig) templates_.add(from, record);
      const bool isNew = writer_.add(record, task, from, source);
      ++(isNew ? source.records : source.duplicates);
      ++(isNew ? report_.records : report_.duplicates);
    }
  }

  TaskKnowledge describe(const ImportedTask& task, const ImportedRecord& record,
                         const ImportSource& source) {
    const Steps steps =
        record.item.isConfig ? Steps{} : decodeSteps(record.shape, record.item.values);
    TaskKnowledge knowledge = guide_.describe(task, source.path, steps);
    ++report_.tasks;
    report_.knownTasks += knowledge.dag.empty() ? 0 : 1;
    return knowledge;
  }

  void count(const ParsedChunk& parsed, ImportSource& source) {
    if (parsed.lines == 0) return;
    source.lines += parsed.lines;
    source.comments += parsed.comments;
    source.broken += parsed.broken;
    source.offset = parsed.endOffset;
    report_.lines += parsed.lines;
    report_.comments += parsed.comments;
    report_.broken += parsed.broken;
  }

  /// The end of a file; one whose rest cannot be read is tried again next time.
  void finish(const ChunkPipeline::Piece& piece, ImportSource& source, const Plan& plan) {
    ++progress_.filesDone;
    if (piece.error.empty()) {
      source.finished = true;
      source.fileBytes = plan.bytes;
      return;
    }
    source.finished = false;
    report_.problems.push_back({source.path, {0, source.offset, piece.error}});
  }

  void tellProgress() {
    const double now = secondsSince(start_);
    constexpr double kInterval = 0.2, kMemory = 5;
    if (!onProgress_ || now - progress_.seconds < kInterval) return;
    progress_.lines = report_.lines, progress_.records = report_.records;
    progress_.duplicates = report_.duplicates, progress_.broken = report_.broken;
    progress_.seconds = now;
    rates_.push_back({now, report_.lines, progress_.bytesDone});
    if (now - rates_.front().at > kMemory && rates_.size() > 2) rates_.erase(rates_.begin());
    const Moment& then = rates_.front();
    const double past = now - then.at;
    progress_.recordsPerSecond =
        past > 0 ? double(report_.lines - then.lines) / past : double(report_.lines) / now;
    const double bytesPerSecond = double(progress_.bytesDone) / now;
    progress_.secondsLeft = bytesPerSecond > 0
                                ? double(progress_.bytes - progress_.bytesDone) / bytesPerSecond
                                : kInfinity;
    onProgress_(progress_);
  }

  const LogImportOptions& options_;
  const std::atomic<bool>& stop_;
  const std::function<void(const ImportProgress&)>& onProgress_;
  LogFiles files_;
  TaskGuide guide_;
  ImportWriter writer_;
  /// Two imports at once would take in the same lines: what a log has is looked up at the start.
  SessionLock alone_;
  std::vector<LogJob> jobs_;
  std::vector<Plan> plans_;                               // one for each job
  std::vector<std::pair<RowId, std::int64_t>> takenBack_; // source, line
  TemplateCheck templates_;
  ImportReport report_;
  ImportProgress progress_;
  std::vector<Moment> rates_;
  Clock::time_point start_ = Clock::now();
  bool ended_ = false;
};

} // namespace

ImportReport importLogs(const LogImportOptions& options, const std::atomic<bool>& stop,
                        const std::function<void(const ImportProgress&)>& onProgress) {
  return Import(options, stop, onProgress).run();
}

} // namespace nestwright
