#include "ui/kit/importance_editor.h"

#include <QDialog>
#include <QDialogButtonBox>
#include <QLabel>
#include <QVBoxLayout>

namespace nestwright::ui {

ImportanceEditor::ImportanceEditor(QWidget* parent) : QDoubleSpinBox(parent) {
  setRange(0, kLargest);
  setDecimals(kDecimals);
  setSingleStep(0.5);
  setSuffix(QStringLiteral("×"));
  setAccessibleName(tr("Importance"));
  setToolTip(explanation());
}

QString ImportanceEditor::explanation() {
  return tr("Your multiplier of what the task's gain counts in the scheduler's choice, from the "
            "next one on: 1 as it is, 2 twice, 0: the task gets no rounds.");
}

std::optional<double> askImportance(QWidget* parent, const QString& task, double now) {
  QDialog dialog(parent);
  dialog.setWindowTitle(ImportanceEditor::tr("Task Importance"));
  auto* what = new QLabel(QStringLiteral("%1\n%2").arg(task, ImportanceEditor::explanation()));
  what->setTextFormat(Qt::PlainText);
  what->setWordWrap(true);
  auto* editor = new ImportanceEditor;
  editor->setValue(now);
  editor->selectAll();
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Ok | QDialogButtonBox::Cancel);
  QObject::connect(buttons, &QDialogButtonBox::accepted, &dialog, &QDialog::accept);
  QObject::connect(buttons, &QDialogButtonBox::rejected, &dialog, &QDialog::reject);
  auto* column = new QVBoxLayout(&dialog);
  for (QWidget* widget : std::initializer_list<QWidget*>{what, editor, buttons})
    column->addWidget(widget);
  if (dialog.exec() != QDialog::Accepted) return std::nullopt;
  return editor->value();
}

} // namespace nestwright::ui

#include "moc_importance_editor.cpp"
