#pragma once
/// \file What a new session tunes: a network, a file or an operator, others together with it, and
/// what is known of them before the session is made. It says at once what is wrong.

#include "ui/window/new_session/catalogue.h"
#include "ui/window/new_session/effort_form.h"

#include <QGroupBox>

#include <array>
#include <string>
#include <vector>

class QLabel;
class QLineEdit;
class QMimeData;
class QRadioButton;

namespace nestwright {
struct PreviewWish;
} // namespace nestwright

namespace nestwright::ui {

class PreviewForm;
class SubgraphForm;
class SubjectForm;

/// A network file that we can read, by its name.
bool isModelFile(const QString& path);
/// The one file with a model or an operator that is dragged; empty where that is none.
QString droppedModel(const QMimeData* data);

class SubjectChoice : public QGroupBox {
  Q_OBJECT
 public:
  explicit SubjectChoice(Catalogue catalogue, QWidget* parent = nullptr);

  /// The choice and what is tuned together with it, as on the command line.
  std::vector<std::string> subjects() const;
  /// Shows the first as the choice, which stays without one, and the others beside it.
  void setSubjects(const std::vector<std::string>& subjects);
  /// Shows this network, operator or file as the choice; the others stay.
  void setSubject(const QString& subject);
  /// What a document of these subjects may be called: "resnet18+bert_base". May be empty.
  QString documentName() const;

  /// Looks at the subjects, if nothing is wrong with the fields, and says what is wrong. Of the
  /// wish, all but its subjects is taken.
  void look(PreviewWish wish);
  /// Why they cannot be tuned, as far as that is known; empty when they can.
  QString problem() const;
  PreviewForm* preview() const { return preview_; }
  /// Offered for a file of which some operators are not supported.
  SubgraphForm* subgraphs() const { return subgraphs_; }
  /// The tasks, as far as they are known.
  TaskCount count() const;

 Q_SIGNALS:
  /// Another choice, or others with it.
  void changed();

 private:
  enum Kind { Network, File, Operator };
  QWidget* buildFilePage();
  void setKind(Kind kind);
  Kind kind() const;
  QString subject() const;
  QString subjectProblem() const;
  QString furtherProblem() const;
  /// What is wrong with what was typed.
  QString fieldsProblem() const;
  /// Offers to cut the file where some of its operators are not supported.
  void offerSubgraphs();

  Catalogue catalogue_;
  std::array<QRadioButton*, 3> kinds_;
  std::array<QWidget*, 3> pages_;
  SubjectForm *network_, *operator_;
  QLineEdit *model_, *further_;
  QLabel* problem_;
  SubgraphForm* subgraphs_;
  PreviewForm* preview_;
};

} // namespace nestwright::ui
