#pragma once
/// \file The document window: menus, tool bar, panels, and what is shown when there is no document.

#include "ui/catalogue.h"
#include "ui/document.h"

#include <QMainWindow>

class QStackedWidget;

namespace nestwright::ui {

class Actions;
class Banner;
class CurveView;
class LogView;
class MessagePage;
class ProgramView;
class RecordView;
class StatusLine;
class TaskView;
class WelcomePage;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(Catalogue catalogue, SessionFactory sessions = realSessions(),
                      QWidget* parent = nullptr);
  ~MainWindow() override;

  Document& document() { return document_; }
  Actions& actions() { return *actions_; }
  TaskView* taskView() const { return tasks_; }
  CurveView* curveView() const { return curves_; }
  ProgramView* programView() const { return program_; }
  RecordView* recordView() const { return records_; }
  LogView* logView() const { return log_; }
  StatusLine* statusLine() const { return status_; }
  MessagePage* messagePage() const { return message_; }
  Banner* banner() const { return banner_; }
  QWidget* page() const;

  void openFile(const QString& path, bool start = false);
  /// Asks what to tune, beginning with this choice if one is given.
  void newSession(const QString& subject = {});

 protected:
  void showEvent(QShowEvent* event) override;
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void buildPanels();
  QDockWidget* addPanel(const QString& name, const QString& title, QWidget* content,
                        Qt::DockWidgetArea area);
  void buildMenus();
  void buildToolBar();
  void connectActions();
  void arrangePanels();
  void updatePanelTitles();
  void fillRecent(QMenu* menu);
  void fillSessions(QMenu* menu);
  void askOpen();
  void askTrialBudget();
  void openSample();
  void showState();
  void showStatus();
  void showPanels(bool shown);
  void rememberWindow();

  Catalogue catalogue_;
  Document document_;
  Actions* actions_;
  QAction* sample_;
  QStackedWidget* pages_;
  WelcomePage* welcome_;
  MessagePage* message_;
  Banner* banner_;
  CurveView* curves_;
  TaskView* tasks_;
  ProgramView* program_;
  RecordView* records_;
  LogView* log_;
  StatusLine* status_;
  QList<QDockWidget*> panels_;
  bool polished_ = false;
  bool panelsShown_ = false;
  bool closing_ = false;
};

} // namespace nestwright::ui
