/// Making HDF5 files: checked calls, texts of fixed length, and the attributes by which xarray finds the
/// names of dimensions. Private to the io layer.
#pragma once

#include <algorithm>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "hdf5_handle.hpp"

namespace tasfg {

/// A call of the HDF5 library failed while a file was being made: as a rule the disk is full.
class CreationFailure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

template <typename Id>
Id must(Id id, std::string_view what) {
  if (id < 0) throw CreationFailure(std::string(what));
  return id;
}

/// Texts have a fixed length everywhere: those of variable length live in HDF5's global heap, which does not
/// notice damage.
inline Handle text_type(std::size_t bytes, H5T_str_t padding = H5T_STR_NULLPAD,
                        H5T_cset_t set = H5T_CSET_UTF8) {
  Handle type(must(H5Tcopy(H5T_C_S1), "type"), &H5Tclose);
  must(H5Tset_size(type, std::max<std::size_t>(1, bytes)), "type");
  must(H5Tset_strpad(type, padding), "type");
  must(H5Tset_cset(type, set), "type");
  return type;
}

/// Access without HDF5's own locks: they fail on some file systems, and our own lock guards the writer.
/// Object headers are of the kind that carries checksums.
inline Handle file_access() {
  Handle access(must(H5Pcreate(H5P_FILE_ACCESS), "access"), &H5Pclose);
  must(H5Pset_file_locking(access, false, true), "access");
  must(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_LATEST), "access");
  // Small datasets would wait in a buffer until they are closed, and a write that fails then is not told.
  must(H5Pset_sieve_buf_size(access, 0), "access");
  return access;
}

/// Has a group keep the names of what it holds, and its attributes, in its header, which carries a checksum.
/// More than eight would go into heaps and trees, and HDF5 1.10, and with it h5py, does not survive every
/// damaged one of those.
inline void keep_in_header(hid_t creation) {
  constexpr unsigned kAttributes = 64, kNames = 1000;
  must(H5Pset_attr_phase_change(creation, kAttributes, 0), "group");
  must(H5Pset_link_phase_change(creation, kNames, 0), "group");
}

/// Flags are those of H5Fcreate.
inline Handle make_file(const std::string& path, unsigned flags) {
  const Handle creation(must(H5Pcreate(H5P_FILE_CREATE), "file"), &H5Pclose);
  keep_in_header(creation);
  return {must(H5Fcreate(path.c_str(), flags, creation, file_access()), "file"), &H5Fclose};
}

inline void make_group(hid_t file, const std::string& name) {
  const Handle creation(must(H5Pcreate(H5P_GROUP_CREATE), name), &H5Pclose);
  keep_in_header(creation);
  const Handle made(must(H5Gcreate2(file, name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT), name),
                    &H5Gclose);
}

inline void write_attribute(hid_t object, const std::string& name, hid_t type, const void* value) {
  const Handle space(must(H5Screate(H5S_SCALAR), name), &H5Sclose);
  const Handle attribute(must(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), name),
                         &H5Aclose);
  must(H5Awrite(attribute, type, value), name);
}
inline void write_attribute(hid_t object, const std::string& name, std::string_view text) {
  const std::string owned(text);  // with a closing zero, where the text is empty
  write_attribute(object, name, text_type(owned.size()), owned.c_str());
}
template <typename T>
void write_list(hid_t object, const std::string& name, hid_t type, const std::vector<T>& values) {
  const hsize_t count = values.size();
  const Handle space(must(H5Screate_simple(1, &count, nullptr), name), &H5Sclose);
  const Handle attribute(must(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT), name),
                         &H5Aclose);
  must(H5Awrite(attribute, type, values.data()), name);
}

/// Contiguous, with attributes beside the dataset, not in a heap.
inline Handle creation_list() {
  Handle creation(must(H5Pcreate(H5P_DATASET_CREATE), "dataset"), &H5Pclose);
  must(H5Pset_layout(creation, H5D_CONTIGUOUS), "dataset");
  must(H5Pset_attr_phase_change(creation, 64, 0), "dataset");
  return creation;
}

inline void name_scale(hid_t dataset, const std::string& name) {
  write_attribute(dataset, "NAME", text_type(name.size() + 1, H5T_STR_NULLTERM, H5T_CSET_ASCII),
                  name.c_str());
}
inline void mark_scale(hid_t dataset, const std::string& name, std::int32_t id) {
  constexpr char kClass[] = "DIMENSION_SCALE";
  write_attribute(dataset, "CLASS", text_type(sizeof kClass, H5T_STR_NULLTERM, H5T_CSET_ASCII), kClass);
  name_scale(dataset, name);
  write_attribute(dataset, "_Netcdf4Dimid", H5T_STD_I32LE, &id);
}

}  // namespace tasfg
