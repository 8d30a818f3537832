"""`tasfg solve` and `tasfg list` as a user meets them: output, and every way to get it wrong."""

import json
import os
import re
import subprocess
import zlib

import h5py
import numpy as np
import pytest

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
                 "symmetric random file gaussian bernoulli poisson exponential").split():
        assert name in out


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
    "text.csv": (b"hello world\n", "hello world"),
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
    refused("subcommand", *[])
    refused("tasfg --help", "slove")


def test_help_exits_with_zero():
    commands = re.findall(r"^  (\w+)  ", tasfg("--help").stdout.split("Subcommands:")[1], flags=re.MULTILINE)
    assert {"solve", "sweep"} <= set(commands)
    for arguments in (["--version"], *([command, "--help"] for command in commands)):
        assert tasfg(*arguments).returncode == 0
