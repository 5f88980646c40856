#pragma once
/// \file A kernel of a GPU as a drawing: its grid over the output, one block's tile with the
/// threads that compute it, and one thread's elements, each beside the room that its level has.
/// Blocks and threads can be chosen.

#include "ui/program/launch/launch_scene.h"

#include <QWidget>

#include <optional>

namespace nestwright::ui {

class LaunchDrawing : public QWidget {
  Q_OBJECT
 public:
  explicit LaunchDrawing(QWidget* parent = nullptr);

  /// The block and the thread that were chosen stay, where the kernel has them.
  void show(const KernelPicture& kernel, const KernelFacts& facts, const GpuFacts& gpu);
  void showMessage(const QString& why);
  void choose(std::int64_t block, std::int64_t thread);
  /// What is shown; nothing while there is a message instead.
  const std::optional<LaunchScene>& scene() const { return scene_; }
  const QString& message() const { return message_; }
  /// What is chosen, in words: for the line below the drawing and for those who do not see it.
  QString readout() const;

  void draw(QPainter& painter, QSize size);
  QSize sizeHint() const override { return {640, 320}; }
  QSize minimumSizeHint() const override { return {300, 170}; }

 Q_SIGNALS:
  /// Another block, thread or kernel is looked at.
  void chosen();

 protected:
  void paintEvent(QPaintEvent* event) override;
  void mousePressEvent(QMouseEvent* event) override;
  void mouseMoveEvent(QMouseEvent* event) override;
  void keyPressEvent(QKeyEvent* event) override;
  bool event(QEvent* event) override; // tool tips

 private:
  void tell();
  QString tipAt(const QPointF& position) const;

  std::optional<LaunchScene> scene_;
  QString message_;
};

} // namespace nestwright::ui
