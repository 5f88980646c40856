#pragma once
/// \file What the command palette finds: commands, tasks, sessions, records, and what the views
/// offer.

namespace nestwright::ui {

class Actions;
class CommandPalette;
class Document;
class PanelHost;
class RecordFinder;

/// All of them live as long as the palette.
void fillPalette(CommandPalette& palette, Document& document, PanelHost& host, Actions& actions,
                 RecordFinder& finder);

} // namespace nestwright::ui
