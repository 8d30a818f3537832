"""`tasfg solve` and `tasfg list` as a user meets them: output, and every way to get it wrong."""

import json
import os
import re
import subprocess
import zlib

import h5py
import numpy as np
import pandas
import pytest
import scipy.io
import scipy.sparse

TASFG = os.environ["TASFG"]


def tasfg(*arguments):
    return subprocess.run([TASFG, *map(str, arguments)], capture_output=True, text=True)


def test_json_has_the_promised_keys():
    out = json.loads(tasfg("solve", "--graph", "ring", "-P", "K=5", "-P", "p=0.3", "--json").stdout)
    for key in ("T_star", "T_star_lower", "omega", "m", "best", "T_heuristic", "omega_heuristic", "T_uniform",
                "iterations", "status"):
        assert key in out
    assert out["T_star"] == pytest.approx(190.319147, rel=1e-8)
    assert out["T_star_lower"] <= out["T_star"]
    assert out["best"] == 4
    assert sum(out["omega"]) == pytest.approx(1)
    assert out["graph"]["alpha"] == 2 and out["graph"]["weak_domination"] == 3


def test_table_is_for_people():
    out = tasfg("solve", "--graph", "symmetric").stdout
    assert "T*" in out and "not unique" in out and "nan" not in out.lower()


def test_conventions_choose_the_parity_and_P_overrides():
    def clique(*more):
        return json.loads(tasfg("solve", "--graph", "loopless-clique", *more, "--json").stdout)["T_star"]

    assert clique() == pytest.approx(128.133333, rel=1e-8)
    assert clique("--conventions", "reference") == pytest.approx(128.014787, rel=1e-8)
    assert clique("--conventions", "reference", "-P", "parity=paper") == clique()


def test_an_inadmissible_allocation_is_null_not_infinity():
    out = json.loads(tasfg("solve", "--graph", "bandit", "--json").stdout)
    assert out["T_argmax"] is None


def test_list_names_every_family():
    out = tasfg("list").stdout
    for name in ("bandit full apple-tasting revealing-action ring loopless-clique loopy-star loopy-star-alt "
                 "symmetric random torus k-regular power-law geometric file gaussian bernoulli poisson exponential").split():
        assert name in out


def test_every_kind_of_file_gives_the_same_graph(tmp_path):
    chance = np.random.default_rng(4)
    G = np.where(chance.random((5, 5)) < 0.6, chance.uniform(0.1, 1, (5, 5)), 0.0)
    np.fill_diagonal(G, 0.5)
    G[0, 4] = 0.75  # no symmetry: rows and columns must not be taken for each other
    G[4, 0] = 0.0
    frame = pandas.DataFrame(G, index=list("abcde"), columns=list("abcde"))
    v, u = np.nonzero(G)
    np.savetxt(tmp_path / "plain.csv", G, delimiter=",", fmt="%.17g")
    np.savetxt(tmp_path / "savetxt.txt", G)
    np.savetxt(tmp_path / "semicolons.csv", G, delimiter=";", fmt="%.17g")
    frame.to_csv(tmp_path / "pandas.csv")
    frame.to_csv(tmp_path / "header.csv", index=False)
    frame.to_csv(tmp_path / "index.csv", header=False)
    pandas.DataFrame(G).to_csv(tmp_path / "numbered.csv")
    pandas.DataFrame({"from": v, "to": u, "probability": G[v, u]}).to_csv(tmp_path / "edges.csv", index=False)
    np.save(tmp_path / "G.npy", G)
    np.save(tmp_path / "columns.npy", np.asfortranarray(G))
    scipy.io.mmwrite(tmp_path / "coordinate.mtx", scipy.sparse.coo_matrix(G), precision=17)
    scipy.io.mmwrite(tmp_path / "array.mtx", G, precision=17)
    found = {}
    for path in sorted(tmp_path.iterdir()):
        done = tasfg("solve", "--graph-file", path, "--means", "0.1,0.2,0.3,0.4,0.5", "--json")
        assert done.returncode == 0 and done.stderr == "", (path, done.stderr)
        found[path.name] = json.loads(done.stdout)
        np.testing.assert_array_equal(found[path.name]["G"], G if path.name != "savetxt.txt" else np.loadtxt(path))
    assert len(found) == 12


