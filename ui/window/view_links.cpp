#include "ui/window/view_links.h"

#include "core/story/advice/guidance.h"
#include "ui/cost_model/cost_model_view.h"
#include "ui/cost_model/prediction_plot.h"
#include "ui/curves/curve_plot.h"
#include "ui/curves/curve_view.h"
#include "ui/document/document.h"
#include "ui/document/shared_selection.h"
#include "ui/inspector/configurations_view.h"
#include "ui/inspector/inspector_view.h"
#include "ui/lab/data_view.h"
#include "ui/lab/models_view.h"
#include "ui/lab/training_view.h"
#include "ui/program/loop_nest_page.h"
#include "ui/program/program_view.h"
#include "ui/records/record_scope.h"
#include "ui/records/record_view.h"
#include "ui/roofline/roofline_plot.h"
#include "ui/roofline/roofline_view.h"
#include "ui/task_graph/task_graph_view.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"

namespace nestwright::ui {

void linkViews(Document& document, PanelHost& host) {
  auto* records = host.view<RecordView>();
  auto* curves = host.view<CurveView>();
  auto* roofline = host.view<RooflineView>();
  auto* model = host.view<CostModelView>();
  auto* program = host.view<ProgramView>();
  auto* configurations = host.view<InspectorView>()->configurations();
  QObject::connect(records, &RecordView::listedChanged, &host, [=] {
    const FilteredRecords listed = records->listed();
    curves->plot()->setListed(listed);
    roofline->setListed(listed);
    model->setListed(listed);
    configurations->setListed(listed);
  });
  QObject::connect(curves->plot(), &CurvePlot::brushed, records, &RecordView::narrow);
  QObject::connect(roofline->plot(), &RooflinePlot::brushed, records, &RecordView::narrow);
  QObject::connect(model->predictionPlot(), &PredictionPlot::brushed, records, &RecordView::narrow);
  QObject::connect(configurations, &ConfigurationsView::brushed, records, &RecordView::narrow);

  QObject::connect(model, &CostModelView::explained, program, [program](const ScoreStory& score) {
    StepScores scores{score.record, {}};
    for (const ScorePart& part : score.parts)
      if (part.step >= 0) scores.added.push_back(part.added);
    program->loopNest()->showScores(std::move(scores));
  });
  QObject::connect(model, &CostModelView::stepPicked, program->loopNest(), &LoopNestPage::showStep);

  auto* data = host.view<DataView>();
  auto* models = host.view<ModelsView>();
  models->setChoice(data->choice());
  QObject::connect(data, &DataView::choiceChanged, models, &ModelsView::setChoice);
  auto* training = host.view<TrainingView>();
  training->setChoice(data->choice());
  QObject::connect(data, &DataView::choiceChanged, training, &TrainingView::setChoice);

  const auto raise = [&host](const char* panel) {
    return [&host, panel] { host.raise(QString::fromLatin1(panel)); };
  };
  QObject::connect(host.view<TaskGraphView>(), &TaskGraphView::taskOpened, &host, raise("program"));
  QObject::connect(roofline, &RooflineView::programOpened, &host, raise("program"));
  QObject::connect(model, &CostModelView::stepPicked, &host, raise("program"));
  QObject::connect(training, &TrainingView::compareWanted, models, &ModelsView::addModels);
  QObject::connect(training, &TrainingView::compareWanted, &host, raise("compare-models"));
  SharedSelection& selection = document.selection();
  QObject::connect(&selection, &SharedSelection::crossingWanted, &host, raise("recombination"));
  QObject::connect(&selection, &SharedSelection::comparedChanged, &host, [&selection, raise] {
    const ProgramPair& pair = selection.compared();
    if (pair.a.isValid() || pair.b.isValid()) raise("compare")();
  });
}

void showPlace(PanelHost& host, const Guidance& guidance) {
  RecordScope& records = *host.view<RecordView>()->scope();
  const auto list = [&](std::string_view filter, bool ofTask) {
    records.setFollowing(ofTask);
    records.setFilter(parseRecordFilter(filter));
    host.raise(QStringLiteral("records"));
  };
  switch (guidance.kind) {
  case GuidanceKind::NoProgram:
    return list("error:any", true);
  case GuidanceKind::Contested:
    return list("is:contested", false);
  case GuidanceKind::BelowRoof:
    return host.raise(QStringLiteral("roofline"));
  case GuidanceKind::BehindSibling:
  case GuidanceKind::Noise:
  case GuidanceKind::BudgetSpent:
    return; // steered already, as the tasks and the status line show
  }
}

} // namespace nestwright::ui
