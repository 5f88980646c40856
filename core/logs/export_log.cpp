#include "core/logs/export_log.h"

#include "core/record/format/public_record.h"
#include "core/record/format/stored_json.h"
#include "core/record/sql/query_stopped.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/target_rows.h"
#include "core/record/store/task_rows.h"
#include "core/schedule/pragma.h"
#include "core/schedule/step_text.h"
#include "core/support/csv.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/support/output_file.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <future>
#include <map>
#include <memory>
#include <set>

namespace nestwright {

namespace {

namespace fs = std::filesystem;

constexpr const char* kDraft = "part"; // of a name while it is written

constexpr const char* kCsvHeader =
    "record,session,trial,task,workload_key,target,verdict,median_seconds,repeats_seconds,"
    "measuring_seconds,measured_at,task_flop,verified,best,program,steps";

std::string csvRow(const TaskRow& task, const TargetRow& target, const Record& record) {
  const MeasureResult& result = record.result;
  const bool ok = result.verdict == Verdict::Ok;
  std::vector<std::string> fields{fmt::format("{}", record.id),
                                  fmt::format("{}", record.session),
                                  fmt::format("{}", record.trial),
                                  task.name,
                                  task.key,
                                  target.text,
                                  name(result.verdict),
                                  ok ? fmt::format("{}", result.latency()) : "",
                                  fmt::format("{}", fmt::join(result.seconds, " ")),
                                  fmt::format("{}", result.buildSeconds + result.runSeconds),
                                  fmt::format("{}", double(result.startedAt) / 1e6),
                                  task.flops > 0 ? fmt::format("{}", task.flops) : "",
                                  record.verified ? "1" : "0",
                                  record.best ? "1" : "0",
                                  record.program,
                                  spacedText(compactText(record.steps))};
  for (std::string& field : fields)
    field = csvField(field);
  return fmt::format("{}", fmt::join(fields, ","));
}

/// Whether TVM can replay it: it knows all pragmas.
bool isKnownToTvm(const Record& record) {
  return std::ranges::all_of(record.steps, [](const Step& step) {
    const auto* pragma = std::get_if<PragmaStep>(&step);
    return pragma == nullptr || isPublicPragma(pragma->pragma);
  });
}

class Export {
 public:
  Export(const RecordStore& store, const ExportOptions& options, const std::atomic<bool>& stop,
         const std::function<void(std::int64_t)>& onProgress)
      : store_(store), options_(options), stop_(stop), onProgress_(onProgress) {
    for (TaskRow& task : store.tasks().all())
      tasks_.emplace(task.id, std::move(task)); // of several places the first
    for (TargetRow& target : store.targets().all())
      targets_[target.id] = std::move(target);
  }

  ExportReport run() {
    try {
      store_.interruptible([this] { return !stop_; }, [this] { write(); });
    } catch (const QueryStopped&) {
      // In the midst of a page.
    }
    report_.cancelled = stop_;
    return report_;
  }

 private:
  void write() {
    if (options_.format == ExportFormat::TenSet)
      writeTree();
    else
      writeFile(options_.output, options_.query);
  }

  /// Throws InputError when the file refers to a row that it has not.
  template <class Row>
  const Row& rowOf(const std::map<RowId, Row>& rows, RowId id, const char* what) const {
    const auto found = rows.find(id);
    if (found != rows.end()) return found->second;
    throw InputError(
        fmt::format("{} has records of a {} {}, which is not there; nestwright db check "
                    "tells what else is wrong with it",
                    store_.path(), what, id));
  }

  /// The lines of a page. One page at a time, on whatever thread.
  std::string textOf(const std::vector<Record>& page) {
    std::string text;
    for (const Record& record : page) {
      const TaskRow& task = rowOf(tasks_, record.task, "task");
      const TargetRow& target = rowOf(targets_, task.target, "target");
      text += options_.format == ExportFormat::Csv
                  ? csvRow(task, target, record)
                  : lines_.try_emplace(record.task, task, target).first->second.line(record);
      text += '\n';
    }
    return text;
  }

  /// The next page of the query, which is set to go on behind it.
  std::vector<Record> nextPage(RecordQuery& query) const {
    if (options_.records.empty()) {
      std::vector<Record> page = store_.records().page(query);
      if (!page.empty()) query.after = page.back().id;
      return page;
    }
    std::vector<Record> page;
    for (auto id = std::upper_bound(options_.records.begin(), options_.records.end(), query.after);
         id != options_.records.end() && int(page.size()) < query.limit; ++id) {
      query.after = *id;
      auto record = store_.records().one(*id);
      if (record && (query.task == 0 || record->task == query.task))
        page.push_back(std::move(*record));
    }
    return page;
  }

