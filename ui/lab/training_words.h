#pragma once
/// \file A training in sentences: what it learned from, what it differs in, what came out and what
/// went wrong.

#include "ui/lab/training_list.h"

namespace nestwright::ui {

/// Its lines, the most important first.
QStringList trainingLines(const Training& training);
/// Why a stopped or failed one can be gone on with, or cannot; empty of others.
QString goingOnText(const Training& training);

} // namespace nestwright::ui
