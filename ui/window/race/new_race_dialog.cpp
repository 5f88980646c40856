#include "ui/window/race/new_race_dialog.h"

#include "core/plugin/plugin.h"
#include "core/session/run/finish/effort_choice.h"
#include "core/session/run/search_method.h"
#include "core/support/error.h"
#include "core/support/run_command.h"
#include "ui/document/document.h"
#include "ui/document/shared_selection.h"
#include "ui/kit/colours.h"
#include "ui/kit/fonts.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/enable_unless.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"

#include <QComboBox>
#include <QDialogButtonBox>
#include <QFormLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kLines = 4; // that a field shows

std::vector<std::string> linesOf(const QPlainTextEdit* field) {
  std::vector<std::string> lines;
  for (const QString& line : field->toPlainText().split(QLatin1Char('\n')))
    if (!line.trimmed().isEmpty()) lines.push_back(line.trimmed().toStdString());
  return lines;
}

/// Seconds of a trial of the session that is shown, 0 where none of its trials tells.
double secondsPerTrialOf(const LiveSession& session) {
  if (!session.isLoaded() || isImport(session.row())) return 0;
  const Progress& progress = session.progress();
  return progress.trials > 0 ? progress.wallSeconds / double(progress.trials) : 0;
}

QString racerTip() {
  QStringList names, settings;
  for (const SearchMethod& method : searchMethods())
    names << qs(method.name);
  for (const SearchPolicyKind& policy : searchPolicies())
    names << qs(policy.name);
  for (const std::string& setting : racerSettings())
    settings << qs(setting);
  names.removeDuplicates();
  return NewRaceDialog::tr("What races, one a line, at least two. There are %1, and a program of "
                           "yours as exec:python3 my_policy.py. Behind a comma come settings of "
                           "its own, as in evolutionary,draft=first,polish=20: %2.")
      .arg(names.join(QStringLiteral(", ")), settings.join(QStringLiteral(", ")));
}

/// A program that is not there would only be missed by its first round.
void requirePrograms(const RaceWish& wish) {
  for (const Racer& racer : wish.racers)
    if (!racer.launch.command.empty() && findProgram(racer.launch.command.front()).empty())
      throw UsageError("there is no program " + racer.launch.command.front());
}

} // namespace

NewRaceDialog::NewRaceDialog(const Document& document, QWidget* parent, TargetForm::Survey survey)
    : QDialog(parent), document_(document), secondsPerTrial_(secondsPerTrialOf(document.session())),
      target_(new TargetForm(std::move(survey), this)) {
  setWindowTitle(tr("New Race"));
  auto* layout = new QVBoxLayout(this);
  layout->setSpacing(10);
  QLabel* purpose = sentenceLabel(this);
  purpose->setText(tr("Each policy searches each task once with each seed, in a session of its own "
                      "that knows nothing of the others, with the same budget. Their rounds take "
                      "turns, so that a drift of the machine hits all alike."));
  layout->addWidget(purpose);
  buildTexts(layout);
  buildNumbers(layout);
  layout->addWidget(target_);
  note_ = sentenceLabel(this);
  problem_ = sentenceLabel(this);
  note_->setAccessibleName(tr("What the race will be"));
  problem_->setAccessibleName(tr("What keeps it from beginning"));
  layout->addWidget(note_);
  layout->addWidget(problem_);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  accept_ = buttons->addButton(tr("Race"), QDialogButtonBox::AcceptRole);
  accept_->setToolTip(tr("Makes the sessions in this document, and begins."));
  accept_->setDefault(true);
  layout->addWidget(buttons);
  connect(buttons, &QDialogButtonBox::accepted, this, &QDialog::accept);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  for (QPlainTextEdit* field : {tasks_, racers_})
    connect(field, &QPlainTextEdit::textChanged, this, &NewRaceDialog::look);
  for (QSpinBox* box : {seeds_, amount_, round_, threads_})
    connect(box, &QSpinBox::valueChanged, this, &NewRaceDialog::look);
  connect(budget_, &QComboBox::currentIndexChanged, this, [this] {
    amount_->setValue(isByTime() ? 60 : 200);
    look();
  });
  connect(target_, &TargetForm::changed, this, &NewRaceDialog::look);
  connect(&Theme::instance(), &Theme::changed, this, &NewRaceDialog::restyle);
  if (document.session().isLoaded()) target_->setTarget(document.session().config().target);
  resize(640, 480);
  restyle();
  fillTasks();
  look();
}

void NewRaceDialog::buildTexts(QVBoxLayout* layout) {
  tasks_ = new QPlainTextEdit(this);
  tasks_->setAccessibleName(tr("Tasks"));
  tasks_->setToolTip(
      tr("On what, one a line: an operator as matmul:m=512,n=512,k=512, a network or "
         "its file, which stands for all of its tasks, or one of them, as "
         "resnet18#3."));
  racers_ = new QPlainTextEdit(QStringLiteral("random\nevolutionary"), this);
  racers_->setAccessibleName(tr("Policies"));
  racers_->setToolTip(racerTip());
  auto* form = new QFormLayout;
  for (QPlainTextEdit* field : {tasks_, racers_}) {
    field->setFont(codeFont());
    field->setPlaceholderText(tr("one a line"));
    field->setTabChangesFocus(true);
    field->setLineWrapMode(QPlainTextEdit::NoWrap);
    field->setMinimumHeight(kLines * field->fontMetrics().lineSpacing() + 12);
  }
  form->addRow(tr("&Tasks"), tasks_);
  form->addRow(tr("&Policies"), racers_);
  layout->addLayout(form, 1);
}