def test_means_come_from_a_file_or_are_said(tmp_path):
    (tmp_path / "G.csv").write_text("1,0,0\n0,1,0\n0,0,1\n")
    done = tasfg("solve", "--graph-file", tmp_path / "G.csv", "--json")
    assert json.loads(done.stdout)["means"] == [0, 0.5, 1]
    assert "means rise from 0 to 1 in equal steps, vertex 2 is best" in done.stderr and done.stderr.count("\n") == 1
    np.save(tmp_path / "means.npy", np.array([0.1, 0.9, 0.4]))
    np.savetxt(tmp_path / "means.txt", [0.1, 0.9, 0.4])
    for name in ("means.npy", "means.txt"):
        done = tasfg("solve", "--graph-file", tmp_path / "G.csv", "--means-file", tmp_path / name, "--json")
        assert json.loads(done.stdout)["means"] == [0.1, 0.9, 0.4] and done.stderr == ""
    assert tasfg("solve", "--graph", "ring").stderr == ""  # a family's own means are its own


def test_help_and_list_say_which_way_round_a_matrix_is():
    for arguments in (["solve", "--help"], ["simulate", "--help"], ["list"]):
        text = " ".join(tasfg(*arguments).stdout.split())
        assert "row: chosen vertex, column: shown vertex" in text


def test_reads_csv_and_hdf5_alike(tmp_path):
    G = np.random.default_rng(0).uniform(0.1, 1, (4, 4))
    np.savetxt(tmp_path / "G.csv", G, delimiter=",", fmt="%.17g")
    with h5py.File(tmp_path / "G.h5", "w") as file:
        file["G"] = G
        file["other"] = np.eye(3)
        file["flat"] = np.ones(3)
        file["words"] = "text"
        file["oblong"] = np.ones((2, 3))
        file["wrong"] = np.full((3, 3), 1.5)
    csv = tasfg("solve", "--graph-file", tmp_path / "G.csv", "--json").stdout
    assert csv == tasfg("solve", "--graph-file", f"{tmp_path}/G.h5:G", "--json").stdout
    assert json.loads(csv)["K"] == 4
    for dataset, words in (("nothing", "no such dataset"), ("flat", "dimensions"), ("words", "numbers"),
                           ("oblong", "square"), ("wrong", "1.5")):
        refused(words, "solve", "--graph-file", f"{tmp_path}/G.h5:{dataset}")
    refused("name one as", "solve", "--graph-file", tmp_path / "G.h5")


def test_refuses_hdf5_that_is_hostile_or_odd(tmp_path):
    path = tmp_path / "odd.h5"
    ring = np.array([[0, 0.3, 0.7], [0.7, 0, 0.3], [0.3, 0.7, 0]])
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["G"] = ring
    with h5py.File(path, "w") as file:
        file.create_dataset("huge", shape=(2**31, 2**31), dtype="f8", chunks=(64, 64))
        file.create_dataset("wide-chunks", shape=(3, 3), maxshape=(None, None), dtype="f8", chunks=(16384, 16384))
        file.create_dataset("compound", shape=(3, 3), dtype=[("a", "f8"), ("b", "i4")])
        file.create_dataset("ragged", shape=(3, 3), dtype=h5py.vlen_dtype(np.float64))
        file.create_dataset("null", data=h5py.Empty("f8"))
        file.create_dataset("scaled", data=ring, chunks=(3, 3), scaleoffset=4)
        file.create_dataset("outside", data=ring, external=[(str(tmp_path / "raw.bin"), 0, 72)])
        layout = h5py.VirtualLayout(shape=(3, 3), dtype="f8")
        layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "G", shape=(3, 3))
        file.create_virtual_dataset("virtual", layout)
        # A chunk of 72 bytes that unpacks to 50 MB.
        bomb = file.create_dataset("bomb", shape=(3, 3), dtype="f8", chunks=(3, 3), compression="gzip")
        bomb.id.write_direct_chunk((0, 0), zlib.compress(bytes(50_000_000)))
        file["far"] = h5py.ExternalLink(str(tmp_path / "other.h5"), "/G")
        file["loop"] = h5py.SoftLink("/loop")
        file.create_group("group")
        file["x\n\x1b[31m"] = 1.0
    for dataset, words in (("huge", "K = 2147483648"), ("wide-chunks", "16384 x 16384"), ("compound", "plain numbers"),
                           ("ragged", "plain numbers"), ("null", "dimensions"), ("scaled", "filter 6"),
                           ("outside", "other files"), ("virtual", "other files"), ("bomb", "bytes for 3 x 3"),
                           ("far", "no such dataset"), ("loop", "no such dataset"), ("group", "no such dataset")):
        refused(f"odd.h5:{dataset}|{words}", "solve", "--graph-file", f"{path}:{dataset}")
    refused("holds 10 datasets|bomb", "solve", "--graph-file", path)
    with h5py.File(path, "w") as file:
        for i in range(200):
            file[f"d{i:03}"] = 1.0
    refused("holds 200 datasets|d009, ...", "solve", "--graph-file", path)


