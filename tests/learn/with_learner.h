#pragma once
/// \file Tests of what the learner does. Where it is not built, they say so and are skipped.

#include "core/worker/own_program.h"

#include <QtTest>

#define NW_NEED_LEARNER()                                                                          \
  if (!::nestwright::ownProgram("nestwright-learner"))                                             \
  QSKIP("the learner is not built here: Debian's libtorch-dev and libopenblas0-pthread are missing")
