#include "ui/window/new_session/subgraph_form.h"

#include "core/network/graph/spec.h"
#include "core/network/onnx/subgraphs.h"
#include "ui/kit/form_parts.h"
#include "ui/kit/shared_threads.h"
#include "ui/kit/text.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

namespace nestwright::ui {

namespace {

/// Empty where nothing is worth cutting out.
std::vector<std::string> writtenSubgraphs(const std::string& model) {
  const Spec spec = parseSpec(model);
  const OnnxSubgraphs found = onnxSubgraphs(spec.name, {spec.parameters, {}});
  if (found.subgraphs.empty()) return {};
  return writeSubgraphs(found, spec.name, subgraphFolder(spec.name));
}

} // namespace

SubgraphForm::SubgraphForm(QWidget* parent)
    // Reading a model cannot be interrupted: who goes on does not wait for it.
    : QWidget(parent), cutting_(this, sharedThreads()),
      cut_(textButton(this, tr("Cut Out What Can Be Tuned"),
                      tr("Writes what can be imported of the model as ONNX files into a folder "
                         "beside it, and tunes these. Deployed for ONNX Runtime they take their "
                         "places in the whole model."))),
      outcome_(sentenceLabel(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins({});
  row->addWidget(cut_, 0, Qt::AlignTop);
  row->addWidget(outcome_, 1);
  connect(cut_, &QToolButton::clicked, this, &SubgraphForm::cut);
  setModel({});
}

void SubgraphForm::setModel(const QString& model) {
  setVisible(!model.isEmpty());
  if (model == model_) return;
  model_ = model;
  cutting_.cancel();
  tell({});
}

void SubgraphForm::cut() {
  cutting_.ask<std::vector<std::string>>(
      [model = model_.toStdString()](const Job&) { return writtenSubgraphs(model); },
      [this](const std::vector<std::string>& files) {
        tell(files.empty() ? tr("Nothing in this model is worth cutting out.") : QString());
        if (!files.empty()) Q_EMIT filesWritten(files);
      },
      [this](const QString& why) { tell(why); });
  tell(tr("Cutting …"));
}

void SubgraphForm::tell(const QString& outcome) {
  cut_->setEnabled(!cutting_.isBusy());
  sayOrHide(outcome_, outcome);
}

} // namespace nestwright::ui

#include "moc_subgraph_form.cpp"
