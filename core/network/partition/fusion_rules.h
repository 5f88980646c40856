#pragma once
/// \file Which operators fusion treats alike (handbook/ansor.md 11.2).

#include "core/network/graph/graph.h"

namespace nestwright {

/// One result an element, from elements at the same place: it joins what makes them.
bool isElementwise(OpKind kind);
/// It does work that others join: no two of them are in one kernel.
bool isAnchor(OpKind kind);
/// Reads each element of its data once, so that computing it on the fly costs nothing.
bool readsOnce(OpKind kind);

} // namespace nestwright
