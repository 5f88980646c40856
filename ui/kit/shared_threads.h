#pragma once
/// \file Threads for work that cannot be interrupted, and that whoever asked for it does not wait
/// for.

class QThreadPool;

namespace nestwright::ui {

/// They outlive every window, and are waited for when the application ends. Not Qt's global ones:
/// painting scales pixmaps on those, and would wait for the work where there are few.
QThreadPool* sharedThreads();

} // namespace nestwright::ui
