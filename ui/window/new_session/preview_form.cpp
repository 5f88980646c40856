#include "ui/window/new_session/preview_form.h"

#include "ui/kit/colours.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/shared_threads.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/elastic_column.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/kit/theme.h"
#include "ui/window/new_session/preview_task_model.h"
#include "ui/window/new_session/sentences.h"

#include <fmt/ranges.h>

#include <QFileInfo>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include <cmath>
#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kTypingMilliseconds = 300; // who types on is not yet asked for
constexpr int kRowsShown = 6;
constexpr std::size_t kNodesNamed = 3;

/// All that the answer depends on.
std::string questionOf(const PreviewWish& wish) {
  if (wish.subjects.empty()) return {};
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}", fmt::join(wish.subjects, "\t"), wish.target,
                     wish.measure.device, wish.measure.threads, wish.isElsewhere,
                     fmt::join(wish.memory, "\t"));
}

/// "Gelu: 12 nodes (layer.0/gelu, layer.1/gelu, …)".
QString lineOf(const UnsupportedOperator& one) {
  QStringList nodes;
  for (std::size_t i = 0; i < std::min(one.nodes.size(), kNodesNamed); ++i)
    nodes.append(qs(one.nodes[i]));
  if (one.nodes.size() > kNodesNamed) nodes.append(QStringLiteral("…"));
  const QString list = nodes.join(QStringLiteral(", "));
  return one.nodes.size() == 1 ? PreviewForm::tr("%1: 1 node (%2)").arg(qs(one.name), list)
                               : PreviewForm::tr("%1: %2 nodes (%3)")
                                     .arg(qs(one.name))
                                     .arg(one.nodes.size())
                                     .arg(list);
}

} // namespace

PreviewForm::PreviewForm(QWidget* parent, Survey survey)
    // Reading cannot be interrupted everywhere: who goes on does not wait for it.
    : QWidget(parent), survey_(std::move(survey)), reading_(this, sharedThreads()),
      model_(new PreviewTaskModel(this)), summary_(sentenceLabel(this)),
      advice_(sentenceLabel(this)),
      tasks_(flatToggle(this, tr("Tasks"), tr("Shows the tasks, and what is known of each."))),
      take_(textButton(this, tr("Use"), tr("Sets the trials to what is suggested."))),
      table_(new QTableView(this)) {
  pause_.setSingleShot(true);
  tasks_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
  tasks_->setArrowType(Qt::RightArrow);
  table_->setModel(model_);
  table_->setAccessibleName(tr("Tasks of the new session"));
  table_->setItemDelegateForColumn(PreviewTaskModel::Work, new BarDelegate(table_));
  setUpTable(table_);
  new ElasticColumn(table_, PreviewTaskModel::Name, QStringLiteral("Conv 3x3 512→512"));
  table_->setMinimumHeight(table_->verticalHeader()->defaultSectionSize() * (kRowsShown + 1));
  auto* first = new QHBoxLayout;
  first->addWidget(summary_, 1);
  first->addWidget(tasks_, 0, Qt::AlignTop);
  auto* second = new QHBoxLayout;
  second->addWidget(advice_, 1);
  second->addWidget(take_, 0, Qt::AlignTop);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins({});
  layout->setSpacing(4);
  layout->addLayout(first);
  layout->addWidget(table_);
  layout->addLayout(second);
  table_->hide();
  connect(&pause_, &QTimer::timeout, this, &PreviewForm::begin);
  connect(tasks_, &QToolButton::toggled, this, [this](bool on) {
    tasks_->setArrowType(on ? Qt::DownArrow : Qt::RightArrow);
    table_->setVisible(on);
  });
  connect(take_, &QToolButton::clicked, this, [this] {
    if (preview_) Q_EMIT suggestionTaken(preview_->suggestedTrials);
  });
  connect(&Theme::instance(), &Theme::changed, this, &PreviewForm::restyle);
  restyle();
  tell();
}

void PreviewForm::setWish(const PreviewWish& wish) {
  const std::string question = questionOf(wish);
  if (question == asked_) return;
  asked_ = question;
  wish_ = wish;
  preview_.reset();
  reading_.cancel();
  if (question.empty())
    pause_.stop();
  else
    pause_.start(kTypingMilliseconds);
  tell();
  Q_EMIT changed();
}

void PreviewForm::setTrials(std::int64_t trials) {
  trials_ = trials;
  tell();
}

