"""Every figure: an image comes out, it has the right series, they are the file's values, and nothing is clipped."""

import json
import re
import shutil

import h5py
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.patches import FancyArrowPatch

import tasfg_analysis
from processes import run
from tasfg_analysis import checks, figures, graphs, style, theory

GRAPHS = ("loopy-star", "loopy-star-alt", "ring", "loopless-clique")


@pytest.fixture
def draw():
    """Draws a figure by name from files; closes it afterwards."""

    def drawn(name, *files, **options):
        return figures.draw(figures.figure_named(name), tasfg_analysis.open(*files), **options)

    yield drawn
    plt.close("all")


def source(name, study, capped, small_delta, curves):
    """The file that a figure is drawn from here."""
    job = figures.FIGURES[name].job
    if job in curves:
        return curves[job]
    return small_delta if name == "small-delta" else capped if name == "boxes-all" else study


def texts_of(figure):
    shown = [axes for axes in figure.axes if axes.get_visible()]
    found = [t for axes in shown for t in (*axes.texts, axes.title)]
    for axis in (axis for axes in shown if axes.axison for axis in (axes.xaxis, axes.yaxis)):
        low, high = sorted(axis.get_view_interval())
        found += [axis.label, *(tick.label1 for tick in axis.get_major_ticks() if low <= tick.get_loc() <= high)]
    found += [t for t in (figure._suptitle, figure._supxlabel) if t is not None]
    found += [
        t
        for legend in (*figure.legends, *(a.get_legend() for a in figure.axes if a.get_legend()))
        for t in legend.get_texts()
    ]
    return [t for t in found if t.get_text().strip()]


