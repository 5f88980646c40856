#pragma once
/// \file What the file system under a record file can do, and how much room it has.

#include <cstdint>
#include <string>

namespace nestwright {

/// The folder that the file is in: "." for a name alone.
std::string folderOf(const std::string& path);

/// "NFS", "SMB", "FUSE", …: the kind of network file system with this number of statfs(2); empty
/// for local ones.
std::string networkFileSystem(std::int64_t statfsType);

/// The kind of network file system that the file or, where there is none, its folder is on; empty
/// for local ones, or when it cannot be told.
std::string networkFileSystemOf(const std::string& path);

/// Whether SQLite's write-ahead log works there: it needs memory that all its users share, which
/// those of a network file system do not. The environment variable NESTWRIGHT_JOURNAL decides
/// otherwise: "wal" where a share is known to be used by one computer only, "rollback" for a
/// network file system that is not recognised.
bool allowsLog(const std::string& path);

/// What the user of a file on a network file system should know; empty for others.
std::string fileSystemNote(const std::string& path);

/// The file's real name, which links lead to: its log lies beside that. The name itself where there
/// is no such file.
std::string realPath(const std::string& path);

/// Bytes that can be written in the folder of the file; -1 when that cannot be told.
std::int64_t freeBytes(const std::string& path);

} // namespace nestwright
