#pragma once
/// \file What will be inside of a library, before anything is written: its tasks with their
/// programs, and how much of it is tuned. It is read in the background.

#include "core/deploy/deploy_library.h"
#include "ui/kit/background.h"

#include <QTimer>
#include <QWidget>

#include <optional>
#include <string>

class QLabel;
class QTableView;

namespace nestwright::ui {

class DeployedTaskModel;

class DeployContents : public QWidget {
  Q_OBJECT
 public:
  explicit DeployContents(QWidget* parent = nullptr);

  /// What is to be looked at; the same again is not read again.
  void setWish(const DeployWish& wish);
  /// Why the library cannot be made of what there is, or that this is not known yet; empty when it
  /// can be made.
  QString problem() const;

 Q_SIGNALS:
  /// More is known, or nothing any more.
  void changed();

 private:
  void begin();
  void know(std::optional<DeploySurvey> survey, const QString& failure);
  void tell();
  QString summaryText() const;
  QString shortfall() const;
  QString shortfallOf(const DeployedVariant& variant) const;

  DeployWish wish_;
  std::string asked_; // what is being read, or was
  std::optional<DeploySurvey> survey_;
  QString failure_; // of reading it
  QTimer pause_;    // before it is read
  Background reading_;
  DeployedTaskModel* model_;
  QLabel *summary_, *problem_;
  QTableView* table_;
};

/// "18 of 18 searched tasks tuned (100.0 %), 3 that are never searched: …", with the shares of
/// operations and of time, and the target; of several variants one after the other, with the
/// processor of each.
QString coverageSentences(const Deployment& deployment);

} // namespace nestwright::ui
