#include "ui/window/new_session/search_form.h"

#include "core/feature/template_features.h"
#include "core/plugin/target_named.h"
#include "core/session/insight/policy_advice.h"
#include "core/session/run/search_method.h"
#include "core/support/error.h"
#include "ui/document/policy/policy_kind.h"
#include "ui/document/settings.h"
#include "ui/kit/colours.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/shared_threads.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/window/new_session/choice_list.h"
#include "ui/window/new_session/search_fields.h"
#include "ui/window/new_session/sentences.h"

#include <fmt/ranges.h>

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>
#include <QVBoxLayout>

namespace nestwright::ui {
namespace {

constexpr int kPauseMilliseconds = 300; // who types on is not yet asked for

/// The template features that go with the cost model.
std::string featuresFor(const SessionConfig& config) {
  try {
    return usualTemplateFeatures(config);
  } catch (const Error&) { // checkSpace() says it
    return config.templateFeatures;
  }
}

} // namespace

SearchForm::SearchForm(QWidget* parent)
    : QGroupBox(tr("Search"), parent), more_(new QToolButton(this)),
      asking_(nullptr, sharedThreads()) {
  purpose_ = sentenceLabel(this);
  buildMethod();
  auto* row = new QHBoxLayout;
  auto* label = new QLabel(tr("&Method"), this);
  label->setBuddy(method_);
  row->addWidget(label);
  row->addWidget(method_);
  row->addWidget(purpose_, 1);
  row->addWidget(more_);
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(row);
  searchProblem_ = sentenceLabel(this);
  note_ = sentenceLabel(this);
  fields_ = new SearchFields(this);
  layout->addWidget(fields_);
  layout->addWidget(searchProblem_);
  layout->addWidget(note_);
  fields_->hide();
  more_->setText(tr("More"));
  more_->setToolTip(tr("Shows what the method sets: space, policy, cost model, how programs are "
                       "timed and by whom, and the sizes of a plan."));
  more_->setAccessibleDescription(more_->toolTip());
  more_->setCheckable(true);
  more_->setAutoRaise(true);
  more_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  more_->setArrowType(Qt::RightArrow);
  connect(more_, &QToolButton::toggled, this, [this](bool on) {
    more_->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
    fields_->setVisible(on);
  });
  pause_.setSingleShot(true);
  connect(&pause_, &QTimer::timeout, this, &SearchForm::beginSurvey);
  connect(&Theme::instance(), &Theme::changed, this, &SearchForm::restyle);
  restyle();
  connect(fields_, &SearchFields::edited, this, &SearchForm::edited);
  show(config_);
}

void SearchForm::buildMethod() {
  method_ = narrowChoiceBox(this, tr("Method"),
                            tr("Sets what a paper fixes: space, policy, cost model, rules, "
                               "sizes and the evaluator. Nestwright sets our defaults. What is "
                               "changed afterwards makes it settings of your own."));
  const QString words[] = {tr("Nestwright"), tr("Ansor"), tr("AutoTVM"), tr("AdaTune")};
  for (const SearchMethod& method : searchMethods()) {
    const auto at = static_cast<std::size_t>(method_->count());
    addEntry(method_, at < std::size(words) ? words[at] : qs(method.name), method.name,
             qs(method.purpose));
  }
  addEntry(method_, {}, {});
  setByEffort(false);
  connect(method_, &QComboBox::activated, this, &SearchForm::chooseMethod);
}

void SearchForm::setConfig(const SessionConfig& config) {
  show(config);
  Q_EMIT changed();
}

void SearchForm::show(const SessionConfig& config) {
  config_ = config;
  fields_->show(config);
  choose(method_, methodOf(config_));
  refresh();
}

void SearchForm::settle(SessionConfig& config, const SessionConfig& before) {
  const bool templates = config.space == SearchSpace::Templates;
  const SessionConfig defaults;
  // A session on a recorded machine confirms nothing: that would say the same again.
  if (config.machine.empty() && !before.machine.empty()) config.confirmBest = defaults.confirmBest;
  if (config.space != before.space) {
    config.trialsPerRound = templates ? config.plan : defaults.trialsPerRound;
    config.warmup = templates ? 0 : defaults.warmup; // its first round, a plan, is random
  } else if (templates && config.plan != before.plan) {
    config.trialsPerRound = config.plan;
  }
  if (templates) config.alternatives = defaults.alternatives; // a template knows of none
  const bool another = config.space != before.space || config.policy != before.policy;
  if (another && policyKind(config) && config.model == before.model &&
      (!policyKind(before) || before.model == usualModel(before)))
    config.model = usualModel(config);
  if (config.model != before.model) config.templateFeatures = featuresFor(config);
}

void SearchForm::edited() {
  SessionConfig config = fields_->read(config_);
  settle(config, config_);
  config_ = std::move(config);
  fields_->showSettled(config_);
  choose(method_, methodOf(config_));
  refresh();
  Q_EMIT changed();
}

void SearchForm::chooseMethod() {
  const std::string method = chosen(method_);
  if (method.empty()) { // a method stays until a field is changed
    more_->setChecked(true);
    choose(method_, methodOf(config_));
    return refresh();
  }
  Q_EMIT methodChosen();
  setConfig(withMethod(config_, method));
}

void SearchForm::setByEffort(bool isByEffort) {
  const int own = method_->findData(QString());
  method_->setItemText(own, isByEffort ? tr("of the effort") : tr("own settings"));
  method_->setItemData(own,
                       isByEffort
                           ? tr("Sketches, bred under a cost model that learns on the way, as all "
                                "efforts search. The fields under More say what.")
                           : tr("The fields under More say what; no method has just these."),
                       Qt::ToolTipRole);
  if (method_->currentIndex() == own) tell();
}

PretrainedForm* SearchForm::pretrained() const {
  return fields_->pretrained();
}

// --- what is known of it

void SearchForm::setSubjects(const std::vector<std::string>& subjects, const std::string& target,
                             int threads) {
  config_.subjects = subjects;
  config_.target = target;
  if (namesGpu(target)) config_.alternatives = SessionConfig().alternatives; // for processors
  fields_->showSettled(config_);
  config_.measure.threads = threads;
  refresh();
}

void SearchForm::setGpu(bool isGpu) {
  fields_->setGpu(isGpu);
  refresh();
}

/// Asks what takes longer than a key press, once for each choice that it depends on.
void SearchForm::ask() {
  const bool wanted = config_.space == SearchSpace::Templates || !config_.machine.empty() ||
                      !config_.pretrained.empty() || !config_.seeds.empty();
  const std::string question =
      wanted && !config_.subjects.empty()
          ? fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}\n{}",
                        fmt::join(config_.subjects, "\t"), config_.target, config_.measure.threads,
                        config_.machine, config_.templates, fmt::join(config_.history, "\t"),
                        config_.templateFeatures, config_.pretrained, config_.seeds,
                        name(config_.space), config_.rules)
          : std::string();
  if (question == asked_) return;
  asked_ = question;
  survey_.reset();
  failure_.clear();
  asking_.cancel();
  if (question.empty())
    pause_.stop();
  else
    pause_.start(kPauseMilliseconds);
}

