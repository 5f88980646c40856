#include "app/workbench/poses.h"

#include "ui/charts/series_plot.h"
#include "ui/cost_model/cost_model_view.h"
#include "ui/cost_model/explanation_page.h"
#include "ui/cost_model/learning_page.h"
#include "ui/crossing/crossing_control.h"
#include "ui/crossing/crossing_page.h"
#include "ui/document/document.h"
#include "ui/document/document_file.h"
#include "ui/document/import/importer.h"
#include "ui/document/replay/replay.h"
#include "ui/document/replay/replay_mode.h"
#include "ui/import/import_problem_model.h"
#include "ui/import/import_view.h"
#include "ui/inspector/configurations_view.h"
#include "ui/inspector/derivation_model.h"
#include "ui/inspector/derivation_view.h"
#include "ui/inspector/generations_view.h"
#include "ui/inspector/inspector_view.h"
#include "ui/inspector/knob_plot.h"
#include "ui/inspector/plan_view.h"
#include "ui/lab/choice_form.h"
#include "ui/lab/data_view.h"
#include "ui/lab/models_view.h"
#include "ui/lab/training_form.h"
#include "ui/lab/training_list.h"
#include "ui/lab/training_view.h"
#include "ui/lesson/lesson_marks.h"
#include "ui/lesson/replay_bar.h"
#include "ui/program/counter_page.h"
#include "ui/program/hand_edit_page.h"
#include "ui/program/program_view.h"
#include "ui/recombination/recombination_view.h"
#include "ui/travel/travel_view.h"
#include "ui/window/actions.h"
#include "ui/window/deploy/deploy_dialog.h"
#include "ui/window/main_window.h"
#include "ui/window/new_session/catalogue.h"
#include "ui/window/new_session/new_session_dialog.h"
#include "ui/window/panel.h"
#include "ui/window/panel_host.h"
#include "ui/window/record_exchange.h"

#include <QAction>
#include <QComboBox>
#include <QSlider>
#include <QSpinBox>
#include <QTabWidget>
#include <QTableView>
#include <QToolButton>

#include <algorithm>
#include <cmath>
#include <typeinfo>
#include <utility>

