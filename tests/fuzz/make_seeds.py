"""Seed inputs for the fuzzers: make_seeds.py CSV_FOLDER HDF5_FOLDER."""

import pathlib
import sys

import h5py
import numpy as np

CSV = {
    "identity": "1,0\n0,1\n",
    "ring": "0,0.3,0.7\n0.7,0,0.3\n0.3,0.7,0\n",
    "decorated": "\ufeff# a comment\r\n\r\n 1e-3 ,\t0.5, +1\r\n0,0,0\r\n.25,1E0,5e-1\r\n",
    "ragged": "1,0\n0\n",
    "outside": "1,2\nnan,-0.5\n",
    "one": "1\n",
    "long": ",".join(["0.1"] * 40) + "\n",
    "empty": "\n",
}


def write_hdf5(folder: pathlib.Path) -> None:
    """Small valid graphs in the layouts that h5py writes, and files that must be refused."""
    ring = np.array([[0, 0.3, 0.7], [0.7, 0, 0.3], [0.3, 0.7, 0]])

    def write(name: str, fill, **options) -> None:
        with h5py.File(folder / f"{name}.h5", "w", **options) as file:
            fill(file)

    write("plain", lambda f: f.create_dataset("G", data=ring))
    write("latest", lambda f: f.create_dataset("G", data=ring), libver="latest")
    write("float32", lambda f: f.create_dataset("G", data=ring.astype(">f4")))
    write("half", lambda f: f.create_dataset("G", data=ring.astype("f2")))
    write("integer", lambda f: f.create_dataset("G", data=np.eye(3, dtype="u1")))
    write("boolean", lambda f: f.create_dataset("G", data=np.eye(3, dtype=bool)))
    write("chunked", lambda f: f.create_dataset("G", data=ring, chunks=(2, 2), maxshape=(None, None)))
    write("packed", lambda f: f.create_dataset("G", data=ring, chunks=(3, 3), compression="gzip", shuffle=True, fletcher32=True))
    write("packed-latest", lambda f: f.create_dataset("G", data=ring, chunks=(2, 3), compression="gzip"), libver="latest")
    write("scaled", lambda f: f.create_dataset("G", data=ring, chunks=(3, 3), scaleoffset=4))
    write("unwritten", lambda f: f.create_dataset("G", shape=(3, 3), dtype="f8", fillvalue=0.5))
    write("huge", lambda f: f.create_dataset("G", shape=(2**31, 2**31), dtype="f8", chunks=(64, 64)))
    write("huge-chunk", lambda f: f.create_dataset("G", shape=(3, 3), maxshape=(None, None), dtype="f8", chunks=(16384, 16384)))
    write("text", lambda f: f.create_dataset("G", data=["a", "b"], dtype=h5py.string_dtype()))
    write("ragged", lambda f: f.create_dataset("G", shape=(2, 2), dtype=h5py.vlen_dtype(np.float64)))
    write("compound", lambda f: f.create_dataset("G", shape=(2, 2), dtype=[("a", "f8"), ("b", "i4")]))
    write("reference", lambda f: f.create_dataset("G", shape=(2, 2), dtype=h5py.ref_dtype))
    write("empty", lambda f: f.create_dataset("G", data=h5py.Empty("f8")))
    write("scalar", lambda f: f.create_dataset("G", data=1.0))
    write("group", lambda f: f.create_group("G"))

    def links(file) -> None:
        file["real"] = ring
        file["G"] = h5py.SoftLink("/G")
        file["far"] = h5py.ExternalLink("plain.h5", "/G")

    write("links", links)

    def virtual(file) -> None:
        layout = h5py.VirtualLayout(shape=(3, 3), dtype="f8")
        layout[:] = h5py.VirtualSource("plain.h5", "G", shape=(3, 3))
        file.create_virtual_dataset("G", layout)

    write("virtual", virtual)


def main() -> None:
    csv, hdf5 = map(pathlib.Path, sys.argv[1:3])
    for folder in (csv, hdf5):
        folder.mkdir(parents=True, exist_ok=True)
    for name, text in CSV.items():
        (csv / f"{name}.csv").write_bytes(text.encode())
    write_hdf5(hdf5)


if __name__ == "__main__":
    main()