void SearchForm::beginSurvey() {
  asking_.ask<SearchSurvey>(
      [config = config_, command = Settings::workerCommand().toStdString()](const Job&) {
        return surveySearch(config, workerLaunchFromText(command));
      },
      [this](SearchSurvey survey) {
        survey_ = std::move(survey);
        tell();
        Q_EMIT changed();
      },
      [this](const QString& why) {
        failure_ = why;
        tell();
        Q_EMIT changed();
        asked_.clear(); // the next change asks again
      });
}

void SearchForm::refresh() {
  fields_->offerFor(config_);
  ask();
  tell();
}

QString SearchForm::searchProblem() const {
  try {
    checkSpace(config_);
  } catch (const Error& problem) {
    return sentenceOf(problem.what());
  }
  if (config_.space != SearchSpace::Templates) return {};
  if (survey_ && survey_->tasks > 0 && survey_->fitting() == 0)
    return tr("No task has a template, so there is nothing to search: choose sketches.");
  return {};
}

/// What the user has to mend.
QString SearchForm::mistake() const {
  const QString problem = searchProblem();
  return problem.isEmpty() ? fields_->mistake(config_, survey_) : problem;
}

QString SearchForm::lookingText() const {
  if (!pause_.isActive() && !asking_.isBusy()) return {};
  return config_.space == SearchSpace::Templates ? tr("Looking which tasks have a template …")
         : !config_.pretrained.empty()           ? tr("Looking what the trained model knows …")
         : !config_.seeds.empty()                ? tr("Looking which seeds can be taken …")
                                                 : tr("Looking into the recorded file …");
}

QString SearchForm::problem() const {
  const QString mistake = this->mistake();
  return mistake.isEmpty() ? lookingText() : mistake;
}

void SearchForm::tell() {
  const QString remark = qs(policyRemark(config_.policy, config_.space, config_.target));
  purpose_->setText(
      (method_->currentData(Qt::ToolTipRole).toString() + QLatin1Char(' ') + remark).trimmed());
  sayOrHide(searchProblem_, searchProblem());
  fields_->tell(config_, survey_);
  tellOfTasks();
  // What is wrong is not to be looked for.
  if (!more_->isChecked() && !mistake().isEmpty()) more_->setChecked(true);
}

void SearchForm::tellOfTasks() {
  note_->setToolTip({});
  if (const QString looking = lookingText(); !looking.isEmpty()) return sayOrHide(note_, looking);
  if (!failure_.isEmpty())
    return sayOrHide(note_, tr("It could not be found out what can be searched: %1").arg(failure_));
  if (config_.space != SearchSpace::Templates || !survey_) return sayOrHide(note_, {});
  const std::vector<TaskWithoutTemplate>& without = survey_->withoutTemplate;
  QStringList lines;
  lines.append(without.empty() ? tr("Each of %1 tasks has a template.").arg(survey_->tasks)
                               : tr("%1 of %2 tasks have a template; the others take no trials:")
                                     .arg(survey_->fitting())
                                     .arg(survey_->tasks));
  const auto line = [](const TaskWithoutTemplate& task) {
    return QStringLiteral("%1: %2").arg(qs(task.name), qs(task.why));
  };
  QStringList all;
  for (const TaskWithoutTemplate& task : without)
    all.append(line(task));
  lines.append(firstOf(all));
  note_->setToolTip(all.join(QLatin1Char('\n')));
  sayOrHide(note_, lines.join(QLatin1Char('\n')));
}

void SearchForm::restyle() {
  setTextColour(searchProblem_, colours().failed);
  fields_->restyle();
  for (QLabel* label : {purpose_, note_})
    setTextColour(label, colours().dim);
}

} // namespace nestwright::ui

#include "moc_search_form.cpp"
