"""Seed inputs and dictionaries for the fuzzers: make_seeds.py FOLDER TASFG. Each goes where its target looks for it."""

import pathlib
import subprocess
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
MATRIX_MARKET = {
    "coordinate": "%%MatrixMarket matrix coordinate real general\n% a comment\n2 2 3\n1 1 0.5\n2 1 1\n2 2 1e-3\n",
    "pattern": "%%MatrixMarket matrix coordinate pattern symmetric\n3 3 3\n1 1\n2 2\n3 1\n",
    "array": "%%MatrixMarket matrix array real general\n2 2\n0\n1\n1\n0\n",
    "packed": "%%MatrixMarket matrix array integer symmetric\n2 2\n1\n0\n1\n",
}
PLAIN_WORDS = (
    "%%MatrixMarket matrix coordinate array real integer pattern general symmetric 'descr': 'fortran_order': 'shape': True "
    "False '<f8' '|b1' '<i4' 1e-308 nan inf -1 4096 0.5"
).split()

JOBS = {
    "small": 'algorithms = []\n[[graph]]\nfamily = "ring"\n',
    "settings": 'name = "x"\nseed = 1\nreplications = 2\nmax_steps = 10\ndelta = [0.1, 0.01]\nsetting = "known-graph"\n'
    'threshold = "proven"\nstream = "philox"\nalgorithms = ["tas-fg", "eps-greedy"]\n[[graph]]\nfamily = "bandit"\n'
    'K = [2, 3]\nreward = ["gaussian", "exponential"]\nvariance = 2\nmeans = [1, 2]\n'
    '[algorithm."tas-fg"]\nperiod = 5\ntracking = "c"\n[convention]\n"exp3.g" = "reference"\n',
    "ranges": 'algorithms = []\nlog_inv_delta = { from = 1, to = 7, count = 3 }\n[[graph]]\nfamily = "random"\n'
    'K = { from = 2, to = 4, count = 3 }\np = { from = 0.1, to = 1, count = 3, scale = "log" }\nseed = 3\n',
    "expressions": 'algorithms = []\n[[graph]]\nfamily = "loopy-star"\nK = "2^2+1"\np = "min(q/2, 1)"\nq = ["r", 0.3]\n'
    'r = "floor(K/2)/K - exp(-log(10)) + abs(-0.01)*sqrt(4)*pi/e"\n',
    "overrides": 'algorithms = ["uniform"]\n[[graph]]\nfamily = "loopless-clique"\n--set graph[0].K=[5, 6]\n'
    "--set graph.p=1/K\n--set algorithm.uniform.x=1\n--set delta=0.1\n--set conventions=reference\n",
    "file": 'algorithms = []\n[[graph]]\nfamily = "file"\npath = ["a.csv", "b.h5:G"]\n',
    "strings": 'name = """a\\\n b"""\nalgorithms = [\'uniform\']\ngraph = [{family = \'full\', K.x = 3}]\n',
    "dotted": 'algorithms = []\nalgorithm."tas-fg".period = 2\na.b.c.d = 1979-05-27\n[[graph]]\nfamily = "full"\n',
}
JOB_WORDS = (
    "name seed replications log_inv_delta delta algorithms setting conventions threshold stream max_steps reward means "
    "variance [[graph]] family [algorithm.uniform] [convention] from to count scale log linear K p q r path parity "
    "bandit full apple-tasting revealing-action ring loopless-clique loopy-star loopy-star-alt symmetric random file "
    "gaussian bernoulli poisson exponential paper reference numpy informed uninformed known-graph min( max( abs( sqrt( "
    "floor( ceil( exp( log( pi e ^ 1e308 1e-308 -1 nan inf 9223372036854775807 {from=0,to=1,count=2}"
).split()


def write_plain(folder: pathlib.Path) -> None:
    for kind, texts in (("csv", CSV), ("mtx", MATRIX_MARKET)):
        for name, text in texts.items():
            (folder / f"{name}.{kind}").write_bytes(text.encode())
    matrix = np.array([[0.25, 1], [0, 0.5]])
    for name, array in {"float": matrix, "single": matrix.astype("f4"), "truth": matrix > 0, "columns": np.asfortranarray(matrix),
                        "vector": np.arange(3), "cube": np.zeros((2, 2, 2)), "none": np.zeros((0, 2))}.items():
        np.save(folder / f"{name}.npy", array)


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


RESULT_JOB = """seed = 1
replications = 2
delta = [0.1]
algorithms = ["uniform"]
{more}
[[graph]]
family = "bandit"
K = {K}
"""


def write_results(folder: pathlib.Path, program: str) -> None:
    """Small result files: whole, one shard, with every dataset, with runs that failed or do not fit."""

    def sweep(name: str, K: str, more: str, *options: str) -> None:
        job, out = folder / "job.toml", folder / f"{name}.h5"
        job.write_text(RESULT_JOB.format(K=K, more=more))
        out.unlink(missing_ok=True)
        subprocess.run([program, "sweep", job, "-o", out, "-q", "--threads", "1", *options], check=True)
        job.unlink()

    sweep("whole", "2", "")
    sweep("shard", "[2, 3]", "", "--shard", "0/2")
    sweep("full", "2", "pulls_by_delta = true\ncheckpoints = [5, 10]")
    sweep("odd", "2", "")
    with h5py.File(folder / "odd.h5", "r+") as file:
        file["runs/status"][0, 0, :] = [3, 77]
        file["failures/case"][:3] = [0, 1_000_000, -7]
        file["live/status"][()] = b"running"


def main() -> None:
    out, program = pathlib.Path(sys.argv[1]), sys.argv[2]
    folders = {}
    for target in ("graph_plain", "graph_hdf5", "job", "result_file"):
        folders[target] = out / f"fuzz_{target}.seeds"
        folders[target].mkdir(parents=True, exist_ok=True)
    write_plain(folders["graph_plain"])
    write_hdf5(folders["graph_hdf5"])
    write_results(folders["result_file"], program)
    for name, text in JOBS.items():
        (folders["job"] / f"{name}.toml").write_text(text)
    for job in (pathlib.Path(__file__).parents[2] / "jobs").glob("*.toml"):
        (folders["job"] / job.name).write_bytes(job.read_bytes())
    for target, words in (("graph_plain", PLAIN_WORDS), ("job", [*JOB_WORDS, " = ", "--set "])):
        (out / f"fuzz_{target}.dict").write_text("".join(f'"{word}"\n' for word in words))


if __name__ == "__main__":
    main()