def test_reads_the_usual_hdf5_layouts(tmp_path):
    G = np.array([[0, 0.25, 0.75], [0.75, 0, 0.25], [0.25, 0.75, 0]])
    expected = json.loads(tasfg("solve", "--graph", "ring", "-P", "K=3", "-P", "p=0.25", "--json").stdout)["T_star"]
    for i, options in enumerate(({}, {"dtype": ">f4"}, {"dtype": "g"}, {"chunks": (2, 2), "maxshape": (None, None)},
                                 {"chunks": (3, 2), "compression": "gzip", "shuffle": True, "fletcher32": True})):
        for libver in ("earliest", "latest"):
            with h5py.File(tmp_path / f"{i}.h5", "w", libver=libver) as file:
                file.create_dataset("G", data=G, **options)
            assert json.loads(tasfg("solve", "--graph-file", tmp_path / f"{i}.h5", "--json").stdout)["T_star"] == expected


def refused(words, *arguments):
    """Exit status 2, nothing on standard output, one line on standard error that holds `words`."""
    result = tasfg(*arguments)
    assert result.returncode == 2, result.stderr
    assert result.stdout == ""
    assert result.stderr.count("\n") == 1 and result.stderr.startswith("tasfg: "), result.stderr
    for word in words.split("|"):
        assert word in result.stderr, result.stderr


BAD_FILES = {
    "nan.csv": (b"1,0\n0,nan\n", "nan.csv: line 2, column 2|nan"),
    "inf.csv": (b"1,inf\n0,1\n", "line 1, column 2|inf"),
    "negative.csv": (b"1,-0.5\n0,1\n", "-0.5|[0, 1]"),
    "over.csv": (b"1,1.5\n0,1\n", "1.5|[0, 1]"),
    "ragged.csv": (b"1,0,0\n0,1\n0,0,1\n", "line 2 holds 2 values"),
    "empty.csv": (b"", "holds no numbers"),
    "oblong.csv": (b"1,0,0\n0,1,0\n", "must be square"),
    "junk.csv": (bytes(range(256)) * 10, "binary"),
    "text.csv": (b"hello world\n", "holds no numbers|row: chosen vertex, column: shown vertex"),
    "decimal.csv": (b"0,5;1\n1;0\n", "decimal comma"),
    "cut.npy": (b"\x93NUMPY\x01\x00", "not a whole .npy file"),
    "archive.npz": (b"PK\x03\x04" + bytes(30), "archive|numpy.save"),
    "complex.mtx": (b"%%MatrixMarket matrix coordinate complex general\n", "another kind of matrix"),
    "one.csv": (b"1\n", "K = 1|at least 2"),
    "unseen.csv": (b"1,0\n1,0\n", "vertex 1|unobservable"),
    "truncated.h5": (b"\x89HDF\r\n\x1a\n" + bytes(100), "truncated.h5"),
}


@pytest.mark.parametrize("name", BAD_FILES)
def test_refuses_bad_graph_files(tmp_path, name):
    content, words = BAD_FILES[name]
    (tmp_path / name).write_bytes(content)
    refused(words, "solve", "--graph-file", tmp_path / name, "--means", "0,1")


