#include "ui/window/new_session/effort_form.h"

#include "core/search/draft/draft_use.h"
#include "core/session/run/finish/effort_choice.h"
#include "core/support/error.h"
#include "ui/kit/colours.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/window/new_session/sentences.h"

#include <QComboBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QRadioButton>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <climits>
#include <cmath>
#include <initializer_list>

namespace nestwright::ui {
namespace {

constexpr std::array kEfforts = {Effort::Quick, Effort::Normal, Effort::Thorough};
constexpr std::size_t kOwn = kEfforts.size();
constexpr double kMostStopPercent = 99;

/// Why no session of an effort can be made here, as without its cost model; empty when one can.
QString whyNoEffort() {
  try {
    checkSpace(withEffort(SessionConfig(), Effort::Normal, 1));
  } catch (const Error& problem) {
    return sentenceOf(problem.what());
  }
  return {};
}

QString promiseText(const EffortPromise& promise) {
  const QString time = durationText(promise.seconds);
  return promise.mayEndEarly ? EffortForm::tr("%1 at most").arg(time)
                             : EffortForm::tr("about %1").arg(time);
}

} // namespace

EffortForm::EffortForm(QWidget* parent)
    : QGroupBox(tr("How much"), parent), ownTrials_(config_.trials), purpose_(sentenceLabel(this)),
      problem_(problemLabel(this)) {
  buildChoices();
  fields_ = buildDetails();
  fields_->hide();
  auto* line = new QHBoxLayout;
  line->addWidget(purpose_, 1);
  details_ = flatToggle(this, tr("Details"),
                        tr("Shows what the effort sets: draft, polish, and when the session ends "
                           "early."));
  details_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  details_->setArrowType(Qt::RightArrow);
  line->addWidget(details_, 0, Qt::AlignTop);
  auto* layout = static_cast<QVBoxLayout*>(this->layout());
  layout->addLayout(line);
  layout->addWidget(fields_);
  layout->addWidget(problem_);
  keepTextColour(purpose_, &Colours::dim);
  connect(details_, &QToolButton::toggled, this, [this](bool on) {
    details_->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
    fields_->setVisible(on);
  });
  const QString missing = whyNoEffort();
  for (std::size_t i = 0; i < kOwn; ++i)
    enableUnless(choices_[i], missing);
  if (missing.isEmpty()) effort_ = Effort::Normal;
  settle();
}

void EffortForm::buildChoices() {
  const QString words[] = {tr("&Quick"), tr("Normal"), tr("Thorough"), tr("Own settings")};
  auto* grid = new QGridLayout;
  grid->setHorizontalSpacing(16);
  grid->setVerticalSpacing(2);
  for (std::size_t i = 0; i < choices_.size(); ++i) {
    const int column = static_cast<int>(i);
    choices_[i] = new QRadioButton(words[i], this);
    choices_[i]->setToolTip(i == kOwn ? tr("What the fields below say.")
                                      : sentenceOf(purpose(kEfforts[i])));
    grid->addWidget(choices_[i], 0, column);
    grid->setColumnStretch(column, 1);
    const auto effort = i == kOwn ? std::optional<Effort>() : kEfforts[i];
    connect(choices_[i], &QRadioButton::toggled, this, [this, effort](bool on) {
      if (on && !filling_) choose(effort);
    });
    if (i == kOwn) continue;
    promises_[i] = new QLabel(this);
    promises_[i]->setIndent(22); // below the words
    keepTextColour(promises_[i], &Colours::dim);
    grid->addWidget(promises_[i], 1, column);
  }
  auto* layout = new QVBoxLayout(this);
  layout->addLayout(grid);
}

QWidget* EffortForm::buildDetails() {
  auto* box = new QWidget(this);
  draft_ = choiceBox(box, {}, tr("Draft"),
                     tr("Where programs are scored in closed form, without a cost model. First: "
                        "while there is none, the best of many draws are measured. All: also "
                        "later, it thins a generation before the model scores it."));
  const QString words[] = {tr("off"), tr("first"), tr("all")};
  for (const std::string& name : draftUseNames()) {
    const auto at = static_cast<std::size_t>(draft_->count());
    draft_->addItem(at < std::size(words) ? words[at] : qs(name), qs(name));
  }
  polish_ = numberBox(box, 0, INT_MAX, 0, tr("Polish"),
                      tr("Trials of each task, of the budget, that change one decision after "
                         "another of its best at the end."));
  polish_->setGroupSeparatorShown(true);
  polish_->setSpecialValueText(tr("none"));
  stop_ = numberBox<QDoubleSpinBox>(
      box, 0, kMostStopPercent, 0, tr("Stop below"),
      tr("The session ends when less than this share of the total is expected to be left to gain; "
         "what was to be polished is."));
  stop_->setSuffix(tr(" %"));
  stop_->setSingleStep(0.1);
  stop_->setSpecialValueText(tr("never"));
  auto* row = new QHBoxLayout(box);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(8);
  for (const auto& [text, field] : {std::pair<QString, QWidget*>{tr("Draft"), draft_},
                                    {tr("Polish, trials a task"), polish_},
                                    {tr("Stop below"), stop_}}) {
    auto* label = new QLabel(text, box);
    label->setBuddy(field);
    label->setToolTip(field->toolTip());
    row->addWidget(label);
    row->addWidget(field, 1);
  }
  connect(draft_, &QComboBox::currentIndexChanged, this, &EffortForm::edited);
  connect(polish_, &QSpinBox::valueChanged, this, &EffortForm::edited);
  connect(stop_, &QDoubleSpinBox::valueChanged, this, &EffortForm::edited);
  return box;
}

void EffortForm::choose(std::optional<Effort> effort) {
  effort_ = effort;
  ownChosen_ = !effort;
  if (!effort) details_->setChecked(true);
  settle();
  Q_EMIT settled();
}

void EffortForm::settle() {
  if (effort_) {
    config_.trials = ownTrials_;
    config_ = withChosenEffort(config_, *effort_, tasks_);
  }
  tell();
}

void EffortForm::setConfig(const SessionConfig& config) {
  ownTrials_ = config.trials;
  // It is known again when the tasks are counted.
  effort_.reset();
  ownChosen_ = false;
  count_ = {};
  config_ = config;
  tell();
}

void EffortForm::follow(const SessionConfig& config) {
  config_ = config;
  effort_ = recognized();
  tell();
}

void EffortForm::setTrials(std::int64_t trials) {
  ownTrials_ = config_.trials = trials;
  if (effort_) {
    SessionConfig followed = withEffort(config_, *effort_, tasks_);
    if (followed.trials == trials)
      config_ = std::move(followed);
    else
      effort_.reset();
  } else if (count_.tasks) {
    effort_ = recognized();
  }
  tell();
  Q_EMIT settled();
}

void EffortForm::setCount(const TaskCount& count) {
  if (count == count_) return;
  count_ = count;
  if (count_.tasks) {
    tasks_ = *count_.tasks;
    if (!effort_) effort_ = recognized();
  }
  settle();
  if (effort_) Q_EMIT settled();
}

void EffortForm::edited() {
  if (filling_) return;
  config_.draft = draft_->currentData().toString().toStdString();
  config_.polish = polish_->value();
  // A finer number than the field shows stays while nobody touches it.
  if (std::abs(stop_->value() - 100 * config_.stopGain) > 0.005)
    config_.stopGain = stop_->value() / 100;
  effort_ = recognized();
  tell();
  Q_EMIT settled();
}

std::optional<Effort> EffortForm::recognized() const {
  return ownChosen_ ? std::nullopt : effortOf(config_, tasks_);
}

QString EffortForm::mistake() const {
  try {
    checkPolish(config_, count_.tasks.value_or(0));
  } catch (const Error& problem) {
    return sentenceOf(problem.what());
  }
  return {};
}

QString EffortForm::problem() const {
  QString mistake = this->mistake();
  if (!mistake.isEmpty() || !effort_ || count_.tasks) return mistake;
  return tr("Counting the tasks, by which the effort goes …");
}

void EffortForm::tell() {
  filling_ = true;
  choices_[effort_ ? std::size_t(*effort_) : kOwn]->setChecked(true);
  draft_->setCurrentIndex(std::max(0, draft_->findData(qs(config_.draft))));
  polish_->setValue(config_.polish);
  stop_->setValue(100 * config_.stopGain);
  filling_ = false;
  const QString ofSketches = config_.space == SearchSpace::Templates
                                 ? tr("Templates have neither a draft nor a polish: they belong to "
                                      "programs of sketches.")
                                 : QString();
  for (QWidget* field : std::initializer_list<QWidget*>{draft_, polish_})
    enableUnless(field, ofSketches);
  tellPromises();
  const QString mistake = this->mistake();
  sayOrHide(problem_, mistake);
  if (!mistake.isEmpty()) details_->setChecked(true); // what is wrong is not to be looked for
}

void EffortForm::tellPromises() {
  SessionConfig own = config_;
  own.trials = ownTrials_;
  bool assumed = false;
  for (std::size_t i = 0; i < kOwn; ++i) {
    if (!count_.tasks) {
      promises_[i]->setText(noValue());
      promises_[i]->setToolTip({});
      continue;
    }
    const EffortPromise promise = promiseOf(own, kEfforts[i], tasks_, count_.secondsPerTrial);
    assumed = promise.isAssumed;
    promises_[i]->setText(promiseText(promise));
    promises_[i]->setToolTip(
        countedText(promise.trials, tr("One trial."), tr("%1 trials, so many seconds each: %2."))
            .arg(figureText(promise.seconds / double(promise.trials))));
  }
  QString text =
      effort_ ? sentenceOf(purpose(*effort_)) : tr("What the fields here and below say.");
  if (assumed)
    text += QLatin1Char(' ') + tr("No session was on this target yet: %1 s a trial is assumed.")
                                   .arg(kAssumedSecondsPerTrial);
  purpose_->setText(text);
}

} // namespace nestwright::ui

#include "moc_effort_form.cpp"
