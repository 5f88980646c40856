#include "ui/cost_model/score_story.h"

#include "core/record/store/record_rows.h"
#include "core/session/insight/explain_score.h"
#include "core/support/error.h"
#include "ui/document/words/program_words.h"
#include "ui/kit/format.h"
#include "ui/kit/text.h"

#include <QStringList>

#include <algorithm>
#include <cmath>
#include <functional>

namespace nestwright::ui {
namespace {

void addShares(const SavedModel& saved, ModelStory& story) {
  const std::vector<double> importance = saved.model->importance();
  const std::vector<std::string> names = featureNames(saved.features);
  const std::vector<std::string> meanings = featureMeanings(saved.features);
  std::vector<FeatureShare>& shares = story.features;
  for (std::size_t i = 0; i < importance.size() && i < names.size(); ++i)
    if (importance[i] > 0) shares.push_back({qs(names[i]), qs(meanings[i]), importance[i]});
  std::ranges::stable_sort(shares, std::greater(), &FeatureShare::share);
  if (!importance.empty())
    story.splits = saved.model->importanceIsOfAPart() ? ModelStory::Splits::OfAPart
                                                      : ModelStory::Splits::OfTheModel;
}

/// The feature's value and what it added, for each statement.
QString detailsOf(const ExplainedScore& explained, std::size_t column) {
  const std::size_t columns = explained.shown.choice.columns();
  QStringList lines;
  for (std::size_t row = 0; row < explained.shown.statements.size(); ++row) {
    const std::size_t at = row * columns + column;
    lines.append(
        tr("%1: value %2 added %3")
            .arg(qs(explained.shown.statements[row]))
            .arg(static_cast<double>(explained.shown.values[at]), 0, 'g', 4)
            .arg(signedText(static_cast<double>(explained.explanation.contributions[at]))));
  }
  return lines.join(QLatin1Char('\n'));
}

std::vector<ScorePart> stepParts(const ExplainedScore& explained) {
  const std::vector<double> added = explained.explanation.byRow();
  std::vector<ScorePart> parts;
  for (std::size_t i = 0; i < added.size(); ++i)
    parts.push_back({QStringLiteral("%1  %2").arg(i).arg(qs(explained.shown.statements[i])),
                     tr("Step %1 of the program.").arg(i),
                     added[i],
                     {},
                     static_cast<int>(i)});
  return parts;
}

std::vector<ScorePart> featureParts(const ExplainedScore& explained) {
  const std::vector<std::string> names = featureNames(explained.shown.choice);
  const std::vector<std::string> meanings = featureMeanings(explained.shown.choice);
  std::vector<ScorePart> parts;
  for (const Contribution& part : contributions(explained.explanation))
    parts.push_back({qs(names[part.column]), qs(meanings[part.column]), part.added,
                     detailsOf(explained, part.column)});
  return parts;
}

ScoreStory storyOf(const Record& record, const ExplainedScore& explained) {
  ScoreStory story;
  story.task = record.task;
  story.record = record.id;
  story.program = shortName(record.program);
  story.bias = biasOf(explained.explanation);
  story.score = explained.explanation.score;
  story.predictedBefore = explained.predictedBefore;
  story.measured = explained.measured;
  story.ranking = qs(explained.ranking);
  story.parts = explained.shown.choice.steps ? stepParts(explained) : featureParts(explained);
  story.attention = explained.attention;
  return story;
}

} // namespace

bool isBySteps(const ScoreStory& story) {
  return !story.parts.empty() && story.parts.front().step >= 0;
}

ModelStory readModelStory(const RecordStore& store, RowId session, RowId record) {
  ModelStory story;
  try {
    const SavedModel saved = savedModel(store, session);
    addShares(saved, story);
    if (record == 0) return story;
    const std::optional<Record> found = store.records().one(record);
    if (!found) {
      story.scoreProblem = tr("The record is not in the file any more.");
      return story;
    }
    try {
      story.score = storyOf(*found, explainScore(store, *found, saved));
    } catch (const Error& error) { // an illegal program has no features
      story.scoreProblem = qs(error.what());
    }
  } catch (const Error& error) {
    story.problem = qs(error.what());
  }
  return story;
}

} // namespace nestwright::ui
