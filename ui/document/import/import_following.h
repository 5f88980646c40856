#pragma once
/// \file A document while logs are taken into its file: what an import has to do with what is
/// shown.

namespace nestwright::ui {

class Document;
class Importer;

/// Records are being taken into the document at hand.
bool isImporting(const Document& document);
/// Whether what the importer says is about the document at hand.
bool isAbout(const Importer& importer, const Document& document);
/// Brings up what the importer makes: opens its file, or shows its session, as soon as there are
/// records, once an import. What is looked at then is the user's choice.
void followImports(Document& document, Importer& importer);

} // namespace nestwright::ui
