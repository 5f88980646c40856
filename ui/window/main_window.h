#pragma once
/// \file The document window: menus, tool bar, panels, and what is shown when there is no document.
/// Views are listed in ui/window/panels.cpp, commands in ui/window/actions.h.

#include "ui/document/document.h"
#include "ui/kit/exportable.h"
#include "ui/kit/layout.h"
#include "ui/window/catalogue.h"

#include <QMainWindow>

class QStackedWidget;
class QSystemTrayIcon;

namespace nestwright::ui {

class Actions;
class Banner;
class CompareView;
class CommandPalette;
class CurveView;
struct ExportJob;
struct PaletteItem;
class HelpWindow;
class LessonCommands;
class LogView;
class MessagePage;
class NoteActions;
class Panel;
class PanelHost;
class ProgramCompareView;
class ProgramView;
class RecordExchange;
class RecordFinder;
class RecordView;
class SchedulerView;
class StatusLine;
class SteeringActions;
class TaskView;
class TourGuide;
class WelcomePage;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(Catalogue catalogue, SessionFactory sessions = realSessions(),
                      QWidget* parent = nullptr);
  ~MainWindow() override;

  Document& document() { return document_; }
  Actions& actions() { return *actions_; }
  SteeringActions& steering() { return *steering_; }
  NoteActions& notes() { return *notes_; }
  PanelHost& panels() { return *host_; }
  TaskView* taskView() const;
  CurveView* curveView() const;
  ProgramView* programView() const;
  ProgramCompareView* programCompareView() const;
  CompareView* compareView() const;
  RecordView* recordView() const;
  SchedulerView* schedulerView() const;
  LogView* logView() const;
  StatusLine* statusLine() const { return status_; }
  TourGuide* tourGuide() const { return guide_; }
  MessagePage* messagePage() const { return message_; }
  Banner* banner() const { return banner_; }
  /// What is in the middle: the welcome page, a message, or the panels.
  QWidget* page() const;

  void openFile(const QString& path, bool start = false);
  /// Asks what to tune, beginning with this choice if one is given.
  void newSession(const QString& subject = {});
  /// Writes the panel of this name (PanelSpec::name) to a file, by its ending; `done` gets why it
  /// failed, or an empty text.
  void exportPanel(const QString& panel, const QString& file,
                   std::function<void(const QString&)> done);
  CommandPalette& commandPalette() { return *palette_; }

 Q_SIGNALS:
  /// The user wants a second window; whoever made this one opens it.
  void windowRequested();

 protected:
  void showEvent(QShowEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void buildPages();
  void buildSteering();
  // main_window_menus.cpp
  void buildMenus();
  void buildFileMenu();
  void buildViewMenu();
  void buildToolBar();
  void fillRecent(QMenu* menu);
  void fillSessions(QMenu* menu);
  void fillLayouts(QMenu* menu);
  void showPanelMenu(Panel* panel, const QPoint& at);

  // main_window_export.cpp
  void connectExport();
  Exports exportsOfPanel(Panel* panel);
  void askExport(Panel* panel);
  /// Without asking: a new file in the folder that was used last.
  void saveSvg(Panel* panel);
  void copyPanel(Panel* panel, QAction* form);
  void showTableOf(Panel* panel);
  void showProgress(const QString& file, const std::shared_ptr<ExportJob>& job);
  Panel* panelInUse() const;
  // main_window_help.cpp
  void connectHelp();
  HelpWindow* help();
  void startTour(const QString& name);
  void noticeEnd();
  // main_window_state.cpp
  std::string viewState() const;
  void restoreViewState();
  void askSaveCopy();
  void fillPalette();
  std::vector<PaletteItem> recordItems(const QString& text);

  void connectActions();
  void connectPanels();
  void setLayout(Layout layout);
  void askSaveLayout();
  void askOpen();
  void askTrialBudget();
  void askWorkerCommand();
  void runAgain(bool ask);
  void openSample();
  void showState();
  void showStatus();
  void showPanels(bool shown);
  void rememberWindow();

  Catalogue catalogue_;
  Document document_;
  RecordExchange* exchange_ = nullptr; // these have commands in the menus
  LessonCommands* lessons_ = nullptr;
  Actions* actions_;
  SteeringActions* steering_;
  NoteActions* notes_;
  QStackedWidget* pages_;
  WelcomePage* welcome_;
  MessagePage* message_;
  Banner* banner_;
  PanelHost* host_;
  StatusLine* status_;
  CommandPalette* palette_;
  RecordFinder* finder_;
  HelpWindow* help_ = nullptr; // made when first asked for
  TourGuide* guide_;
  QSystemTrayIcon* tray_ = nullptr; // made when a session ends out of sight
  QString tourWaiting_;             // begins when the sample is open
  QString troubleShown_;            // in the banner, of the session
  SessionStatus statusSeen_ = SessionStatus::Ready;
  QString restoredFor_; // path of the document whose state was last restored
  bool polished_ = false;
  bool panelsShown_ = false;
  bool closing_ = false;
};

} // namespace nestwright::ui
