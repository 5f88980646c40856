#pragma once
/// \file Which command stands where: the menus of the window, the tool bar of the session, and the
/// menu of a panel.

#include <QList>
#include <QObject>
#include <QString>

class QAction;
class QMainWindow;
class QMenu;
class QPoint;

namespace nestwright::ui {

class Actions;
class DeployCommand;
class EmitCommand;
class Document;
class LessonCommands;
class NoteActions;
class Panel;
class PanelExport;
class PanelHost;
class PlanBar;
class PolishCommand;
class RaceCommand;
class RecordExchange;
class ReportCommand;
class SteeringActions;
struct ViewSpec;

/// The commands of the session, what it is after, and the layouts at the right. Gives what is in
/// the middle.
PlanBar* buildToolBar(QMainWindow& window, Document& document, Actions& actions);

class Menus : public QObject {
  Q_OBJECT
 public:
  /// Whose commands the menus show.
  struct Commands {
    Actions& actions;
    SteeringActions& steering;
    PolishCommand& polish;
    NoteActions& notes;
    RecordExchange& exchange;
    LessonCommands& lessons;
    PanelExport& exporting;
    ReportCommand& report;
    DeployCommand& deploy;
    EmitCommand& emit;
    RaceCommand& race;
    PlanBar& plan;
  };
  Menus(QMainWindow& window, Document& document, PanelHost& host, const Commands& commands);

 Q_SIGNALS:
  /// One of the files used last was chosen.
  void fileChosen(const QString& path);
  void recentCleared();
  /// By Tour::name.
  void tourChosen(const QString& tour);
  /// By the name of the view.
  void helpWanted(const QString& panel);

 private:
  void buildFileMenu();
  void buildEditMenu();
  void buildSessionMenu();
  void buildViewMenu();
  void buildHelpMenu();
  void addGoTo(Panel& panel, const ViewSpec& view, const QString& key);
  void fillRecent(QMenu* menu);
  void fillSessions(QMenu* menu);
  void fillLayouts(QMenu* menu);
  void showPanelMenu(Panel* panel, const QPoint& at);

  QMainWindow& window_;
  Document& document_;
  PanelHost& host_;
  Commands commands_;
  Actions& actions_;
};

} // namespace nestwright::ui
