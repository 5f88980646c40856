#pragma once
/// \file Small files that we make beside a person's file: locks, and what is not complete yet. The
/// folder may come from somebody else, so whatever lies there under such a name is looked at before
/// it is trusted: nothing is written through a link, and nothing waits for a pipe.

#include <string>

namespace nestwright {

/// Opens the file at `path` for reading and writing, making it when there is none, and changes
/// nothing in it. It is a regular file that has this one name. Throws SystemError that says what is
/// in the way: a symbolic link, a folder, a pipe, a device, a file with a second name.
int openOwnFile(const std::string& path);

/// Makes an empty file of this name, open for reading and writing. Throws SystemError when anything
/// has the name already.
int makeOwnFile(const std::string& path);

/// True while the open file is the one of this name: others may have removed or replaced it.
bool isFileAt(int descriptor, const std::string& path);

/// Renames without replacing, in one step where the file system can. 0, or -1 with errno, which is
/// EEXIST where something has the name. `once` is renameat2() with RENAME_NOREPLACE.
int renameNew(const std::string& from, const std::string& to,
              int (*once)(const char* from, const char* to) = nullptr);

/// Returns when the file, or the names in the folder, are on the disk; at once where it cannot be
/// opened.
void syncPath(const std::string& path);

} // namespace nestwright