@pytest.mark.parametrize(
    "words, arguments",
    [
        ("no graph", []),
        ("rnig|did you mean \"ring\"", ["--graph", "rnig"]),
        ("unknown parameter|did you mean \"K\"", ["--graph", "ring", "-P", "k=5"]),
        ("name=value", ["--graph", "ring", "-P", "K"]),
        ("K|five", ["--graph", "ring", "-P", "K=five"]),
        ("K = 1|from 2", ["--graph", "bandit", "-P", "K=1"]),
        ("p = 1.3|[0, 1]", ["--graph", "ring", "-P", "p=1.3"]),
        ("p|nan", ["--graph", "ring", "-P", "p=nan"]),
        ("share the largest mean", ["--graph", "ring", "--means", "0,1,1,0,0"]),
        ("3 means|K = 5", ["--graph", "ring", "--means", "0,1,2"]),
        ("--means: number 2", ["--graph", "ring", "--means", "0,x,2"]),
        ("bernoulli|(0, 1)", ["--graph", "ring", "--reward", "bernoulli"]),
        ("unknown reward|gaussian", ["--graph", "ring", "--reward", "gausian"]),
        ("variance", ["--graph", "ring", "--variance", "0"]),
        ("variance", ["--graph", "ring", "--variance", "-1"]),
        ("variance", ["--graph", "ring", "--reward", "poisson", "--means", "1,2,3,4,5", "--variance", "2"]),
        ("both name a graph", ["--graph", "ring", "--graph-file", "x.csv"]),
        ("no such file", ["--graph-file", "/no/such/file.csv"]),
        ("is a directory", ["--graph-file", "/tmp"]),
        ("/dev/zero: is a pipe or a device", ["--graph-file", "/dev/zero"]),
        ("no such file", ["--graph-file", "x" * 5000]),
        ("no such file", ["--graph-file", "x" * 5000 + ":G"]),
        ("--conventions|paper", ["--graph", "ring", "--conventions", "papre"]),
        ("--gap", ["--graph", "ring", "--gap", "0"]),
        ("--frobnicate", ["--graph", "ring", "--frobnicate"]),
    ],
)
def test_refuses_bad_options(words, arguments):
    refused(words, "solve", *arguments)


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_names_a_vertex_that_is_hardly_ever_seen(tmp_path, more):
    graph = tmp_path / "tiny.csv"
    graph.write_text("1,1e-308\n1e-308,1e-308\n")
    refused(f"{graph}: vertex 1|cannot be seen|1e-308", "solve", "--graph-file", graph, "--means", "0.2,0.7", *more)
    graph.write_text("1e-100,1e-100\n1e-100,1e-100\n")
    assert tasfg("solve", "--graph-file", graph, "--means", "0.2,0.7", *more).returncode == 0


def test_refuses_no_or_unknown_commands():
    refused("no command", *[])
    refused("unknown command|did you mean \"solve\"", "slove")


def test_help_exits_with_zero():
    commands = re.findall(r"^  (\w+)  ", tasfg("--help").stdout.split("Subcommands:")[1], flags=re.MULTILINE)
    assert {"solve", "sweep"} <= set(commands)
    for arguments in (["--version"], *([command, "--help"] for command in commands)):
        assert tasfg(*arguments).returncode == 0


@pytest.mark.parametrize("graph, gap", [("torus", 1e-8), ("k-regular", 1e-3), ("power-law", 1e-2)])
def test_graphs_too_large_for_a_matrix_are_solved_by_their_edges(tmp_path, graph, gap):
    size = 6000
    out = json.loads(tasfg("solve", "--graph", graph, "-P", f"K={size}", "--gap", str(gap), "--json").stdout)
    assert "G" not in out and out["status"] == "solved" and out["relative_gap"] <= gap
    start, end, probability = (np.array(each) for each in zip(*out["edges"]))
    matrix = scipy.sparse.csr_matrix((probability, (start, end)), (size, size))
    means, omega, best = np.array(out["means"]), np.array(out["omega"]), out["best"]
    rivals = np.arange(size) != best
    seen = matrix.T @ omega
    evidence = seen[best] * seen[rivals] / (seen[best] + seen[rivals]) * (means[best] - means[rivals]) ** 2 / 2
    assert omega.min() >= 0 and omega.sum() == pytest.approx(1)
    assert 1 / evidence.min() == pytest.approx(out["T_star"], rel=1e-9)
    # The same graph from a file of its edges.
    rows = "".join(f"{v},{u},{p!r}\n" for v, u, p in out["edges"])
    (tmp_path / "edges.csv").write_text("from,to,probability\n" + rows)
    (tmp_path / "means.csv").write_text("\n".join(map(repr, out["means"])))
    again = json.loads(tasfg("solve", "--graph-file", str(tmp_path / "edges.csv"), "--means-file", str(tmp_path / "means.csv"),
                             "--gap", str(gap), "--json").stdout)
    assert (again["T_star"], again["T_star_lower"]) == (out["T_star"], out["T_star_lower"])
