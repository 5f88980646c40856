#pragma once
/// \file From a document to a library: what is wanted, what will be inside, the making of it, and
/// what was written.

#include "core/deploy/deploy_library.h"
#include "ui/kit/background.h"

#include <QDialog>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

class QLabel;
class QProgressBar;
class QPushButton;
class QStackedWidget;

namespace nestwright {
struct TunedSubject;
} // namespace nestwright

namespace nestwright::ui {

class DeployContents;
class DeployedPage;
class DeployForm;

class DeployDialog : public QDialog {
  Q_OBJECT
 public:
  /// Makes a library on a thread of its own.
  using Maker = std::function<DeployedLibrary(const DeployWish& wish, const DeployWatch& watch)>;

  /// `database` is the file with the records; `chosen` the subject that is offered first.
  DeployDialog(
      std::string database, std::string chosen, QWidget* parent = nullptr,
      Maker maker = [](const DeployWish& wish, const DeployWatch& watch) {
        return deployLibrary(wish, watch);
      });

  DeployWish wish() const;
  /// Why no library can be made of what is chosen; empty when one can.
  QString problem() const;
  bool isMaking() const { return stop_ != nullptr; }

 public Q_SLOTS:
  /// Makes the library.
  void accept() override;
  /// Ends the making of it, which leaves nothing; else the dialog.
  void reject() override;

 private:
  void buildBottom(QLayout* layout);
  void lookUp(std::string chosen);
  void offer(std::vector<TunedSubject> subjects, const std::string& chosen);
  void made(const std::optional<DeployedLibrary>& library);
  void failed(const QString& why);
  void setMaking(bool making);
  void showResult(bool shown);
  void follow();
  void tell();

  std::string database_;
  Maker maker_;
  bool isLooking_ = false;                  // for what can be deployed
  QString nothing_;                         // why there is nothing
  QString ended_;                           // how the last try ended, until a field is changed
  std::shared_ptr<std::atomic<bool>> stop_; // of the library that is being made
  DeployForm* form_;
  DeployContents* contents_;
  DeployedPage* result_;
  QWidget* choice_;
  QStackedWidget* pages_;
  QLabel *said_, *doing_;
  QProgressBar* busy_;
  QPushButton *deploy_, *cancel_, *another_, *close_;
  Background looking_;
  Background making_; // the last: it is waited for
};

} // namespace nestwright::ui
