#pragma once
/// \file Tests that compile for a GPU, where there is a compiler.

#include "plugins/cuda/compile/nvrtc.h"

#include <QTest>

/// Skips the test, with the reason, where NVRTC cannot be used.
#define NEEDS_NVRTC                                                                                \
  if (const auto& status = nestwright::cuda::Nvrtc::instance().status(); !status.found)            \
  QSKIP(status.reason.c_str())