namespace nestwright {
namespace {

using ui::CrossingControl;
using ui::CrossingPage;
using ui::DataView;
using ui::DocumentState;
using ui::GenerationsView;
using ui::HandEditPage;
using ui::ImportView;
using ui::InspectorView;
using ui::MainWindow;
using ui::ModelsView;
using ui::ProgramView;
using ui::RecombinationView;
using ui::RecordExchange;
using ui::Replay;
using ui::ReplayBar;
using ui::TrainingForm;
using ui::TrainingView;
using ui::TravelView;

template <class View>
View& viewOf(MainWindow& window, const char* panel) {
  for (const ui::PanelView& view : window.panels().views())
    if (view.name == QLatin1String(panel)) return dynamic_cast<View&>(*view.widget);
  throw std::bad_cast(); // a mistake in a pose
}

InspectorView& inspector(MainWindow& window) {
  return viewOf<InspectorView>(window, "inspector");
}

CrossingControl& crossing(MainWindow& window) {
  return viewOf<RecombinationView>(window, "recombination").crossing();
}

ReplayBar& replayBar(MainWindow& window) {
  return *window.findChild<ReplayBar*>();
}

Pose sketches() {
  return {QStringLiteral("inspector-sketches"),
          QStringLiteral("inspector"),
          {{[](MainWindow& window) {
              InspectorView& view = inspector(window);
              view.pages()->setCurrentWidget(view.derivation());
            },
            [](MainWindow& window) {
              return inspector(window).derivation()->model()->tree() != nullptr;
            }}}};
}

Pose generations() {
  return {
      QStringLiteral("inspector-generations"),
      QStringLiteral("inspector"),
      {{[](MainWindow& window) {
          InspectorView& view = inspector(window);
          view.pages()->setCurrentWidget(view.generations());
        },
        [](MainWindow& window) {
          return !inspector(window).generations()->data().row.programs.empty();
        }},
       // The fastest of those that were bred in the round and measured.
       {[](MainWindow& window) {
          GenerationsView& view = *inspector(window).generations();
          const auto& measured = view.data().measured;
          int fastest = -1;
          for (int i = 0; i < std::ssize(measured); ++i)
            if (const auto at = static_cast<std::size_t>(i);
                measured[at].record != 0 && !view.data().row.programs[at].parents.empty() &&
                (fastest < 0 ||
                 measured[at].seconds < measured[static_cast<std::size_t>(fastest)].seconds))
              fastest = i;
          view.generations()->setValue(view.generations()->maximum());
          view.choose(fastest);
        },
        [](MainWindow& window) { return !inspector(window).generations()->details().isEmpty(); }}}};
}

/// Of a document with two targets.
Pose travelMap() {
  return {QStringLiteral("travel"),
          QStringLiteral("travel"),
          {{[](MainWindow&) {},
            [](MainWindow& window) { return !viewOf<TravelView>(window, "travel").isEmpty(); }}},
          true};
}

/// A form in which a thing is changed.
Pose trainingSetUp() {
  return {QStringLiteral("training-setup"),
          QStringLiteral("training"),
          {{[](MainWindow& window) {
              TrainingView& view = viewOf<TrainingView>(window, "training");
              ModelWish wish = view.form()->wish();
              wish.options["epochs"] = 30;
              view.form()->showWish(wish);
              view.showPage(TrainingView::Page::SetUp);
            },
            [](MainWindow&) { return true; }}}};
}

/// With a part to test on.
Pose dataSet() {
  return {QStringLiteral("data-set"),
          QStringLiteral("data-set"),
          {{[](MainWindow& window) {
              ui::ChoiceForm& form = *viewOf<DataView>(window, "data-set").form();
              form.leastPrograms()->setValue(20);
              form.split()->setCurrentIndex(int(SplitKind::ByTask)); // in their order
              Q_EMIT form.split()->activated(form.split()->currentIndex());
            },
            [](MainWindow& window) {
              const DataView& view = viewOf<DataView>(window, "data-set");
              return !view.isReading() && view.story().choice == view.choice();
            }}}};
}

/// The sample's tasks have few programs: those of some are learned from, and other tasks are tested
/// on.
DataChoice fewPrograms(DataChoice choice) {
  choice.leastPrograms = 20;
  choice.split = SplitKind::ByTask;
  choice.testShare = 0.3;
  return choice;
}

/// Trains a model, of so many programs of each task (0: all), here and now.
PoseStep training(const char* model, const char* loss, nlohmann::json options,
                  std::size_t programs = 0) {
  return {[=](MainWindow& window) {
            TrainingView& view = viewOf<TrainingView>(window, "training");
            ModelWish wish = view.form()->wish();
            wish.data = fewPrograms(wish.data);
            wish.data.drawnPrograms = programs;
            wish.model = model;
            wish.loss = loss;
            wish.options = options;
            view.form()->showWish(wish);
            view.form()->startButton()->click();
          },
          [](MainWindow& window) { return !viewOf<TrainingView>(window, "training").isBusy(); }};
}

nlohmann::json trees() {
  return {{"maxTrees", 60}};
}

nlohmann::json network() {
  return {{"epochs", 60}, {"batch", 128}, {"patience", 0}};
}

/// Two networks and trees.
Pose trainings() {
  return {QStringLiteral("training"),
          QStringLiteral("training"),
          {training("xgboost", "mse", trees()), training("mlp", "mse", network()),
           training("mlp", "lambdarank", network())}};
}

/// All models that were trained in the window, compared on the tasks that were kept; `favourites`
/// is a place among their numbers.
PoseStep comparison(ModelsView::Page page, int favourites) {
  return {[=](MainWindow& window) {
            const TrainingView& training = viewOf<TrainingView>(window, "training");
            ModelsView& view = viewOf<ModelsView>(window, "compare-models");
            DataChoice choice = fewPrograms(training.form()->wish().data);
            choice.drawnPrograms = 0;
            view.setChoice(choice);
            QStringList files;
            for (const ui::Training& row : training.list()->rows())
              files << row.file;
            view.addModels(files);
            view.favourites()->setCurrentIndex(favourites);
            view.showPage(page);
            view.compare();
          },
          [](MainWindow& window) {
            const ModelsView& view = viewOf<ModelsView>(window, "compare-models");
            return !view.isBusy() && view.judged();
          }};
}

/// The trainings of the pose above, made where it was not taken.
Pose comparedModels() {
  Pose pose{QStringLiteral("compare-models"), QStringLiteral("compare-models"), trainings().steps};
  for (PoseStep& step : pose.steps)
    step.act = [train = step.act, wanted = &step - pose.steps.data()](MainWindow& window) {
      if (viewOf<TrainingView>(window, "training").list()->rowCount() <= wanted) train(window);
    };
  pose.steps.push_back(comparison(ModelsView::Page::Networks, 1));
  return pose;
}

/// Some that learned from less, and by other seeds.
Pose learningCurves() {
  Pose pose{QStringLiteral("compare-models-curves"), QStringLiteral("compare-models"),
            comparedModels().steps};
  pose.steps.pop_back();
  nlohmann::json seeded = trees();
  seeded["seed"] = 44;
  pose.steps.push_back(training("xgboost", "mse", seeded));
  for (const std::size_t programs : {8, 16, 32}) {
    pose.steps.push_back(training("xgboost", "mse", trees(), programs));
    pose.steps.push_back(training("xgboost", "mse", seeded, programs));
    pose.steps.push_back(training("mlp", "lambdarank", network(), programs));
  }
  pose.steps.push_back(comparison(ModelsView::Page::LearningCurves, 0));
  return pose;
}

/// Of sessions over templates.
Pose configurations() {
  return {QStringLiteral("inspector-configurations"),
          QStringLiteral("inspector"),
          {{[](MainWindow& window) {
              inspector(window).pages()->setCurrentWidget(inspector(window).configurations());
            },
            [](MainWindow& window) {
              return !inspector(window).configurations()->plot()->lines().lines.empty();
            }}},
          true};
}

/// The same page in sessions over sketches.
Pose decisions() {
  Pose pose = configurations();
  pose.name = QStringLiteral("inspector-decisions");
  pose.onlyNamed = false;
  return pose;
}

/// What this machine's processor counts, which is not the same on another one.
Pose counters() {
  return {QStringLiteral("program-counters"),
          QStringLiteral("program"),
          {{[](MainWindow& window) {
              ProgramView& view = *window.panels().view<ProgramView>();
              view.showPage(ProgramView::CounterTab);
              view.counters()->button()->click();
            },
            [](MainWindow& window) {
              return !window.panels().view<ProgramView>()->counters()->isBusy();
            }}},
          true};
}

Pose plan() {
  return {QStringLiteral("inspector-plan"),
          QStringLiteral("inspector"),
          {{[](MainWindow& window) {
              inspector(window).pages()->setCurrentWidget(inspector(window).plan());
            },
            [](MainWindow& window) { return inspector(window).plan()->round() > 0; }}},
          true};
}

Pose learning() {
  return {QStringLiteral("cost_model-learning"),
          QStringLiteral("cost_model"),
          {{[](MainWindow& window) {
              viewOf<ui::CostModelView>(window, "cost_model")
                  .showPage(ui::CostModelView::Page::Learning);
            },
            [](MainWindow& window) {
              return viewOf<ui::CostModelView>(window, "cost_model")
                  .learning()
                  .chance()
                  ->message()
                  .isEmpty();
            }}},
          true};
}

/// Of a session whose model has attention between steps.
Pose attention() {
  const auto page = [](MainWindow& window) -> ui::ExplanationPage& {
    return viewOf<ui::CostModelView>(window, "cost_model").explanation();
  };
  return {QStringLiteral("cost_model-attention"),
          QStringLiteral("cost_model"),
          {{[](MainWindow& window) {
              viewOf<ui::CostModelView>(window, "cost_model")
                  .showPage(ui::CostModelView::Page::Explanation);
            },
            [page](MainWindow& window) { return page(window).attentionButton()->isVisible(); }},
           {[page](MainWindow& window) { page(window).attentionButton()->setChecked(true); },
            [page](MainWindow& window) { return page(window).showsAttention(); }}},
          true};
}

/// The sizes of a split in another order: the same iterations, in other tiles. Empty when that is
/// no change.
QString turned(const EditableStep& step) {
  QStringList sizes = QString::fromStdString(step.value).split(QStringLiteral(", "));
  const bool numbers = std::all_of(sizes.begin(), sizes.end(), [](const QString& size) {
    bool is = false;
    size.toInt(&is);
    return is;
  });
  if (!numbers || sizes.size() < 2 || sizes.first() == sizes.last()) return {};
  std::swap(sizes.first(), sizes.last());
  return sizes.join(QStringLiteral(", "));
}

Pose handEdit() {
  const auto idle = [](MainWindow& window) {
    const HandEditPage& page = *window.panels().view<ProgramView>()->edit();
    return !page.isBusy() && !page.outcome().steps.empty();
  };
  return {QStringLiteral("program-edit"),
          QStringLiteral("program"),
          {{[](MainWindow& window) {
              window.panels().view<ProgramView>()->showPage(ProgramView::EditTab);
            },
            idle},
           {[](MainWindow& window) {
              HandEditPage& page = *window.panels().view<ProgramView>()->edit();
              const std::vector<EditableStep> steps = page.outcome().steps;
              const auto last =
                  std::find_if(steps.rbegin(), steps.rend(),
                               [](const EditableStep& step) { return !turned(step).isEmpty(); });
              if (last != steps.rend()) page.setValue(last->step, turned(*last));
            },
            idle}}};
}

Pose crossingLab() {
  const auto page = [](MainWindow& window) -> CrossingPage& {
    return *viewOf<RecombinationView>(window, "recombination").crossingPage();
  };
  return {QStringLiteral("recombination-crossing"),
          QStringLiteral("recombination"),
          {{[page](MainWindow& window) {
              viewOf<RecombinationView>(window, "recombination")
                  .tabs()
                  ->setCurrentIndex(RecombinationView::Crossing);
              page(window).seed()->setValue(7);
              page(window).takeButton()->click();
            },
            [](MainWindow& window) {
              return !crossing(window).isReading() && crossing(window).parents().size() > 1;
            }},
           {[page](MainWindow& window) { page(window).crossButton()->click(); },
            [](MainWindow& window) {
              return !crossing(window).isCrossing() && !crossing(window).children().empty();
            }}}};
}

/// A lesson of three marks, at its second one.
Pose replay() {
  struct Mark {
    double place;
    const char* sentence;
  };
  static constexpr Mark kMarks[] = {
      {0.05, "Random sampling: the cost model knows nothing yet, and most programs are slow."},
      {0.55, "The fifth generation: tiles that fit the cache have taken over the population."},
      {0.95, "Nothing new is found: the last rounds repeat what is known."}};
  Pose pose{QStringLiteral("replay"), {}, {}};
  pose.steps.push_back(
      {[](MainWindow& window) {
         window.actions().layouts[static_cast<std::size_t>(ui::Layout::Teach)]->trigger();
         window.panels().view<ProgramView>()->showPage(ProgramView::LoopNestTab);
         window.document().replayMode().start();
       },
       [](MainWindow& window) {
         const Replay* replay = window.document().replayMode().replay();
         return replay && replay->isReady();
       }});
  const auto at = [](double place) {
    return PoseStep{[place](MainWindow& window) {
                      Replay& replay = *window.document().replayMode().replay();
                      replay.seekTime(place * replay.duration());
                    },
                    [place](MainWindow& window) {
                      const Replay& replay = *window.document().replayMode().replay();
                      return std::abs(replay.time() - place * replay.duration()) <
                             0.05 * replay.duration();
                    }};
  };
  for (std::size_t i = 0; i < std::size(kMarks); ++i) {
    pose.steps.push_back(at(kMarks[i].place));
    pose.steps.push_back(
        {[i](MainWindow& window) {
           replayBar(window).marks().add(QLatin1String(kMarks[i].sentence));
         },
         [i](MainWindow& window) { return replayBar(window).marks().all().size() > i; }});
  }
  pose.steps.push_back(at(kMarks[1].place));
  pose.steps.push_back({[](MainWindow& window) {
                          InspectorView& view = inspector(window);
                          window.panels().raise(QStringLiteral("inspector"));
                          view.pages()->setCurrentWidget(view.generations());
                        },
                        [](MainWindow& window) {
                          return !inspector(window).generations()->data().row.programs.empty();
                        }});
  return pose;
}

Pose import(const QString& log) {
  return {QStringLiteral("import"),
          QStringLiteral("import"),
          {{[log](MainWindow& window) { window.exchange().import({log}); },
            [](MainWindow& window) {
              const ImportView& view = *window.exchange().view();
              return !window.document().importer().isActive() &&
                     window.document().state() == DocumentState::Ready &&
                     view.problems()->rowCount() > 0;
            }}}};
}

/// A dialog beside the window, which waits for nobody, under the name that its picture looks for.
template <class Dialog>
Dialog& shown(Dialog* dialog, const char* name) {
  dialog->setObjectName(QLatin1String(name) + QStringLiteral("Dialog"));
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->show();
  return *dialog;
}

Pose deploying() {
  return {QStringLiteral("deploy"),
          QStringLiteral("deploy"),
          {{[](MainWindow& window) {
              shown(
                  new ui::DeployDialog(window.document().file().path().toStdString(), {}, &window),
                  "deploy");
            },
            [](MainWindow& window) {
              const auto* table = window.findChild<ui::DeployDialog*>()->findChild<QTableView*>();
              return table && table->model()->rowCount() > 0;
            }}}};
}

Pose newSession() {
  return {QStringLiteral("new-session"),
          QStringLiteral("new-session"),
          {{[](MainWindow& window) {
              ui::NewSessionDialog& dialog =
                  shown(new ui::NewSessionDialog(ui::coreCatalogue(), &window), "new-session");
              dialog.setPath(QStringLiteral("resnet18.nwdb"));
              dialog.setSubject(QStringLiteral("resnet18"));
              for (QToolButton* button : dialog.findChildren<QToolButton*>())
                if (button->isCheckable() && button->text() == QLatin1String("More"))
                  button->setChecked(true);
            },
            [](MainWindow&) { return true; }}}};
}

} // namespace

std::vector<Pose> posesOf(MainWindow& window, const QString& log) {
  std::vector<Pose> poses;
  for (const ui::PanelView& view : window.panels().views())
    if (view.name == QLatin1String("travel"))
      poses.push_back(travelMap());
    else if (view.name == QLatin1String("training"))
      poses.insert(poses.end(), {trainingSetUp(), trainings()});
    else if (view.name == QLatin1String("data-set"))
      poses.push_back(dataSet());
    else if (view.name == QLatin1String("compare-models"))
      poses.insert(poses.end(), {comparedModels(), learningCurves()});
    else
      poses.push_back({view.name, view.name, {}, view.name == QLatin1String("races")});
  poses.insert(poses.end(), {sketches(), generations(), decisions(), configurations(), plan(),
                             learning(), attention(), counters(), handEdit(), crossingLab(),
                             replay(), deploying(), newSession()});
  if (!log.isEmpty()) poses.push_back(import(log));
  return poses;
}

} // namespace nestwright
