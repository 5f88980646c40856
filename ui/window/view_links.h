#pragma once
/// \file The few connections between views that do not go through the document: rows that one
/// lists and others draw, regions that are swept, and panels that come to the front.

namespace nestwright {
struct Guidance;
}

namespace nestwright::ui {

class Document;
class PanelHost;

void linkViews(Document& document, PanelHost& host);
/// Brings what the guidance is about to the front: records, or a roofline.
void showPlace(PanelHost& host, const Guidance& guidance);

} // namespace nestwright::ui
