/// Comparing answers: when one turns out wrong, what its sketch gave before is compared too, and
/// the cost model forgets what nobody compared.

#include "core/plugin/plugin.h"
#include "core/record/store/record_rows.h"
#include "core/session/run/sketch_answers.h"
#include "core/session/run/tuning_run.h"

#include <fmt/format.h>

#include <algorithm>

namespace nestwright {

namespace {

/// All records that the query asks for.
template <class F>
void forEach(const RecordStore& store, RecordQuery query, const F& f) {
  query.order = RecordQuery::Order::Oldest;
  query.limit = 1000;
  for (bool more = true; more;) {
    const std::vector<Record> page = store.records().page(query);
    for (const Record& record : page)
      f(record);
    more = static_cast<int>(page.size()) == query.limit;
    if (more) query.after = page.back();
  }
}

} // namespace

const std::vector<Sketch>& TuningRun::sketchesOf(Task& task) const {
  if (!task.sketches)
    task.sketches = generateSketches(task.dag, space_, sketchRules(config_.rules));
  return *task.sketches;
}

std::set<int> TuningRun::newlyWrong(Task& task) {
  std::set<int> wrong;
  RecordQuery query;
  query.session = row_.id;
  query.task = task.row.id;
  query.verdict = Verdict::WrongAnswer;
  if (config_.checkShare <= 0 || store_.records().count(query) == 0) return wrong;
  const SketchAnswers& known = memoryOf(task).answers;
  forEach(store_, query, [&](const Record& record) {
    if (const int sketch = sketchOf(sketchesOf(task), record.steps); !known.wrong.contains(sketch))
      wrong.insert(sketch);
  });
  return wrong;
}

bool TuningRun::isTrusted(Task& task, const Record& record) {
  const std::set<int>& wrong = memoryOf(task).answers.wrong;
  if (wrong.empty() || record.verified || record.result.verdict != Verdict::Ok) return true;
  return !wrong.contains(sketchOf(sketchesOf(task), record.steps));
}

bool TuningRun::compareBack(Task& task, const std::atomic<bool>& interrupt, RoundWork& work) {
  const std::set<int> wrong = newlyWrong(task);
  if (wrong.empty()) return true;
  std::vector<Record> doubtful;
  RecordQuery query;
  query.session = row_.id;
  query.task = task.row.id;
  query.verdict = Verdict::Ok;
  forEach(store_, query, [&](const Record& record) {
    if (!record.verified && wrong.contains(sketchOf(sketchesOf(task), record.steps)))
      doubtful.push_back(record);
  });
  std::vector<MeasureRequest> requests;
  for (std::size_t i = 0; i < doubtful.size(); ++i) {
    MeasureRequest request;
    request.id = i;
    request.dag = task.row.dag;
    request.steps = doubtful[i].steps;
    request.check = true;
    request.onlyCheck = true;
    requests.push_back(std::move(request));
  }
  std::vector<MeasureResult> results(requests.size());
  measure(
      requests, [&](const MeasureResult& result) { results[result.id] = result; }, interrupt);
  if (measurer_) work.compile += measurer_->buildPhaseSeconds();
  // Of an interrupted comparison nothing is stored: until the round ends, a proposal that is made
  // again must find the file as it was (C25).
  if (std::ranges::any_of(results, [](const MeasureResult& result) {
        return result.verdict == Verdict::Cancelled;
      }))
    return false;
  AnswersCompared event{task.row.id, {wrong.begin(), wrong.end()}, 0, {}, {}};
  storeAndTell([&] {
    for (std::size_t i = 0; i < results.size(); ++i) {
      work.kernel += results[i].runSeconds;
      work.build += results[i].buildSeconds;
      kernelSeconds_ += results[i].runSeconds;
      const bool isWrong = results[i].verdict == Verdict::WrongAnswer;
      if (!isWrong && !results[i].checked) continue;
      store_.records().setAnswer(doubtful[i].id, results[i]);
      ++event.compared;
      if (!isWrong) continue;
      event.wrong.push_back(doubtful[i].id);
      event.trials.push_back(doubtful[i].trial);
    }
    return std::vector<Event>{event};
  });
  task.errors += static_cast<std::int64_t>(event.wrong.size());
  errors_ += static_cast<std::int64_t>(event.wrong.size());
  loadResults(task);
  return true;
}

bool TuningRun::noteAnswers(Task& task) {
  SketchAnswers& answers = memoryOf(task).answers;
  const std::vector<Record> ofRound = recordsOfRound(*state_.open);
  for (const Record& record : ofRound)
    if (record.verified) answers.right.insert(sketchOf(sketchesOf(task), record.steps));
  const std::set<int> wrong = newlyWrong(task);
  answers.wrong.insert(wrong.begin(), wrong.end());
  if (answers.wrong.empty()) return false;
  roundPrograms_.clear();
  for (const Record& record : ofRound)
    if (isTrusted(task, record)) roundPrograms_.push_back(measuredProgram(record));
  return !wrong.empty();
}

} // namespace nestwright
