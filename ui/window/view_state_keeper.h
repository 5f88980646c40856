#pragma once
/// \file What is kept with a document and found again: the session and selection that were seen,
/// where the panels were, and what each view wants to remember.

#include <QObject>
#include <QString>

#include <string>

namespace nestwright::ui {

class Actions;
class Document;
class LayoutCommands;
class PanelHost;

class ViewStateKeeper : public QObject {
  Q_OBJECT
 public:
  /// Keeps it whenever the document is left.
  ViewStateKeeper(Document& document, PanelHost& host, Actions& actions, LayoutCommands& layouts,
                  QObject* parent);
  void keep();
  /// As the open document says; another session of the same file leaves everything where it is.
  void restore();
  /// The next document is another one, even if it is the same file.
  void forget() { restoredFor_.clear(); }

 private:
  std::string state() const;

  Document& document_;
  PanelHost& host_;
  Actions& actions_;
  LayoutCommands& layouts_;
  QString restoredFor_; // path of the document whose state was last restored
};

} // namespace nestwright::ui
