#include "core/session/run/tuning/answer_checks.h"

#include "core/record/store/record_pages.h"
#include "core/session/run/tuning/session_records.h"
#include "core/space/sketch_of.h"

#include <algorithm>
#include <utility>

namespace nestwright {

std::set<int> AnswerChecks::newlyWrong(TunedTask& task) {
  std::set<int> wrong;
  RecordQuery query;
  query.session = log_.session();
  query.task = task.row.id;
  query.verdict = Verdict::WrongAnswer;
  if (settings_.config.checkShare <= 0 || log_.store().records().count(query) == 0) return wrong;
  const SketchAnswers& known = tasks_.memoryOf(task).answers;
  forEachPage(log_.store(), query, [&](const std::vector<Record>& page) {
    for (const Record& record : page)
      if (const int sketch = sketchOf(tasks_.sketchesOf(task), record.steps);
          sketch >= 0 && !known.wrong.contains(sketch))
        wrong.insert(sketch);
  });
  return wrong;
}

bool AnswerChecks::compareBack(TunedTask& task, const std::atomic<bool>& interrupt,
                               RoundWork& work) {
  const std::set<int> wrong = newlyWrong(task);
  if (wrong.empty()) return true;
  std::vector<Record> doubtful;
  RecordQuery query;
  query.session = log_.session();
  query.task = task.row.id;
  query.verdict = Verdict::Ok;
  forEachPage(log_.store(), query, [&](const std::vector<Record>& page) {
    for (const Record& record : page)
      if (!record.verified && wrong.contains(sketchOf(tasks_.sketchesOf(task), record.steps)))
        doubtful.push_back(record);
  });
  std::vector<MeasureRequest> requests;
  for (const Record& record : doubtful) {
    const ProgramText program = programText(task.row, task.dag, record);
    requests.push_back(answerRequest(program));
  }
  const std::vector<MeasureResult> results = measurer_.measureAll(std::move(requests), interrupt);
  work.compile += measurer_.buildPhaseSeconds();
  // Of an interrupted comparison nothing is stored: until the round ends, a proposal that is made
  // again must find the file as it was (C25).
  if (std::ranges::find(results, Verdict::Cancelled, &MeasureResult::verdict) != results.end())
    return false;
  AnswersCompared event{task.row.id, {wrong.begin(), wrong.end()}, 0, {}, {}};
  log_.storeAndTell([&] {
    for (std::size_t i = 0; i < results.size(); ++i) {
      work.add(results[i]);
      log_.count(results[i]);
      const bool isWrong = results[i].verdict == Verdict::WrongAnswer;
      if (!isWrong && !results[i].checked) continue;
      log_.store().records().setAnswer(doubtful[i].id, results[i]);
      ++event.compared;
      if (!isWrong) continue;
      event.wrong.push_back(doubtful[i].id);
      event.trials.push_back(doubtful[i].trial);
    }
    return std::vector<Event>{event};
  });
  const auto wrongAnswers = static_cast<std::int64_t>(event.wrong.size());
  task.errors += wrongAnswers;
  log_.countWrong(wrongAnswers);
  tasks_.readResults(task);
  return true;
}

bool AnswerChecks::note(TunedTask& task, const std::vector<Record>& ofRound) {
  SketchAnswers& answers = tasks_.memoryOf(task).answers;
  for (const Record& record : ofRound)
    if (record.verified) answers.right.insert(sketchOf(tasks_.sketchesOf(task), record.steps));
  const std::set<int> wrong = newlyWrong(task);
  answers.wrong.insert(wrong.begin(), wrong.end());
  return !wrong.empty();
}

} // namespace nestwright
