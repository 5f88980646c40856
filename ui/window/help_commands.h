#pragma once
/// \file Help: the manual's page on what is in use, guided tours, shortcuts, and what this is.

#include <QObject>
#include <QString>

class QWidget;

namespace nestwright::ui {

class Actions;
class Document;
class HelpWindow;
class LayoutCommands;
class PanelHost;
class TourGuide;

class HelpCommands : public QObject {
  Q_OBJECT
 public:
  HelpCommands(Document& document, PanelHost& host, Actions& actions, LayoutCommands& layouts,
               QWidget* window);
  /// The page of this name in the manual.
  void open(const QString& page);
  /// By Tour::name. One that needs a document waits until the sample is open.
  void startTour(const QString& name);
  TourGuide* guide() const { return guide_; }

 Q_SIGNALS:
  void sampleWanted();

 private:
  Document& document_;
  QWidget* window_;
  HelpWindow* help_ = nullptr; // made when first asked for
  TourGuide* guide_;
  QString waiting_; // the tour that begins when the sample is open
};

} // namespace nestwright::ui
