#pragma once
/// \file Which processors a library is for: this one, or one and more levels of x86-64, each with
/// code of its own.

#include "core/deploy/deploy_options.h"

#include <QWidget>

#include <vector>

class QCheckBox;

namespace nestwright::ui {

class ProcessorChoice : public QWidget {
  Q_OBJECT
 public:
  explicit ProcessorChoice(QWidget* parent = nullptr);

  /// As arrangedSets() has them; empty while none is ticked.
  std::vector<InstructionSet> chosen() const;
  void choose(const std::vector<InstructionSet>& sets);

 Q_SIGNALS:
  void changed();

 private:
  struct Box {
    InstructionSet set;
    QCheckBox* box;
  };
  /// This one stands alone.
  void follow(const Box& ticked);

  std::vector<Box> boxes_;
};

} // namespace nestwright::ui