  /// Gives the lines of the query's records to `take`, page by page: while one page is written as
  /// text, the next one is read.
  template <class F>
  void forEachText(RecordQuery query, const F& take) {
    constexpr int kPage = 1000;
    query.limit = kPage;
    query.after = 0;
    std::future<std::string> text;
    const auto finish = [&] {
      if (!text.valid()) return;
      // A page of which nothing is wanted is no reason for a file.
      if (const std::string lines = text.get(); !lines.empty()) take(lines);
    };
    while (!stop_) {
      auto page = std::make_shared<std::vector<Record>>(nextPage(query));
      finish();
      if (page->empty()) return;
      const bool isLast = int(page->size()) < kPage && options_.records.empty();
      const auto unknown =
          std::ranges::count_if(*page, [](const Record& record) { return !isKnownToTvm(record); });
      report_.unknownToTvm += unknown;
      if (options_.onlyKnownToTvm && unknown > 0)
        std::erase_if(*page, [](const Record& record) { return !isKnownToTvm(record); });
      report_.records += std::int64_t(page->size());
      text = std::async(std::launch::async, [this, page] { return textOf(*page); });
      if (onProgress_) onProgress_(report_.records);
      if (isLast) break;
    }
    finish();
  }

  void writeFile(const std::string& path, const RecordQuery& query) {
    OutputFile file(path, kDraft);
    if (options_.format == ExportFormat::Csv) {
      for (const std::string& line : options_.head)
        file.write(csvRemark(line) + "\n");
      file.write(std::string(kCsvHeader) + "\n");
    }
    forEachText(query, [&](const std::string& text) { file.write(text); });
    if (stop_) return;
    file.finish();
    ++report_.files;
  }

  void writeTree() {
    std::set<std::string> used;
    for (const auto& [id, row] : tasks_) {
      if (options_.query.task != 0 && options_.query.task != id) continue;
      const TaskRow& task = row;
      if (stop_) return;
      RecordQuery query = options_.query;
      query.task = id;
      std::unique_ptr<OutputFile> file;
      forEachText(query, [&](const std::string& text) {
        if (file == nullptr) file = std::make_unique<OutputFile>(treePath(task, used), kDraft);
        file->write(text);
      });
      lines_.clear();
      if (file == nullptr || stop_) continue;
      file->finish();
      ++report_.files;
    }
  }

  /// measure_records/PLATFORM/(KEY,KIND).json, as TenSet prints the pair without blanks and quotes.
  std::string treePath(const TaskRow& task, std::set<std::string>& used) const {
    constexpr std::size_t kLongestName = 200;
    const TargetRow& target = rowOf(targets_, task.target, "target");
    const nlohmann::json facts = nlohmann::json::parse(target.facts, nullptr, false);
    std::string platform = readStored(fmt::format("the facts of target {}", target.id), [&] {
      return facts.is_object() ? facts.value("model", "") : "";
    });
    if (platform.empty()) platform = target.key;
    const std::string kind = target.text.substr(0, target.text.find(' '));
    std::string name = fmt::format("({},{})", task.key, kind);
    std::erase_if(name, [](char c) { return c == ' ' || c == '"' || c == '\''; });
    if (name.size() > kLongestName)
      name = name.substr(0, kLongestName) + "-" + hashHex(task.key).substr(0, 8);
    for (std::string* part : {&name, &platform})
      std::replace(part->begin(), part->end(), '/', '_');
    const fs::path folder = fs::path(options_.output) / "measure_records" / platform;
    std::error_code error;
    fs::create_directories(folder, error);
    if (error)
      throw InputError(fmt::format("{}: cannot be made: {}", folder.string(), error.message()));
    std::string path = (folder / (name + ".json")).string();
    // Two targets may share their platform's name.
    if (!used.insert(path).second)
      path = (folder / fmt::format("{}-{}.json", name, task.id)).string();
    return path;
  }

  const RecordStore& store_;
  const ExportOptions& options_;
  const std::atomic<bool>& stop_;
  const std::function<void(std::int64_t)>& onProgress_;
  std::map<RowId, TaskRow> tasks_;
  std::map<RowId, TargetRow> targets_;
  std::map<RowId, PublicRecords> lines_; // by task
  ExportReport report_;
};

} // namespace

ExportReport exportLog(const RecordStore& store, const ExportOptions& options,
                       const std::atomic<bool>& stop,
                       const std::function<void(std::int64_t)>& onProgress) {
  if (options.format == ExportFormat::TenSet && isStandardOutput(options.output))
    throw UsageError("a tree of files cannot go to standard output; name a folder");
  if (options.format == ExportFormat::Csv && options.onlyKnownToTvm)
    throw UsageError("a table is not for TVM; leave out --only-known-to-tvm, or choose another "
                     "--format");
  return Export(store, options, stop, onProgress).run();
}

} // namespace nestwright