@pytest.mark.parametrize("name", list(figures.FIGURES))
def test_every_figure_is_written_and_nothing_is_clipped_or_overlaps(name, study, capped, small_delta, curves, tmp_path):
    figure = figures.figure_named(name)
    results = tasfg_analysis.open(source(name, study, capped, small_delta, curves))
    assert figure.applies(results)
    drawing = figures.draw(figure, results)
    try:
        for path in style.save(drawing, tmp_path, name, ("png", "pdf"), dpi=60):
            assert path.stat().st_size > 3000
        assert (tmp_path / f"{name}.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        pdf = (tmp_path / f"{name}.pdf").read_bytes()
        assert pdf[:5] == b"%PDF-" and b"/Type3" not in pdf and b"FontFile2" in pdf  # fonts are embedded as TrueType
        assert sorted(p.name for p in tmp_path.iterdir()) == [f"{name}.pdf", f"{name}.png"]
        with style.applied():
            drawing.canvas.draw()
        renderer, page = drawing.canvas.get_renderer(), drawing.bbox
        assert drawing.get_figwidth() <= style.PAGE + 0.5
        for text in texts_of(drawing):
            box = text.get_window_extent(renderer)
            clear = box.x0 >= page.x0 - 1 and box.x1 <= page.x1 + 1 and box.y0 >= page.y0 - 1 and box.y1 <= page.y1 + 1
            assert clear, f"{text.get_text()!r} leaves the page"
        titles = [
            a.title.get_window_extent(renderer) for a in drawing.axes if a.get_visible() and a.title.get_text().strip()
        ]
        for legend in drawing.legends:
            box = legend.get_window_extent(renderer)
            assert box.x0 >= page.x0 - 1 and box.x1 <= page.x1 + 1
            assert not any(box.overlaps(title.shrunk(1.0, 0.8)) for title in titles), "the legend covers a title"
        for one, other in ((a, b) for i, a in enumerate(titles) for b in titles[i + 1 :]):
            assert not one.overlaps(other), "titles overlap"
        if drawing._supxlabel is not None:
            below = drawing._supxlabel.get_window_extent(renderer)
            for axes in drawing.axes:
                label = axes.xaxis.label.get_window_extent(renderer)
                assert not (axes.xaxis.label.get_text() and below.overlaps(label)), "the note covers a label"
    finally:
        plt.close(drawing)


def test_the_loopy_star_shows_the_solvers_values_at_random_p(curves, draw):
    """The drawn curve against `tasfg solve` at 20 random points of it."""
    figure = draw("loopy-star", curves["fig-loopy-star"])
    left, right = figure.axes
    assert len(left.lines) == len(right.lines) == 2
    assert left.get_yscale() == "log" and right.get_yscale() == "linear"
    chance = np.random.default_rng(1)
    for line, rates, q in zip(left.lines, right.lines, (1.0, 0.25)):
        assert len(line.get_xdata()) == 201
        for i in chance.choice(201, 10, replace=False):
            p = float(line.get_xdata()[i])
            done = run("solve", "--graph", "loopy-star", "-P", f"p={p!r}", "-P", f"q={q}", "-P", "r=0.25", "--json")
            solved = json.loads(done.stdout)
            assert np.isclose(line.get_ydata()[i], solved["T_star"], rtol=1e-9)
            assert np.isclose(rates.get_ydata()[i], solved["m_norm"], rtol=1e-9)


@pytest.mark.parametrize(
    "name,job,series",
    [
        ("loopy-star-appendix", "fig-loopy-star-app", 5),
        ("loopy-star-alt", "fig-loopy-star-alt", 3),
        ("ring", "fig-ring", 3),
        ("loopless-clique", "fig-loopless-clique", 3),
    ],
)
def test_curves_of_the_appendix_are_those_of_the_file(curves, draw, name, job, series):
    left, right = draw(name, curves[job]).axes
    family = "loopy-star" if name == "loopy-star-appendix" else name
    tv = draw(f"tv-{family}", curves[job]).axes[0]
    with h5py.File(curves[job]) as file:
        data = {
            key: file["cases"][key][()]
            for key in ("T_star", "m_norm", "tv_heuristic", "p", "K", "q", "r", "face_dimension")
        }
    for axes, column in ((left, "T_star"), (right, "m_norm"), (tv, "tv_heuristic")):
        lines = [line for line in axes.lines if line.get_label()[0] != "_"]
        assert len(lines) == series == len({line.get_color() for line in lines})
        for line in lines:
            named = dict(re.findall(r"\$(\w)=([^$]+)\$", line.get_label()))
            chosen = np.ones(len(data["p"]), dtype=bool)
            for key, value in named.items():
                chosen &= np.isclose(data[key], eval(value), rtol=1e-9)  # "1/4"
            wanted = dict(zip(data["p"][chosen], data[column][chosen]))
            got = dict(zip(line.get_xdata(), line.get_ydata()))
            assert set(got) <= set(wanted) and all(wanted[p] == got[p] for p in got)
            missing = set(wanted) - set(got)  # single points where ω* is not unique stand beside the curve, as rings
            assert all(data["face_dimension"][chosen & (data["p"] == p)][0] > 0 for p in missing)
            if column == "T_star":
                assert not missing
            elif name == "ring":
                assert missing == {0.5}
    assert left.get_yscale() == "log"


def test_figures_mark_where_the_optimal_allocation_is_not_unique(curves, draw):
    """Ring at p = 1/2: a ring marker off the curve. Clique for large p: a band. Both with a note. Loopy star: neither."""
    ring = draw("tv-ring", curves["fig-ring"])
    rings = [line for line in ring.axes[0].lines if line.get_marker() == "o"]
    assert [float(line.get_xdata()[0]) for line in rings] == [0.5] * 3
    assert "not unique" in ring._supxlabel.get_text()
    clique = draw("tv-loopless-clique", curves["fig-loopless-clique"])
    bands = [line for line in clique.axes[0].lines if line.get_alpha() is not None]
    covered = np.concatenate([line.get_xdata() for line in bands])
    assert covered.min() > 0.5 and {0.7, 0.8, 0.9, 1.0} <= set(np.round(covered, 12))
    assert "not unique" in clique._supxlabel.get_text()
    assert draw("tv-loopy-star", curves["fig-loopy-star-app"])._supxlabel is None
    assert "†" in draw("symmetric", curves["fig-symmetric-faces"])._supxlabel.get_text()


def test_the_symmetric_graph_is_flat_where_both_probabilities_agree(curves, draw):
    axes = draw("symmetric", curves["fig-symmetric-faces"]).axes[0]
    lines = {line.get_label(): line for line in axes.lines if line.get_label()[0] != "_"}
    assert len(lines) == 5
    (flat,) = [line for label, line in lines.items() if "†" in label]
    assert np.allclose(flat.get_ydata(), 6.0, rtol=1e-12)
    with h5py.File(curves["fig-symmetric-faces"]) as file:
        T_star = np.sort(file["cases/T_star"][()])
    assert np.allclose(np.sort([line.get_ydata().min() for line in lines.values()]), T_star, rtol=1e-9)


@pytest.mark.parametrize("graph", GRAPHS)
def test_bars_are_the_files_allocations(study, draw, graph):
    figure = draw(f"bars-{graph}", study)
    cases = tasfg_analysis.open(study).cases
    cases = cases.isel(case=(cases.graph == graph).values)
    assert len(figure.axes) == cases.sizes["case"]
    for axes, i in zip(figure.axes, range(cases.sizes["case"])):
        case = cases.isel(case=i)
        K = int(case.K)
        for bars, name in zip(axes.containers, ("omega", "omega_heuristic", "m")):
            assert np.array_equal([bar.get_height() for bar in bars], case[name].values[:K])


def boxes_in(axes):
    """Median, mean and box of each box plot, by position."""
    medians = {
        round(float(np.mean(line.get_xdata())), 6): line.get_ydata()[0]
        for line in axes.lines
        if len(line.get_xdata()) == 2 and line.get_linewidth() == 1.0 and line.get_color() == "#000000"
    }
    means = {
        round(float(line.get_xdata()[0]), 6): line.get_ydata()[0] for line in axes.lines if line.get_marker() == "+"
    }
    return medians, means


@pytest.mark.parametrize("name,algorithms", [("boxes", 4), ("boxes-all", 2)])
def test_boxes_have_the_runs_medians_and_means(study, capped, draw, name, algorithms):
    file = study if name == "boxes" else capped
    figure = draw(name, file)
    frame = tasfg_analysis.open(file).runs_frame()
    frame = frame[(frame.log_inv_delta == 7.0) & frame.tau.notna()]
    assert [axes.get_title() for axes in figure.axes] == [style.GRAPHS[g] for g in GRAPHS]
    for axes, graph in zip(figure.axes, GRAPHS):
        groups = frame[frame.graph == graph].groupby(["K", "algorithm"], observed=True).normalised
        medians, means = boxes_in(axes)
        assert len(means) == len(groups) == len(medians)
        assert np.allclose(sorted(medians.values()), sorted(groups.median()), rtol=1e-12)
        assert np.allclose(sorted(means.values()), sorted(groups.mean()), rtol=1e-12)
        left = groups.mean().groupby("K").first()  # TaS-FG is first of each group
        for g, K in enumerate(sorted(left.index)):
            near = min(means, key=lambda x: abs(x - (g - 0.84 * (algorithms - 1) / 2 / algorithms)))
            assert np.isclose(means[near], groups.mean()[K, "tas-fg"], rtol=1e-12)
        assert any(list(line.get_ydata()) == [1.0, 1.0] for line in axes.lines)  # the lower bound
    if name == "boxes":
        assert any(axes.child_axes for axes in figure.axes)  # an inset where boxes are small
    else:
        assert all(axes.get_yscale() == "log" for axes in figure.axes)
        assert "capped at max_steps" in figure._supxlabel.get_text()


def test_another_delta_can_be_asked_for(study, draw):
    assert "e^{-3}" in draw("boxes", study, log_inv_delta=3.0)._supxlabel.get_text()
    with pytest.raises(tasfg_analysis.UserError, match="--log-inv-delta 4 \\(the file has 1, 3, 7\\)"):
        draw("boxes", study, log_inv_delta=4.0)


@pytest.mark.parametrize("name", ["tau", *(f"tau-{g}" for g in GRAPHS)])
def test_tau_over_delta_has_a_box_per_algorithm_and_delta_and_the_bound(study, draw, name):
    figure = draw(name, study)
    frame = tasfg_analysis.open(study).runs_frame()
    panels = [axes for axes in figure.axes if axes.get_visible()]
    labels = ["loopy-star K=5", "loopy-star K=6", "loopy-star-alt K=5", "ring K=5", "ring K=6", "loopless-clique K=5"]
    if name != "tau":
        labels = [label for label in labels if label.split()[0] == name[4:]]
    assert len(panels) == len(labels)
    for axes, label in zip(panels, labels):
        part = frame[frame.label.str.startswith(label + " ")]
        medians, means = boxes_in(axes)
        groups = part.groupby(["algorithm", "log_inv_delta"], observed=True).tau
        assert len(means) == 12
        assert np.allclose(sorted(means.values()), sorted(groups.mean()), rtol=1e-12)
        bounds = [line.get_ydata()[0] for line in axes.lines if line.get_linewidth() == 0.9]
        assert np.allclose(bounds, part.groupby("log_inv_delta").lower_bound.first(), rtol=1e-12)
        assert axes.get_yscale() == "log"


def test_error_rates_and_intervals_are_those_of_the_runs(study, tmp_path, draw):
    with_errors = tmp_path / "errors.h5"
    shutil.copy(study, with_errors)
    with h5py.File(with_errors, "r+") as file:
        file["runs/correct"][3, 0, 0, :3] = 0
        file["runs/correct"][5, 2, 1, 7] = 0
    frame = tasfg_analysis.open(with_errors).runs_frame()
    table = checks.error_table(frame, ["graph", "algorithm", "log_inv_delta"])
    wrong = frame[frame.correct == False]  # noqa: E712
    assert table.errors.sum() == len(wrong) >= 4
    row = table[(table.graph == "ring") & (table.algorithm == "tas-fg") & (table.log_inv_delta == 1.0)].iloc[0]
    assert row.runs == 16 and row.errors == 3
    assert np.allclose((row.low, row.high), theory.clopper_pearson(row.errors, 16))
    figure = draw("error-rate", with_errors)
    assert len(figure.axes) == 4
    for axes, graph in zip(figure.axes, GRAPHS):
        assert len(axes.collections) == 4  # a set of intervals per algorithm
        for bars, name in zip(axes.collections, ("tas-fg", "tas-fg-heur", "exp3.g", "ucb-fg-e")):
            part = table[(table.graph == graph) & (table.algorithm == name)].sort_values("log_inv_delta")
            assert np.allclose([segment[1, 1] for segment in bars.get_segments()], part.high, rtol=1e-12)
        line = axes.lines[0]
        assert np.allclose(np.log(line.get_ydata()), -line.get_xdata())  # δ itself


def test_paired_ratios_are_over_common_seeds(study, draw):
    frame = tasfg_analysis.open(study).runs_frame()
    table = checks.paired_table(frame, "tas-fg", 7.0)
    assert len(table) == 6 * 3
    row = table[(table.label == "ring K=5 p=0.3") & (table.algorithm == "ucb-fg-e")].iloc[0]
    part = frame[(frame.label == row.label) & (frame.log_inv_delta == 7.0)].set_index("seed")
    ratio = np.log(part.tau[part.algorithm == "ucb-fg-e"] / part.tau[part.algorithm == "tas-fg"])
    assert row.seeds == 8 and np.isclose(row.ratio, np.exp(ratio.mean()))
    assert np.isclose(np.log(row.high / row.ratio), 2.364624 * ratio.std() / np.sqrt(8), rtol=1e-6)  # t, 7 degrees
    figure = draw("paired", study)
    marks = [float(line.get_xdata()[0]) for axes in figure.axes for line in axes.lines if len(line.get_xdata()) == 1]
    assert np.allclose(sorted(marks), sorted(table.ratio))
    other = draw("paired", study, baseline="exp3.g")
    assert "EXP3.G" in other.axes[-1].get_xlabel()
    with pytest.raises(tasfg_analysis.UserError, match="--baseline oracle"):
        draw("paired", study, baseline="oracle")


def test_pairing_needs_seeds_that_both_stopped_on():
    rows = [
        ("c", a, 1.0, s, t, "done")
        for a, taus in (("tas-fg", [10, 20, 30, np.nan]), ("uniform", [20, 40, 60, 80]))
        for s, t in enumerate(taus)
    ]
    frame = pd.DataFrame(rows, columns=["label", "algorithm", "log_inv_delta", "seed", "tau", "status"])
    row = checks.paired_table(frame, "tas-fg", 1.0).iloc[0]
    assert row.seeds == 3 and np.isclose(row.ratio, 2.0) and np.isclose(row.low, 2.0) and row.unpaired_high > 2.5


def test_small_delta_shows_scaled_means_and_limits(small_delta, draw):
    figure = draw("small-delta", small_delta)
    frame = tasfg_analysis.open(small_delta).runs_frame()
    cases = tasfg_analysis.open(small_delta).cases_frame().set_index("graph")
    assert len(figure.axes) == 4
    for axes, graph in zip(figure.axes, GRAPHS):
        part = frame[(frame.graph == graph) & (frame.algorithm == "uniform")]
        wanted = (part.tau / part.log_inv_delta / cases.T_star[graph]).groupby(part.log_inv_delta).mean()
        drawn = [container.lines[0].get_ydata(orig=False) for container in axes.containers]
        assert len(drawn) == 4 and np.allclose(drawn[-1], wanted, rtol=1e-12)
        levels = {round(float(line.get_ydata()[0]), 9) for line in axes.lines if len(line.get_xdata()) == 2}
        for value in (
            1.0,
            cases.T_heuristic[graph] / cases.T_star[graph],
            cases.T_uniform[graph] / cases.T_star[graph],
        ):
            assert round(float(value), 9) in levels


def test_pulls_are_shares_beside_the_optimal_allocation(study, draw):
    figure = draw("pulls", study)
    panels = [axes for axes in figure.axes if axes.get_visible()]
    assert len(panels) == 6
    with h5py.File(study) as file:
        pulls, omega = file["runs/pulls"][()], file["cases/omega"][()]
    for axes, i in zip(panels, (0, 1, 2, 3, 4, 5)):
        K = len(axes.patches)
        assert np.array_equal([bar.get_height() for bar in axes.patches], omega[i, :K])
        drawn = [line.get_ydata() for line in axes.lines]
        assert len(drawn) == 4
        for algorithm, values in enumerate(drawn):
            shares = pulls[i, algorithm, :, :K] / pulls[i, algorithm, :, :K].sum(axis=1, keepdims=True)
            assert np.allclose(values, shares.mean(axis=0), rtol=1e-12)


def test_drawings_have_every_edge(study, draw):
    figure = draw("graphs", study)
    cases = tasfg_analysis.open(study).cases
    tops, bottoms = figure.axes[:4], figure.axes[4:]
    for top, bottom, graph in zip(tops, bottoms, GRAPHS):
        case = cases.isel(case=int(np.flatnonzero(cases.graph.values == graph)[0]))
        G = graphs.edges(case)
        arrows = sum(isinstance(patch, FancyArrowPatch) for patch in top.patches)
        loops = len(top.patches) - arrows - len(G)
        assert (arrows, loops) == (int((G > 0).sum() - (np.diag(G) > 0).sum()), int((np.diag(G) > 0).sum()))
        assert np.array_equal(bottom.images[0].get_array(), G)


def test_a_graph_that_does_not_fit_the_file_is_not_drawn(study, tmp_path, draw):
    shutil.copy(study, tmp_path / "other.h5")
    with h5py.File(tmp_path / "other.h5", "r+") as file:
        file["cases/m"][3, 0] *= 1.1
    with pytest.raises(tasfg_analysis.UserError, match="m in the file is not G'omega"):
        draw("graphs", tmp_path / "other.h5")


def test_every_algorithm_has_a_colour_of_its_own_and_the_programs_names():
    listed = run("list").stdout.split("Algorithms")[1].split("Thresholds")[0]
    names = re.findall(r"^  (\S+)  ", listed, flags=re.M)
    assert len(names) == 11 and set(names) == set(style.ALGORITHMS)
    assert len({colour for _, colour, _ in style.ALGORITHMS.values()}) == len(names)
    families = re.findall(r"^  (\S+)  ", run("list").stdout.split("Reward families")[0], flags=re.M)
    assert set(families) == set(style.GRAPHS)


def test_unfinished_files_are_drawn_with_what_is_there(study_job, tmp_path, draw):
    run("sweep", study_job, "-o", tmp_path / "part.h5", "--shard", "0/3", "-q")
    for name in ("boxes", "tau", "error-rate", "paired", "pulls"):
        figure = draw(name, tmp_path / "part.h5")
        if name != "pulls":
            assert "pending" in figure._supxlabel.get_text()
