#include "ui/window/panels.h"

#include "core/plugin/plugin.h"
#include "core/session/run/row_contents.h"
#include "ui/compare/compare_view.h"
#include "ui/cost_model/cost_model_view.h"
#include "ui/curves/curve_view.h"
#include "ui/document/document.h"
#include "ui/document/shared_selection.h"
#include "ui/inspector/inspector_view.h"
#include "ui/kit/text.h"
#include "ui/lab/data_view.h"
#include "ui/lab/models_view.h"
#include "ui/lab/training_view.h"
#include "ui/log/log_view.h"
#include "ui/notes/notes_view.h"
#include "ui/program/program_compare_view.h"
#include "ui/program/program_view.h"
#include "ui/recombination/recombination_view.h"
#include "ui/race/race_view.h"
#include "ui/records/record_view.h"
#include "ui/roofline/roofline_view.h"
#include "ui/scheduler/budget_view.h"
#include "ui/scheduler/scheduler_view.h"
#include "ui/task_graph/task_graph_view.h"
#include "ui/tasks/task_view.h"
#include "ui/travel/travel_view.h"

namespace nestwright::ui {
namespace {

template <class View>
QWidget* make(Document& document, QWidget* parent) {
  return new View(document, parent);
}

bool isSearched(Document& document) {
  return document.session().progress().trials > 0 && !isImport(document.session().row());
}

bool learns(Document& document) {
  return isSearched(document) && learnsModel(document.session().config().policy);
}

bool hasTwo(Document& document) {
  const ProgramPair& pair = document.selection().compared();
  return pair.a.isValid() || pair.b.isValid() || document.session().contents().sessions.size() > 1;
}

} // namespace

std::vector<PanelSpec> panelSpecs() {
  using enum Place;
  // name, title, key, views, place in Tune, Browse, Teach, Lab
  return {
      {"tasks",
       tr("Tasks"),
       "Ctrl+1",
       {{"tasks", tr("Tasks"), make<TaskView>}},
       {LeftTop, LeftTop, LeftTop, Hidden}},
      {"curves",
       tr("Tuning Curves"),
       "Ctrl+2",
       {{"curves", tr("Tuning Curves"), make<CurveView>}},
       {CentreTop, LeftBottom, CentreTop, Hidden}},
      {"scheduler",
       tr("Scheduler"),
       "Ctrl+3",
       {{"scheduler", tr("Choices"), make<SchedulerView>},
        {"budget", tr("Plan and Budget"), make<BudgetView>}},
       {CentreTop, Hidden, CentreTop, Hidden}},
      {"task_graph",
       tr("Task Graph"),
       "Ctrl+4",
       {{"task_graph", tr("Task Graph"), make<TaskGraphView>}},
       {CentreTop, Hidden, CentreTop, Hidden}},
      {"records",
       tr("Records"),
       "Ctrl+5",
       {{"records", tr("Records"), make<RecordView>}},
       {LeftBottom, CentreTop, LeftBottom, LeftBottom}},
      {"program",
       tr("Program"),
       "Ctrl+6",
       {{"program", tr("Program"), make<ProgramView>},
        {"roofline", tr("Roofline"), make<RooflineView>}},
       {CentreBottom, CentreBottom, RightTop, LeftBottom}},
      {"compare",
       tr("Compare"),
       "Ctrl+7",
       {{"compare", tr("Programs"), make<ProgramCompareView>},
        {"compare-sessions", tr("Sessions"), make<CompareView>},
        {"races", tr("Races"), make<RaceView>}},
       {CentreBottom, CentreBottom, RightTop, Hidden},
       hasTwo},
      {"inspector",
       tr("Search"),
       "Ctrl+8",
       {{"inspector", tr("Search Inspector"), make<InspectorView>},
        {"recombination", tr("Recombination"), make<RecombinationView>}},
       {CentreBottom, Hidden, CentreBottom, Hidden},
       isSearched},
      {"cost_model",
       tr("Model Lab"),
       "Ctrl+9",
       {{"cost_model", tr("Cost Model"), make<CostModelView>},
        {"data-set", tr("Data Set"), make<DataView>},
        {"training", tr("Training"), make<TrainingView>},
        {"compare-models", tr("Compare Models"), make<ModelsView>},
        {"travel", tr("Travel Map"), make<TravelView>}},
       {CentreBottom, CentreBottom, CentreBottom, CentreTop},
       learns},
      {"log",
       tr("Journal"),
       "Ctrl+J",
       {{"log", tr("Log"), make<LogView>}, {"notes", tr("Notes"), make<NotesView>}},
       {LeftBottom, LeftBottom, LeftBottom, LeftBottom}},
  };
}

} // namespace nestwright::ui
