#include "ui/window/deploy/deploy_contents.h"

#include "ui/kit/colours.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/format.h"
#include "ui/kit/look/text_colour.h"
#include "ui/kit/shared_threads.h"
#include "ui/kit/table/cell_delegates.h"
#include "ui/kit/table/elastic_column.h"
#include "ui/kit/table/table_setup.h"
#include "ui/kit/text.h"
#include "ui/window/deploy/deployed_task_model.h"
#include "ui/window/new_session/sentences.h"

#include <fmt/ranges.h>

#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QVBoxLayout>

#include <utility>

namespace nestwright::ui {
namespace {

constexpr int kMomentMilliseconds = 150; // who goes on choosing is not yet asked for

/// All that the answer depends on.
std::string questionOf(const DeployWish& wish) {
  const std::vector<InstructionSet>& processors = wish.options.instructionSets;
  if (wish.database.empty() || wish.subject.empty() || processors.empty()) return {};
  return fmt::format("{}\n{}\n{}\n{}", wish.database, wish.subject, processorsText(processors),
                     wish.cores);
}

} // namespace

QString coverageSentences(const Deployment& deployment) {
  QStringList lines;
  for (const DeployedVariant& variant : deployment.variants) {
    const std::optional<double> time = variant.tunedTime();
    const QString coverage =
        DeployContents::tr("%1: %2 of the operations%3.")
            .arg(qs(coverageText(variant)), percentText(variant.tunedWork()),
                 time ? DeployContents::tr(", %1 of the time").arg(percentText(*time)) : QString());
    lines << (deployment.variants.size() == 1
                  ? coverage
                  : DeployContents::tr("%1: %2").arg(qs(variant.processor()), coverage))
          << DeployContents::tr("For %1").arg(qs(variant.target.text()));
  }
  return lines.join(QLatin1Char('\n'));
}

DeployContents::DeployContents(QWidget* parent)
    // Reading cannot be interrupted everywhere: who goes on does not wait for it.
    : QWidget(parent), reading_(this, sharedThreads()), model_(new DeployedTaskModel(this)),
      summary_(sentenceLabel(this)), problem_(problemLabel(this)), table_(new QTableView(this)) {
  pause_.setSingleShot(true);
  keepTextColour(summary_, &Colours::dim);
  table_->setModel(model_);
  table_->setAccessibleName(tr("What will be inside"));
  table_->setItemDelegateForColumn(DeployedTaskModel::Work, new BarDelegate(table_));
  setUpTable(table_);
  fitColumn(table_, DeployedTaskModel::Processor, QStringLiteral("x86-64-v4"));
  table_->setColumnHidden(DeployedTaskModel::Processor, true);
  fitColumn(table_, DeployedTaskModel::Weight, QStringLiteral("88"));
  fitColumn(table_, DeployedTaskModel::Tuned, tr("for this target"));
  fitColumn(table_, DeployedTaskModel::Record, QStringLiteral("888,888"));
  fitColumn(table_, DeployedTaskModel::Time, QStringLiteral("888.8 µs"));
  fitColumn(table_, DeployedTaskModel::Speed, QStringLiteral("8,888.8"));
  fitColumn(table_, DeployedTaskModel::Work, QStringLiteral("88.8 %"));
  new ElasticColumn(table_, DeployedTaskModel::Name, QStringLiteral("Conv 3x3 512→512"));
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins({});
  layout->setSpacing(6);
  layout->addWidget(summary_);
  layout->addWidget(problem_);
  layout->addWidget(table_, 1);
  connect(&pause_, &QTimer::timeout, this, &DeployContents::begin);
  tell();
}

void DeployContents::setWish(const DeployWish& wish) {
  wish_ = wish;
  if (const std::string question = questionOf(wish); question != asked_) {
    asked_ = question;
    survey_.reset();
    failure_.clear();
    reading_.cancel();
    if (question.empty())
      pause_.stop();
    else
      pause_.start(kMomentMilliseconds);
  }
  tell(); // how much is to be tuned may be another
}

void DeployContents::begin() {
  reading_.ask<DeploySurvey>(
      [wish = wish_](const Job&) { return surveyDeploy(wish); },
      [this](DeploySurvey survey) { know(std::move(survey), {}); },
      [this](const QString& why) { know(std::nullopt, sentenceOf(why.toStdString())); });
}

void DeployContents::know(std::optional<DeploySurvey> survey, const QString& failure) {
  survey_ = std::move(survey);
  failure_ = failure;
  model_->show(survey_ ? survey_->deployment.variants : std::vector<DeployedVariant>());
  table_->setColumnHidden(DeployedTaskModel::Processor,
                          !survey_ || survey_->deployment.variants.size() == 1);
  tell();
  Q_EMIT changed();
}

/// What of a variant is not tuned and would have to be.
QString DeployContents::shortfallOf(const DeployedVariant& variant) const {
  if (variant.coverage() >= wish_.options.leastTuned()) return {};
  const auto missing = qint64(variant.searchedCount() - variant.tunedCount());
  const bool alone = survey_->deployment.variants.size() == 1;
  QString sentence =
      alone ? countedText(missing, tr("One task has no verified record for this target."),
                          tr("%1 tasks have no verified record for this target."))
            : countedText(missing, tr("One task has no verified record for %2."),
                          tr("%1 tasks have no verified record for %2."))
                  .replace(QStringLiteral("%2"), qs(variant.processor()));
  if (wish_.options.requireTuned)
    sentence += tr(" %1 of the tasks are tuned, and %2 are asked for.")
                    .arg(percentText(variant.coverage()), percentText(*wish_.options.requireTuned));
  return sentence;
}

/// The same of all.
QString DeployContents::shortfall() const {
  QStringList sentences;
  for (const DeployedVariant& variant : survey_->deployment.variants)
    if (const QString one = shortfallOf(variant); !one.isEmpty()) sentences << one;
  if (sentences.isEmpty()) return {};
  if (!survey_->otherTargets.empty())
    sentences << tr("The document has records of %1.")
                     .arg(qs(fmt::format("{}", fmt::join(survey_->otherTargets, ", "))));
  if (!wish_.options.requireTuned) sentences << tr("Tune them first, or allow untuned programs.");
  return sentences.join(QLatin1Char(' '));
}

QString DeployContents::problem() const {
  if (asked_.empty()) return {};
  if (!failure_.isEmpty()) return failure_;
  if (!survey_) return tr("What will be inside is being looked up.");
  if (!survey_->missingTools.empty()) return sentenceOf(survey_->missingTools);
  return shortfall();
}

QString DeployContents::summaryText() const {
  if (asked_.empty() || !failure_.isEmpty()) return {};
  if (!survey_) return tr("Looking up what will be inside …");
  return coverageSentences(survey_->deployment);
}

void DeployContents::tell() {
  sayOrHide(summary_, summaryText());
  const bool isKnown = survey_ || !failure_.isEmpty();
  sayOrHide(problem_, isKnown ? problem() : QString());
}

} // namespace nestwright::ui

#include "moc_deploy_contents.cpp"
