#include "core/record/care/program_check.h"

#include "core/record/format/record_program.h"
#include "core/record/sql/query_stopped.h"
#include "core/record/store/record_rows.h"
#include "core/record/store/store.h"
#include "core/record/store/task_rows.h"
#include "core/schedule/state.h"
#include "core/schedule/step_text.h"
#include "core/support/error.h"
#include "core/support/hash.h"
#include "core/tensor/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace nestwright {

namespace {

constexpr int kPage = 1000;
constexpr const char* kAltered =
    "the file was altered or is damaged: restore a backup, or forget the record";

/// The hash of the definition that a workload key ends with; empty for keys of public logs.
std::string_view hashIn(std::string_view key) {
  constexpr std::size_t kDigits = 32;
  const std::size_t mark = key.rfind('#');
  return mark != std::string_view::npos && key.size() - mark - 1 == kDigits ? key.substr(mark + 1)
                                                                            : std::string_view();
}

class Check {
 public:
  Check(const RecordStore& store, const std::function<bool(double)>& goOn)
      : store_(store), goOn_(goOn), all_(std::max<std::int64_t>(1, store.records().total())) {}

  ProgramCheck run() {
    std::vector<RowId> seen; // a task has a row for each of its networks
    for (const TaskRow& task : store_.tasks().all()) {
      if (std::find(seen.begin(), seen.end(), task.id) != seen.end() || isFull()) continue;
      seen.push_back(task.id);
      if (!task.dag.empty()) checkTask(task);
    }
    return std::move(result_);
  }

 private:
  bool isFull() const { return result_.problems.size() >= kMostProblems; }

  void tell(const std::string& what) {
    if (!isFull()) result_.problems.push_back(fmt::format("{}; {}", what, kAltered));
  }

  void checkTask(const TaskRow& task) {
    std::optional<ComputeDag> dag;
    try {
      dag = parseDag(task.dag);
      const std::string_view hash = hashIn(task.key);
      if (!hash.empty() && hash != hashHex(task.dag) && hash != hashIn(workloadKey(*dag)))
        tell(fmt::format("task {}: its definition is not the one in its key", task.id));
    } catch (const Error& error) {
      return tell(fmt::format("task {}: its definition cannot be read: {}", task.id, error.what()));
    }
    try {
      checkRecords(task, *dag);
    } catch (const QueryStopped&) {
      throw;
    } catch (const Error& error) {
      tell(fmt::format("task {}: its records cannot be read: {}", task.id, error.what()));
    }
  }

  void checkRecords(const TaskRow& task, const ComputeDag& dag) {
    const std::string text = print(dag) + '\n';
    RecordPrograms programs(dag);
    RecordQuery query;
    query.task = task.id;
    query.forgotten = RecordQuery::Forgotten::With;
    query.order = RecordQuery::Order::Oldest;
    query.limit = kPage;
    while (!isFull()) {
      const std::vector<Record> page = store_.records().page(query);
      for (const Record& record : page)
        checkRecord(record, dag, text, programs);
      if (int(page.size()) < kPage) return;
      query.after = page.back().id;
    }
  }

  void checkRecord(const Record& record, const ComputeDag& dag, const std::string& text,
                   RecordPrograms& programs) {
    if (goOn_ && !goOn_(std::min(1.0, double(done_++) / double(all_))))
      throw QueryStopped(fmt::format("{}: checking was stopped", store_.path()));
    if (record.imported) {
      ++result_.imported;
      return;
    }
    ++result_.replayed;
    try {
      if (isOfTemplate(record)) {
        const RecordProgram program = programs.program(record); // checks which one it is
        if (record.result.verdict == Verdict::Ok) State::replay(program.dag, program.steps);
        return;
      }
    } catch (const Error& error) {
      return tell(fmt::format("record {}: {}", record.id, error.what()));
    }
    const std::string program = hashHex(text + compactText(record.steps));
    if (program != record.program)
      return tell(fmt::format("record {}: its steps make program {}, and program {} was measured",
                              record.id, program, record.program));
    if (record.result.verdict != Verdict::Ok) return;
    try {
      State::replay(dag, record.steps);
    } catch (const Error& error) {
      tell(fmt::format("record {}: it ran, and its steps cannot be replayed: {}", record.id,
                       error.what()));
    }
  }

  const RecordStore& store_;
  const std::function<bool(double)>& goOn_;
  std::int64_t all_ = 1, done_ = 0;
  ProgramCheck result_;
};

} // namespace

ProgramCheck checkPrograms(const RecordStore& store, const std::function<bool(double)>& goOn) {
  return Check(store, goOn).run();
}

} // namespace nestwright
