#pragma once
/// \file What is to be deployed, where to, and how the library is to be. Every field says at once
/// what is wrong with it.

#include "core/deploy/deploy_library.h"
#include "core/deploy/tuned_subjects.h"

#include <QWidget>

#include <vector>

class QCheckBox;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace nestwright::ui {

class ProcessorChoice;

class DeployForm : public QWidget {
  Q_OBJECT
 public:
  explicit DeployForm(QWidget* parent = nullptr);

  /// Offers these, and chooses the first of this spec, or the first.
  void setSubjects(std::vector<TunedSubject> subjects, const std::string& chosen);
  /// All but the file with the records. Its folder is absolute.
  DeployWish wish() const;
  /// Empty when the fields are right, else what has to be done.
  QString problem() const;
  /// Looks again at what is where the library is to go.
  void lookAtFolder();

 Q_SIGNALS:
  void changed();

 private:
  QWidget* buildPlace();
  QWidget* buildProcessors();
  QWidget* buildLoops();
  QWidget* buildWishes();
  void followSubject();
  void followName();
  void browse();
  void tell();
  /// What is chosen; null while nothing is.
  const TunedSubject* subject() const;
  bool isForGpu() const;
  /// Why what is chosen cannot be an operator of ONNX Runtime; empty when it can.
  QString whyNotOnnx() const;
  QString nameProblem() const;
  QString folderProblem() const;
  QString processorProblem() const;
  QString folder() const;

  std::vector<TunedSubject> subjects_;
  PlaceTaken taken_ = PlaceTaken::Free;
  bool isNameOurs_ = true, isFolderOurs_ = true; // nobody has set it by hand
  QComboBox *subject_, *threads_;
  ProcessorChoice* processors_;
  QLineEdit *name_, *folder_;
  QLabel *nameProblem_, *folderProblem_, *processorProblem_;
  QSpinBox *cores_, *least_;
  QCheckBox *replace_, *embed_, *onnxRuntime_, *naive_;
};

} // namespace nestwright::ui