void NewRaceDialog::buildNumbers(QVBoxLayout* layout) {
  seeds_ = numberBox(this, 1, 1000, 5, tr("Seeds"),
                     tr("How often each policy searches each task. Intervals and wins need "
                        "several."));
  budget_ = choiceBox(this, {tr("trials"), tr("seconds")}, tr("Budget"),
                      tr("By what all have the same budget: programs measured, or time, in which a "
                         "policy that thinks longer measures less."));
  amount_ = numberBox(this, 1, 1'000'000, 200, tr("Size of the budget"), tr("Of each session."));
  round_ = numberBox(this, 1, 1024, SessionConfig().trialsPerRound, tr("Programs of a round"),
                     tr("A round is a turn; then the next policy has its turn."));
  threads_ = numberBox(this, 0, 4096, 0, tr("Threads"),
                       tr("Threads of the kernels. Times with other numbers of threads are not the "
                          "same target's."));
  threads_->setSpecialValueText(tr("all cores"));
  if (document_.session().isLoaded())
    threads_->setValue(document_.session().config().measure.threads);
  auto* budget = new QHBoxLayout;
  budget->addWidget(amount_, 1);
  budget->addWidget(budget_);
  auto* form = new QFormLayout;
  auto* name = new QLabel(tr("&Budget of a session"), this);
  name->setBuddy(amount_);
  form->addRow(name, budget);
  form->addRow(tr("&Seeds"), seeds_);
  form->addRow(tr("Pr&ograms of a round"), round_);
  form->addRow(tr("T&hreads"), threads_);
  layout->addLayout(form);
}

/// With the selected task, or with what the session tunes where no text names that one alone.
void NewRaceDialog::fillTasks() {
  const LiveSession& session = document_.session();
  const TaskEntry* task =
      session.isLoaded() ? session.task(document_.selection().current().task) : nullptr;
  if (!task && session.isLoaded() && !session.tasks().empty()) task = &session.tasks().front();
  if (!task || session.config().subjects.empty()) {
    tasks_->setPlainText(QStringLiteral("matmul:m=512,n=512,k=512"));
    return;
  }
  filling_.ask<std::string>(
      [subjects = session.config().subjects, key = task->row.key](const Job&) {
        return raceTaskOf(subjects, key);
      },
      [this](const std::string& text) {
        if (!tasks_->toPlainText().isEmpty()) return; // somebody was faster
        tasks_->setPlainText(text.empty() ? QStringLiteral("matmul:m=512,n=512,k=512") : qs(text));
      },
      [this](const QString&) { tell(); });
}

bool NewRaceDialog::isByTime() const {
  return budget_->currentIndex() == 1;
}

RaceWish NewRaceDialog::wish() const {
  RaceWish wish;
  wish.tasks = linesOf(tasks_);
  for (const std::string& line : linesOf(racers_))
    wish.racers.push_back(racerFromText(line));
  wish.seeds = seeds_->value();
  wish.config.trials = isByTime() ? kNoTrialLimit : amount_->value();
  wish.config.maxSeconds = isByTime() ? amount_->value() : 0;
  wish.config.trialsPerRound = round_->value();
  wish.config.measure.threads = threads_->value();
  wish.config.target = target_->target();
  wish.config.measure.device = target_->device();
  return wish;
}

void NewRaceDialog::look() {
  outlook_.reset();
  failure_.clear();
  try {
    looking_.ask<RaceOutlook>(
        [wish = wish(),
         perTrial = secondsPerTrial_ > 0 ? secondsPerTrial_ : kAssumedSecondsPerTrial](const Job&) {
          requirePrograms(wish);
          return raceOutlook(wish, perTrial);
        },
        [this](RaceOutlook outlook) {
          outlook_ = std::move(outlook);
          tell();
        },
        [this](const QString& why) {
          failure_ = why;
          tell();
        });
  } catch (const Error& error) { // a line that is no racer
    looking_.cancel();
    failure_ = qs(error.what());
  }
  tell();
}

QString NewRaceDialog::problem() const {
  if (QString why = document_.whyNotReady(); !why.isEmpty()) return why;
  if (!failure_.isEmpty()) return sentenceOf(failure_.toStdString());
  if (QString why = target_->problem(); !why.isEmpty()) return why;
  if (!target_->canMeasure())
    return tr("Nothing is measured here for this target; what is missing is said above.");
  return outlook_ ? QString() : tr("Looking what that is …");
}

QString NewRaceDialog::outlookText() const {
  if (!outlook_) return {};
  const QString what =
      tr("%1, %2, %3: %4")
          .arg(countedText(std::ssize(linesOf(racers_)), tr("1 policy"), tr("%1 policies")),
               countedText(std::ssize(outlook_->tasks), tr("1 task"), tr("%1 tasks")),
               countedText(seeds_->value(), tr("1 seed"), tr("%1 seeds")),
               countedText(std::int64_t(outlook_->sessions), tr("1 session"), tr("%1 sessions")));
  const QString time = budgetTimeText(outlook_->seconds);
  if (isByTime()) return tr("%1, together %2.").arg(what, time);
  return secondsPerTrial_ > 0
             ? tr("%1, together about %2 if a trial takes as long as in this session (%3).")
                   .arg(what, time, timeText(secondsPerTrial_))
             : tr("%1, together about %2 if a trial takes a second.").arg(what, time);
}

void NewRaceDialog::tell() {
  const QString why = problem();
  sayOrHide(note_, outlookText());
  sayOrHide(problem_, why);
  enableUnless(accept_, why);
}

void NewRaceDialog::restyle() {
  setTextColour(note_, colours().dim);
  setTextColour(problem_, colours().failed);
}

} // namespace nestwright::ui

#include "moc_new_race_dialog.cpp"
