#include "ui/inspector/knob_reader.h"

#include "core/record/store/task_rows.h"
#include "core/session/run/session_template.h"
#include "core/tensor/text.h"
#include "ui/document/shared_selection.h"
#include "ui/inspector/knob_subject.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace nestwright::ui {

KnobReader::KnobReader(Document& document, QObject* parent)
    : QObject(parent), document_(document),
      trail_(document, Reader::Channel::KnobTrials,
             {.read =
                  [](const Record& record) {
                    std::optional<KnobTrial> trial = knobTrialOf(record);
                    return trial ? trial : sketchTrialOf(record);
                  },
              .begin =
                  [this] {
                    trials_.clear();
                    known_ = std::make_shared<KnownDecisions>(); // by records of that file
                    clear();
                  },
              .add =
                  [this](std::vector<KnobTrial> trials) {
                    std::ranges::move(trials, std::back_inserter(trials_));
                  },
              .told = [this] { ask(); }}) {
  connect(&document.selection(), &SharedSelection::changed, this, &KnobReader::followTask);
}

void KnobReader::setWanted(bool wanted) {
  wanted_ = wanted;
  trail_.setWanted(wanted);
  if (!wanted_) return;
  followTask();
  if (stale_) ask();
}

void KnobReader::clear() {
  document_.reader().cancel(Reader::Channel::KnobSpace); // of what was before
  template_.reset();
  lines_ = std::make_shared<KnobLines>();
  decisions_.reset();
  problem_.clear();
  Q_EMIT changed();
}

void KnobReader::followTask() {
  const RowId task = document_.selection().current().task;
  if (!wanted_ || (task == task_ && (template_ || decisions_))) return;
  if (task != task_) clear();
  task_ = task;
  ask();
}

KnobReader::Answer KnobReader::compute(const RecordStore& store, RowId id,
                                       const SessionConfig& config,
                                       std::shared_ptr<const TaskTemplate> of,
                                       const std::vector<KnobTrial>& trials) {
  if (!of) {
    const std::optional<TaskRow> task = store.tasks().one(id);
    if (!task) return {nullptr, nullptr, nullptr, "The file has no such task."};
    ChosenTemplate chosen = chosenTemplate(parseDag(task->dag), templateNames(config.templates),
                                           templateMachine(config.target));
    if (!chosen.of) return {nullptr, nullptr, nullptr, chosen.whyNone};
    of = std::make_shared<const TaskTemplate>(std::move(*chosen.of));
  }
  auto lines = std::make_shared<const KnobLines>(knobLines(*of, trials));
  return {std::move(of), std::move(lines), nullptr, {}};
}

KnobReader::Answer KnobReader::computeDecisions(const RecordStore& store,
                                                const SketchQuestion& question) {
  const std::optional<TaskRow> task = store.tasks().one(question.task);
  if (!task) return {nullptr, nullptr, nullptr, "The file has no such task."};
  if (task->dag.empty())
    return {nullptr, nullptr, nullptr,
            "Nobody told what the task computes, so that its programs' decisions have no names; "
            "import its log again with the task's definition."};
  const bool isPolished = std::ranges::any_of(question.trials, &KnobTrial::polished);
  const std::vector<DecisionImportance> polished =
      isPolished ? decisionImportance(store, question.task) : std::vector<DecisionImportance>();
  auto decisions = std::make_shared<const DecisionLines>(decisionLines(
      parseDag(task->dag), question.trials, polished, question.mostAxes, *question.known));
  return {nullptr, {decisions, &decisions->lines}, decisions, {}};
}

void KnobReader::setAllDecisions(bool all) {
  const std::size_t most = all ? 0 : kMostDecisions;
  if (std::exchange(mostAxes_, most) != most) ask();
}

void KnobReader::take(const Answer& answer) {
  template_ = answer.of;
  decisions_ = answer.decisions;
  lines_ = answer.lines ? answer.lines : std::make_shared<const KnobLines>();
  problem_ = qs(answer.whyNone);
  Q_EMIT changed();
}

void KnobReader::ask() {
  stale_ = !wanted_;
  if (!wanted_ || task_ == 0 || document_.state() != DocumentState::Ready || trail_.isReading())
    return;
  std::vector<KnobTrial> own;
  for (const KnobTrial& trial : trials_)
    if (trial.task == task_ && (trial.config != nullptr) == isOnTemplates(document_))
      own.push_back(trial);
  std::function<Answer(const RecordStore&)> answer;
  if (isOnTemplates(document_))
    answer = [task = task_, config = document_.session().config(), of = template_,
              own = std::move(own)](const RecordStore& store) {
      return compute(store, task, config, of, own);
    };
  else
    answer = [question = SketchQuestion{task_, std::move(own), mostAxes_, known_}](
                 const RecordStore& store) { return computeDecisions(store, question); };
  document_.reader().ask<Answer>(
      this, Reader::Channel::KnobSpace, std::move(answer),
      [this, task = task_](const Answer& answer) {
        if (task == task_) take(answer);
      },
      [this](const QString& why) {
        problem_ = why;
        Q_EMIT changed();
      });
}

QString KnobReader::problem() const {
  if (!lines_->lines.empty()) return {};
  if (document_.state() != DocumentState::Ready || document_.selection().current().task == 0)
    return isOnTemplates(document_) ? tr("Select a task to see the configurations of its template.")
                                    : tr("Select a task to see the decisions of its programs.");
  if (!problem_.isEmpty()) return problem_;
  if (!isOnTemplates(document_))
    return trail_.isReading() || !decisions_
               ? tr("Reading the programs …")
               : tr("No programs of this task that differ have been measured yet.");
  if (trail_.isReading() || !template_) return tr("Reading the configurations …");
  if (lines_->foreign > 0)
    return tr("The configurations that were measured, %1, are of another version of the template.")
        .arg(countText(std::int64_t(lines_->foreign)));
  return tr("No configuration of this task has been measured yet.");
}

} // namespace nestwright::ui

#include "moc_knob_reader.cpp"
