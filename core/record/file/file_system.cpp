#include "core/record/file/file_system.h"

#include <fmt/format.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <string_view>

namespace nestwright {

namespace {

struct NetworkType {
  std::int64_t number;
  const char* name;
};

/// From linux/magic.h and the file systems' own sources; FUSE may be local, but cannot be told from
/// sshfs by its number, and the other journal is right there as well.
constexpr NetworkType kNetworkTypes[] = {
    {0x6969, "NFS"},           {0x517b, "SMB"},        {0xff534d42, "CIFS"},
    {0xfe534d42, "SMB 2"},     {0x65735546, "FUSE"},   {0x01021997, "9P"},
    {0x00c36400, "Ceph"},      {0x0bd00bd0, "Lustre"}, {0x47504653, "GPFS"},
    {0x5346414f, "AFS"},       {0x6b414653, "AFS"},    {0x73757245, "Coda"},
    {0x7461636f, "OCFS2"},     {0x19830326, "BeeGFS"}, {0x564c, "NCP"},
    {0x01161970, "GFS2"},      {0xaad7aaea, "PanFS"},  {0xbacbacbc, "VMware"},
    {0x786f4256, "VirtualBox"}};

} // namespace

std::string folderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

std::string networkFileSystem(std::int64_t statfsType) {
  // The field is signed on some machines, the numbers have 32 bits.
  for (const NetworkType& type : kNetworkTypes)
    if (type.number == (statfsType & 0xffffffff)) return type.name;
  return {};
}

std::string networkFileSystemOf(const std::string& path) {
  struct statfs status {};
  if (statfs(path.c_str(), &status) != 0 && statfs(folderOf(path).c_str(), &status) != 0) return {};
  return networkFileSystem(std::int64_t(status.f_type));
}

bool allowsLog(const std::string& path) {
  const char* chosen = std::getenv("NESTWRIGHT_JOURNAL");
  if (chosen != nullptr && std::string_view(chosen) == "wal") return true;
  if (chosen != nullptr && std::string_view(chosen) == "rollback") return false;
  return networkFileSystemOf(path).empty();
}

std::string fileSystemNote(const std::string& path) {
  const std::string kind = networkFileSystemOf(path);
  if (kind.empty()) return {};
  return fmt::format("{} is on a network file system ({}): storing is slower there, readers and "
                     "writers wait for one another, and only one computer should use the file at "
                     "a time; a copy on a local disk has no such limits",
                     path, kind);
}

std::string realPath(const std::string& path) {
  std::error_code unknown;
  const std::filesystem::path real = std::filesystem::canonical(path, unknown);
  return unknown ? path : real.string();
}

std::int64_t freeBytes(const std::string& path) {
  struct statvfs status {};
  if (statvfs(folderOf(path).c_str(), &status) != 0) return -1;
  return std::int64_t(status.f_bavail) * std::int64_t(status.f_frsize);
}

} // namespace nestwright