void PreviewForm::begin() {
  reading_.ask<SubjectPreview>(
      [survey = survey_, wish = wish_](const Job& job) {
        return survey(wish, [&job] { job.check(); });
      },
      [this](SubjectPreview preview) { take(std::move(preview)); },
      [this](const QString& why) {
        SubjectPreview failed;
        failed.problem = why.toStdString();
        take(std::move(failed));
      });
  tell();
}

void PreviewForm::take(SubjectPreview preview) {
  preview_ = std::move(preview);
  model_->show(preview_->tasks);
  tell();
  Q_EMIT changed();
}

QString PreviewForm::problem() const {
  if (!preview_ || preview_->problem.empty()) return {};
  if (preview_->unsupported.empty()) return sentenceOf(preview_->problem);
  QStringList lines;
  for (const UnsupportedOperator& one : preview_->unsupported)
    lines.append(lineOf(one));
  const QString which = firstOf(lines).join(QLatin1Char('\n'));
  return lines.size() == 1 ? tr("An operator of this model cannot be imported.\n%1").arg(which)
                           : tr("%1 operators of this model cannot be imported.\n%2")
                                 .arg(lines.size())
                                 .arg(which);
}

QString PreviewForm::summaryText() const {
  if (asked_.empty()) return {};
  if (!preview_) return tr("Reading what there is to tune …");
  if (!preview_->problem.empty()) return {};
  const std::size_t tasks = preview_->tasks.size();
  const QString count = tasks == 1 ? tr("1 task") : tr("%1 tasks").arg(tasks);
  QString text = tr("%1, %2 in one run.").arg(count, flopsText(preview_->flops())) +
                 QLatin1Char(' ') + knownText();
  if (!preview_->missingInstruction.empty())
    text += QLatin1Char('\n') + sentenceOf(preview_->missingInstruction);
  return text;
}

QString PreviewForm::knownText() const {
  if (!preview_->targetProblem.empty() || wish_.memory.empty()) return {};
  QStringList files;
  for (const std::string& file : wish_.memory)
    files.append(QFileInfo(qs(file)).fileName());
  const QString where = files.size() > 2    ? tr("The memory of %1 files knows").arg(files.size())
                        : files.size() == 2 ? tr("%1 and %2 know").arg(files[0], files[1])
                                            : tr("%1 knows").arg(files[0]);
  const std::size_t known = preview_->knownTasks(), all = preview_->tasks.size();
  if (known == 0) return tr("%1 none of them on this target.").arg(where);
  if (known < all) return tr("%1 a best of %2 of them on this target.").arg(where).arg(known);
  return tr("%1 a best of each on this target: %2 in all.")
      .arg(where, timeText(preview_->knownSeconds()));
}

QString PreviewForm::adviceText() const {
  if (!preview_ || preview_->tasks.empty()) return {};
  const auto taking = [this](std::int64_t trials) {
    const double each = preview_->secondsPerTrial;
    return each > 0 ? tr("about %1").arg(durationText(each * double(trials))) : QString();
  };
  const std::int64_t suggested = preview_->suggestedTrials;
  const QString why =
      preview_->knownTasks() > 0 ? tr("1,000 a task, less what it had") : tr("1,000 a task");
  const QString time = taking(suggested), own = taking(trials_);
  QString text =
      time.isEmpty()
          ? tr("To search them well: %1 trials (%2).").arg(countText(suggested), why)
          : tr("To search them well: %1 trials (%2), %3.").arg(countText(suggested), why, time);
  if (trials_ > 0 && trials_ != suggested && !own.isEmpty())
    text += QLatin1Char(' ') + tr("Your %1: %2.").arg(countText(trials_), own);
  return text;
}

void PreviewForm::tell() {
  const bool known = preview_ && !preview_->tasks.empty();
  sayOrHide(summary_, summaryText());
  sayOrHide(advice_, adviceText());
  advice_->setToolTip(tr(
      "Ansor's authors gave the tasks of a network 1,000 trials each, which typically was enough "
      "to converge; after some 64 a task the first gains are there. A time is what sessions on "
      "this target took for a trial so far."));
  tasks_->setVisible(known);
  table_->setVisible(known && tasks_->isChecked());
  take_->setVisible(known && trials_ != preview_->suggestedTrials);
  if (known) take_->setText(tr("Use %1").arg(countText(preview_->suggestedTrials)));
}

void PreviewForm::restyle() {
  for (QLabel* label : {summary_, advice_})
    setTextColour(label, colours().dim);
}

} // namespace nestwright::ui

#include "moc_preview_form.cpp"
