#pragma once
/// \file The document window: what is in it, and what of it is shown. Views are listed in
/// ui/window/panels.cpp, commands in ui/window/actions.h, menus in ui/window/menus.h.

#include "ui/document/document.h"
#include "ui/window/new_session/catalogue.h"

#include <QMainWindow>

class QStackedWidget;

namespace nestwright::ui {

class Actions;
class Banner;
class CommandPalette;
class DeployCommand;
class EmitCommand;
class DesktopNotice;
class DocumentCommands;
class GuidanceLine;
class HelpCommands;
class LayoutCommands;
class LessonCommands;
class Menus;
class MessagePage;
class NoteActions;
class PanelExport;
class PanelHost;
class RecordExchange;
class RecordFinder;
class ReportCommand;
class StatusLine;
class PolishCommand;
class SteeringActions;
class ViewStateKeeper;
class WelcomePage;

class MainWindow : public QMainWindow {
  Q_OBJECT
 public:
  explicit MainWindow(Catalogue catalogue, SessionFactory sessions = realSessions(),
                      QWidget* parent = nullptr);
  ~MainWindow() override;

  /// Without a session of the file, the one seen last.
  void openFile(const QString& path, bool start = false, RowId session = 0);
  /// Makes a session in the file and opens it.
  void makeSession(const QString& path, const SessionConfig& config, bool start);

  Document& document() { return document_; }
  Actions& actions() { return *actions_; }
  SteeringActions& steering() { return *steering_; }
  NoteActions& notes() { return *notes_; }
  PanelHost& panels() { return *host_; }
  PanelExport& panelExport() { return *export_; }
  RecordExchange& exchange() { return *exchange_; }
  ReportCommand& reports() { return *report_; }
  /// Brings the view of this name (ViewSpec::name, or "import") to the front; nothing happens when
  /// there is none.
  void showView(const QString& name);
  HelpCommands& help() { return *help_; }
  CommandPalette& commandPalette() { return *palette_; }
  StatusLine* statusLine() const { return status_; }
  MessagePage* messagePage() const { return message_; }
  Banner* banner() const { return banner_; }
  GuidanceLine* guidance() const { return guidance_; }
  /// What is in the middle: the welcome page, a message, or the panels.
  QWidget* page() const;

 Q_SIGNALS:
  /// The user wants a second window, opened with these arguments of the command line; whoever made
  /// this one opens it.
  void windowRequested(const QStringList& arguments);

 protected:
  void closeEvent(QCloseEvent* event) override;
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;

 private:
  void buildPages();
  void buildSteering();
  void buildCommands();
  void connectCommands();
  void connectGuidance();
  void askMeasureAgain();
  void connectDocument();
  void showState();
  void showRefusal(const QString& path, const QString& why);
  void leaveMessage();
  void showStatus();
  void showPanels(bool shown);
  void rememberWindow();

  Document document_;
  Actions* actions_;
  SteeringActions* steering_;
  PolishCommand* polish_;
  NoteActions* notes_;
  PanelHost* host_;
  LayoutCommands* layouts_;
  ViewStateKeeper* viewState_;
  DocumentCommands* commands_;
  DesktopNotice* notice_;
  RecordExchange* exchange_;
  PanelExport* export_;
  ReportCommand* report_;
  DeployCommand* deploy_;
  EmitCommand* emit_;
  Menus* menus_;
  HelpCommands* help_;
  RecordFinder* finder_;
  CommandPalette* palette_;
  QStackedWidget* pages_;
  WelcomePage* welcome_;
  MessagePage* message_;
  Banner* banner_;
  GuidanceLine* guidance_;
  StatusLine* status_;
  QString troubleShown_; // in the banner, of the session
  bool closing_ = false;
};

} // namespace nestwright::ui
