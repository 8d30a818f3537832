"""Every figure: an image comes out, it has the right series, they are the file's values, and nothing is clipped."""

import json
import re
import shutil
import warnings

import h5py
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from matplotlib.collections import LineCollection, PathCollection

import tasfg
from processes import run
from result_files import seal
from tasfg import checks, estimates, figures, growth, layout, names, samples, selection, strokes, style
from tasfg.certified import Curves
from tasfg.errors import NothingToDraw

GRAPHS = ("loopy-star", "loopy-star-alt", "ring", "loopless-clique")


@pytest.fixture
def draw():
    """Draws a figure by name from files; closes it afterwards."""

    def drawn(name, *files, **options):
        figure = figures.figure_named(name)
        return figures.draw(figure, Curves(files) if figure.reads == "curve" else tasfg.open(*files), **options)

    yield drawn
    plt.close("all")


@pytest.fixture
def source(study, studies, capped, small_delta, scaling, curves, anytime, certified, weighted):
    """The file that a figure is drawn from here, by its name."""
    special = {
        "small-delta": small_delta,
        "tau-delta": small_delta,
        "anytime": anytime,
        "error": weighted,
        "scaling": scaling,
        "curves": studies["curves"],
        "heatmap": studies["grid"],
    }
    special |= {"boxes-all": studies["capped"], "curve": certified["curve"], "map": certified["map"]}

    def of(name):
        return special.get(name) or curves.get(figures.FIGURES[name].job, study)

    return of


def texts_of(figure):
    """All texts that a reader sees, with what each is."""
    found = []
    for axes in (axes for axes in figure.axes if axes.get_visible()):
        found += [("title", axes.title), *(("mark", text) for text in axes.texts)]
        for axis in (axes.xaxis, axes.yaxis) if axes.axison else ():
            low, high = sorted(axis.get_view_interval())
            found.append(("label", axis.label))
            for tick in axis.get_major_ticks():
                for side in (tick.label1, tick.label2):
                    if low <= tick.get_loc() <= high and side.get_visible():
                        found.append(("aslant" if side.get_rotation() % 90 else "tick", side))
    found += [("note", figure._supxlabel), ("heading", figure._suptitle)]
    legends = (*figure.legends, *(a.get_legend() for a in figure.axes if a.get_legend()))
    found += [("legend", text) for legend in legends for text in legend.get_texts()]
    return [(kind, text) for kind, text in found if text is not None and text.get_text().strip()]


def faults_of(drawing):
    """Texts that leave the page or stand on each other."""
    with style.applied(), warnings.catch_warnings():
        warnings.simplefilter("error")  # as where the layout gives up
        drawing.canvas.draw()
    renderer, page = drawing.canvas.get_renderer(), drawing.bbox
    boxes = [(kind, text.get_text(), text.get_window_extent(renderer)) for kind, text in texts_of(drawing)]
    found = []
    for kind, text, box in boxes:
        if box.x0 < page.x0 - 1 or box.x1 > page.x1 + 1 or box.y0 < page.y0 - 1 or box.y1 > page.y1 + 1:
            found.append(f"{kind} {text!r} leaves the page")
        if "$" in text or "\\" in text:
            found.append(f"{kind} {text!r} has formulas, which are not read (style.py)")
    for legend in drawing.legends:
        box = legend.get_window_extent(renderer)
        if box.x0 < page.x0 - 1 or box.x1 > page.x1 + 1:
            found.append("the legend leaves the page")
    for i, (kind, text, box) in enumerate(boxes):
        for other, word, place in boxes[i + 1 :]:
            # A pixel of each side is air; the heading keeps the place of the legend with blank lines.
            # Boxes of words aslant overlap where the words do not; marks stand where their data are.
            if (
                {kind, other} != {"heading", "legend"}
                and not {"aslant", "mark"} & {kind, other}
                and box.padded(-1).overlaps(place.padded(-1))
            ):
                found.append(f"{kind} {text!r} covers {other} {word!r}")
    return found


@pytest.mark.parametrize("name", list(figures.FIGURES))
def test_every_figure_is_written_and_nothing_is_clipped_or_overlaps(name, source, tmp_path):
    figure = figures.figure_named(name)
    results = Curves([source(name)]) if figure.reads == "curve" else tasfg.open(source(name))
    assert figure.applies(results)
    drawing = figures.draw(figure, results)
    try:
        for path in style.save(drawing, tmp_path, name, ("png", "pdf"), dpi=60):
            assert path.stat().st_size > 3000
        assert (tmp_path / f"{name}.png").read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        pdf = (tmp_path / f"{name}.pdf").read_bytes()
        assert pdf[:5] == b"%PDF-" and b"/Type3" not in pdf and b"FontFile2" in pdf  # fonts are embedded as TrueType
        assert sorted(p.name for p in tmp_path.iterdir()) == [f"{name}.pdf", f"{name}.png"]
        assert drawing.get_figwidth() <= style.PAGE + 0.1
        assert faults_of(drawing) == []
    finally:
        plt.close(drawing)


def test_slopes_are_those_of_powers_of_K_and_need_three_values(draw, scaling):
    K = np.array([10.0, 32.0, 100.0])
    assert growth.slope(K, 3 * K**1.5) == pytest.approx(1.5)
    cases = tasfg.open(scaling).cases_frame()
    assert [list(part.K) for part in growth.families(cases)] == 3 * [[8, 16, 32]]
    assert growth.families(cases[cases.K < 32]) == []
    for axes, part in zip(draw("scaling", scaling).axes, growth.families(cases)):
        exponents = [float(text.get_text()) for text in axes.get_legend().get_texts()]
        assert exponents[0] == pytest.approx(growth.slope(part.K, part.T_star), abs=0.006)
        assert len(exponents) == 6 and all(0.5 < exponent < 2.0 for exponent in exponents)


def test_a_figure_of_one_delta_shows_the_smallest_at_which_something_is_known():
    runs = pd.DataFrame({"log_inv_delta": [2.3, 2.3, 92.0, 92.0], "tau": [10.0, np.nan, np.nan, np.nan]})
    assert selection.confidence(runs) == 2.3 and selection.confidence(runs, 92.0) == 92.0
    assert selection.confidence(runs.assign(tau=np.nan)) == 92.0
    assert selection.confidence(runs.assign(tau=5.0)) == 92.0


def test_medians_beyond_the_cap_are_marked_there(studies):
    figure = tasfg.open(studies["capped"]).plot("delta", "tau", hue="algorithm", statistic="median")
    for axes in figure.axes:
        beyond = [
            line
            for line in axes.lines
            if line.get_markerfacecolor() == "white" and 1e-40 in np.asarray(line.get_xdata())
        ]
        assert len(beyond) == 4 and all(y == 2000 for line in beyond for y in line.get_ydata())
        shown = [y for line in axes.lines if line not in beyond for y in line.get_ydata()]
        assert all(y < 2000 or np.isnan(y) for y in shown)
    plt.close(figure)


def test_deltas_stand_on_a_log_axis(studies):
    figure = tasfg.open(studies["files"]).plot("delta", "tau")
    assert {axes.get_xscale() for axes in figure.axes} == {"log"}
    plt.close(figure)


@pytest.mark.parametrize("study_name", ["files", "random", "rewards", "grid", "capped", "own", "curves"])
def test_no_text_covers_another_in_any_study(study_name, studies):
    """Graphs of files and of chance, two rewards, a grid of p and K, capped runs and δ = 1e-40, rules of one's own."""
    results = tasfg.open(studies[study_name])
    drawn = {}
    for figure in figures.applicable(results):
        for at in (None, -np.log(0.1)) if "log_inv_delta" in figure.options else (None,):
            try:
                drawing = figures.draw(figure, results, log_inv_delta=at)
            except NothingToDraw:
                assert figure.name == "paired" and at is None  # at δ = 1e-40 all runs of both are capped
                continue
            drawn[figure.name, at] = faults_of(drawing)
            plt.close(drawing)
    assert {name: faults for name, faults in drawn.items() if faults} == {}
    assert len(drawn) >= (3 if study_name == "curves" else 8)


def test_no_text_covers_another_in_plots(studies):
    for study_name, x, y, options in (
        ("curves", "p", "T_star", {"hue": "q"}),
        ("grid", "p", "K", {"heat": "tau"}),
        ("files", "algorithm", "tau", {}),
        ("random", "delta", "normalised", {"statistic": "median"}),
        ("own", "K", "error", {}),
    ):
        drawing = tasfg.open(studies[study_name]).plot(x, y, **options)
        assert faults_of(drawing) == []
        plt.close(drawing)


@pytest.mark.parametrize("names_of", [lambda i: f"{1000 + i}", lambda i: f"category {i}\nof many"])
def test_names_below_an_axis_stand_clear_of_each_other(names_of):
    with style.applied():
        figure, (axes,) = layout.panels(1, 1, 2.0)
        axes.set_xlim(-0.5, 19.5)
        layout.tick_names(axes, range(20), [names_of(i) for i in range(20)])
    assert faults_of(figure) == []
    ticks = [tick.label1 for tick in axes.xaxis.get_major_ticks()]
    assert len(ticks) == 20 if "category" in ticks[0].get_text() else 3 < len(ticks) < 20  # words are never left out
    plt.close(figure)


def test_panels_are_of_one_size_and_clear_of_their_neighbours_names():
    with style.applied():
        figure, panels = layout.panels(5, 3, 1.8)
        for i, axes in enumerate(panels):
            axes.set_yticks([0.0, 0.99], ["short", "a name that is long" if i == 1 else "one"])
            axes.set_xticks([0.0, 1.0], ["0", "the last of them"])
            if i < 4:
                layout.title(axes, f"panel {i}")
        panels[4].set_ylim(0, 5e8)
        panels[4].yaxis.set_major_locator(plt.MaxNLocator(4))
        panels[4].yaxis.set_major_formatter(plt.ScalarFormatter())  # with a factor below the title
        layout.title(panels[4], "as wide as its panel, nearly")
        layout.label_outside(panels, "x", "y")
        layout.legend(figure, style.handles(["tas-fg", "uniform"]), "A heading")
        layout.note(figure, "A note.", "Another.")
        figure.add_axes([0.9, 0.9, 0.05, 0.05]).axis("off")  # of a user's own: stays where it is
    assert faults_of(figure) == [] and panels[4].yaxis.get_offset_text().get_text()
    sizes = [(axes.bbox.width, axes.bbox.height) for axes in panels]
    assert np.allclose(sizes, sizes[0], rtol=1e-9)
    renderer = figure.canvas.get_renderer()
    for axes in panels[1:3]:
        names = axes.yaxis.get_tightbbox(renderer)
        before = panels[panels.index(axes) - 1]
        assert names.x0 > before.xaxis.get_tightbbox(renderer).x1 > before.bbox.x1
    assert panels[0].xaxis.get_tightbbox(renderer).y0 > panels[3].title.get_window_extent(renderer).y1
    lowest = min(axes.xaxis.get_tightbbox(renderer).y0 for axes in panels)
    assert lowest > figure._supxlabel.get_window_extent(renderer).y1
    factor, title = panels[4].yaxis.get_offset_text(), panels[4].title
    assert panels[2].xaxis.get_tightbbox(renderer).y0 > title.get_window_extent(renderer).y1 + 5  # its label is lowest
    assert title.get_window_extent(renderer).y0 > factor.get_window_extent(renderer).y1 - 0.5
    assert np.allclose(figure.axes[-1].get_position().bounds, (0.9, 0.9, 0.05, 0.05))
    places = [axes.get_position().bounds for axes in panels]
    figure.canvas.draw()
    assert np.allclose([axes.get_position().bounds for axes in panels], places, atol=2e-3)  # drawn again it stays
    plt.close(figure)


def test_lines_drawn_as_one_path_look_as_lines_by_themselves():
    """But for the last bit of antialiasing; a gap after each."""
    ends = [[(0.1 * i, 0.1), (0.1 * i + 0.05, 0.9)] for i in range(1, 9)]
    pictures = []
    for kind in (LineCollection, strokes.Strokes):
        figure, axes = plt.subplots(figsize=(2, 2))
        lines = kind(ends, colors="#D55E00", linewidths=2.0, linestyles=[(0, (4, 2))])
        axes.add_collection(lines)
        assert np.allclose(lines.get_segments(), ends) and np.allclose(axes.dataLim.bounds, (0.1, 0.1, 0.75, 0.8))
        figure.canvas.draw()
        pictures.append(np.asarray(figure.canvas.buffer_rgba()).astype(int))
        plt.close(figure)
    assert np.abs(pictures[0] - pictures[1]).max() <= 2 and (pictures[0] != 255).any()
    assert len(lines.get_paths()) == 1


def test_a_plot_shows_the_columns_that_were_asked_for(studies):
    results = tasfg.open(studies["grid"])
    frame = results.runs_frame()
    figure = results.plot("p", "tau", panel="K", log_inv_delta=np.log(1000))
    part = frame[(frame.K == 5) & (frame.algorithm == "uniform") & (frame.delta == 0.001)]
    line = figure.axes[2].lines[1]
    assert names.equation("K", 5) in figure.axes[2].get_title()
    assert np.allclose(line.get_xdata(), sorted(part.p.unique()))
    assert np.allclose(line.get_ydata(), part.groupby("p").tau.mean())
    heat = results.plot("p", "K", heat="T_star")
    cases = results.cases_frame().pivot(index="K", columns="p", values="T_star")
    assert np.allclose(heat.axes[0].collections[0].get_array().reshape(6, 6), cases)
    logarithmic = tasfg.open(studies["curves"]).only(["full"]).plot("p", "T_star", hue="K")
    assert logarithmic.axes[0].get_xscale() == "log" and len(logarithmic.axes[0].lines) == 2
    plt.close("all")


def test_cases_are_called_by_what_tells_them_apart(studies):
    def called(study_name):
        cases = names.name_cases(tasfg.open(studies[study_name]).cases_frame())
        return [names.case_title(case) for _, case in cases.iterrows()]

    assert called("files") == [
        "Graph from a file, hospital-triage",
        "Graph from a file, ads",
        "Graph from a file, sensor ne… (north)",
    ]
    assert called("random")[5] == "Random graph, K\u202f=\u202f8, seed 1"
    assert called("rewards") == [
        "Bandit, K\u202f=\u202f4, p\u202f=\u202f0.5, bernoulli",
        "Bandit, K\u202f=\u202f4, p\u202f=\u202f1, bernoulli",
        "Bandit, K\u202f=\u202f4, p\u202f=\u202f0.5, gaussian",
        "Bandit, K\u202f=\u202f4, p\u202f=\u202f1, gaussian",
        "Ring, K\u202f=\u202f4",
    ]
    assert called("grid")[-1] == "Ring, K\u202f=\u202f8, p\u202f=\u202f0.5" and len(set(called("grid"))) == 36


def test_confidences_are_called_as_they_were_given():
    assert names.delta_axis(-np.log([0.1, 0.05, 0.001])) == (style.DELTA, ["0.1", "0.05", "0.001"])
    assert names.delta_axis([1.0, 2.2, 7.0]) == (style.LOG_INV_DELTA, ["1", "2.2", "7"])
    assert names.delta_number(-np.log(1e-40)) == "1e-40" and names.delta_number(7.0) == "e^−7"
    assert [names.delta_text(x) for x in (-np.log(0.05), 7.0, 2.2)] == [
        names.equation("δ", value) for value in ("0.05", "e⁻⁷", "exp(−2.2)")
    ]


def test_every_case_with_runs_is_shown_whatever_the_files_hold_beside_it(study, studies, curves, draw):
    """Six curves and more come first in the list of cases; none of them has runs."""
    both = draw("boxes", curves["fig-ring"], study)
    assert [axes.get_title() for axes in both.axes] == [style.GRAPHS[g] for g in GRAPHS]
    assert "of" not in draw("boxes", studies["grid"])._supxlabel.get_text().split()
    panels = draw("boxes", studies["grid"]).axes
    assert sum(len(axes.get_xticks()) for axes in panels) == 36
    assert "24 of 36 cases (choose with --cases)" in draw("tau", studies["grid"])._supxlabel.get_text()
    ten = draw("loopy-star", studies["curves"])
    assert len(ten.axes[0].lines) == 10  # all values of q


def test_capped_runs_are_drawn_as_open(studies, draw):
    figure = draw("boxes", studies["capped"], log_inv_delta=-np.log(0.1))
    frame = tasfg.open(studies["capped"]).runs_frame()
    frame = frame[(frame.delta == 0.1) & (frame.label == "loopy-star K=5 p=0.2 q=0.25 r=0.25")]
    slow = frame[frame.algorithm == "exp3.g"]
    assert slow.tau.isna().all()  # every run was capped: an arrow at the cap, and no box
    axes = figure.axes[0]
    arrows = [line for line in axes.lines if line.get_marker() == "^"]
    cap = 2000 / frame.lower_bound.iloc[0]
    assert any(np.allclose(line.get_ydata()[0], cap) for line in arrows)
    said = [text.get_text() for text in axes.texts]
    assert "0/8" in said
    medians, means = boxes_in(axes)
    there = {a: part.normalised for a, part in frame.groupby("algorithm", observed=True)}
    for values in there.values():
        full = np.median(values.fillna(np.inf))
        assert np.isfinite(full) == any(np.isclose(full, m) for m in medians.values())
        assert values.notna().all() == any(np.isclose(values.mean(), m) for m in means.values())
    assert "Open boxes and arrows" in figure._supxlabel.get_text()
    survival = draw("survival", studies["capped"], log_inv_delta=-np.log(0.1)).axes[0]
    fast = frame[frame.algorithm == "tas-fg"].tau.dropna()
    line = survival.lines[0]
    for t in (fast.min(), fast.median(), fast.max()):
        at = np.searchsorted(line.get_xdata(), t, side="right") - 1
        assert np.isclose(line.get_ydata()[at], 1 - (fast <= t).sum() / 8)


def test_one_capped_run_far_beyond_the_others_leaves_the_boxes_as_they_are(study, tmp_path, draw):
    """Seven of eight stopped, long before max_steps = 10⁹: all quartiles are known, and the axis does not go there."""
    shutil.copy(study, tmp_path / "one.h5")
    with h5py.File(tmp_path / "one.h5", "r+") as file:
        file["runs/status"][0, 0, 1] = 2
        file["runs/stopped"][0, 0, 2, 1] = 0
    seal(tmp_path / "one.h5")
    figure = draw("boxes", tmp_path / "one.h5")
    assert faults_of(figure) == [] and figure.axes[0].get_ylim()[1] < 1000
    medians, means = boxes_in(figure.axes[0])
    assert len(medians) == 8 and len(means) == 7


def test_a_mean_beyond_the_whiskers_is_within_the_axis():
    far = estimates.Box.of(estimates.Sample.of([1.0, 1.1, 1.2, 1.3, 1.4, 1.5, 1e5]))
    assert far.high < 2 < far.mean
    panel = plt.figure().subplots()
    samples.draw_boxes(panel, [(0.0, far, "#808080")], 0.5)
    assert panel.get_ylim()[1] > far.mean
    assert samples._range([far]) == (1.0, far.mean)
    plt.close("all")


def test_answers_at_any_time_are_those_of_the_checkpoints(anytime, draw):
    figure = draw("anytime", anytime)
    frame = tasfg.open(anytime).checkpoints_frame()
    error, time = figure.axes[:2]
    assert len(figure.axes) == 8 and error.get_xscale() == error.get_yscale() == time.get_yscale() == "log"
    part = frame[(frame.graph == "loopy-star") & (frame.algorithm == "tas-fg")]
    wrong = (~part.checkpoint_correct.astype(bool)).groupby(part.checkpoint).sum()
    low, high = estimates.clopper_pearson(wrong, 12)
    bars = [c for c in error.collections if isinstance(c, LineCollection)][0].get_segments()
    assert np.allclose([bar[1, 1] for bar in bars], high)
    rates = error.lines[0].get_ydata()
    assert np.allclose(rates[wrong > 0], wrong[wrong > 0] / 12) and np.isnan(rates[wrong == 0]).all()
    medians = part.groupby("checkpoint").checkpoint_T_ratio.quantile(0.5, interpolation="nearest")
    assert np.allclose(time.lines[0].get_ydata(), medians)
    assert medians.iloc[-1] < medians.iloc[0]


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
            named = dict(re.findall("(\\w)\u202f=\u202f([^,]+)", line.get_label()))
            assert named
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
    cases = tasfg.open(study).cases
    cases = cases.isel(case=(cases.graph == graph).values)
    assert len(figure.axes) == cases.sizes["case"]
    for axes, i in zip(figure.axes, range(cases.sizes["case"])):
        case = cases.isel(case=i)
        K = int(case.K)
        for bars, name in zip(axes.containers, ("omega", "omega_heuristic", "m")):
            assert np.array_equal([bar.get_height() for bar in bars], case[name].values[:K])


def boxes_in(axes):
    """Median and mean of each box plot, by position."""
    medians, means = {}, {}
    for lines in (c for c in axes.collections if isinstance(c, LineCollection) and c.get_zorder() == 2.2):
        for segment in lines.get_segments():
            medians[round(float(segment[:, 0].mean()), 6)] = segment[0, 1]
    for line in (line for line in axes.lines if line.get_marker() == "+"):
        means |= {round(float(x), 6): y for x, y in zip(line.get_xdata(), line.get_ydata())}
    return medians, means


def test_boxes_have_the_runs_medians_and_means(study, draw):
    figure = draw("boxes", study)
    frame = tasfg.open(study).runs_frame()
    frame = frame[frame.log_inv_delta == 7.0]
    assert [axes.get_title() for axes in figure.axes] == [style.GRAPHS[g] for g in GRAPHS]
    for axes, graph in zip(figure.axes, GRAPHS):
        groups = frame[frame.graph == graph].groupby(["K", "algorithm"], observed=True).normalised
        medians, means = boxes_in(axes)
        assert len(means) == len(groups) == len(medians)
        assert np.allclose(sorted(medians.values()), sorted(groups.median()), rtol=1e-12)
        assert np.allclose(sorted(means.values()), sorted(groups.mean()), rtol=1e-12)
        left = groups.mean().groupby("K").first()  # TaS-FG is first of each group
        for g, K in enumerate(sorted(left.index)):
            near = min(means, key=lambda x: abs(x - (g - 0.84 * 3 / 2 / 4)))
            assert np.isclose(means[near], groups.mean()[K, "tas-fg"], rtol=1e-12)
        assert any(list(line.get_ydata()) == [1.0, 1.0] for line in axes.lines)  # the lower bound
        assert not axes.child_axes


def test_the_slow_algorithm_is_left_out_of_one_figure_and_said_so(studies, draw):
    without, all_of_them = draw("boxes", studies["capped"]), draw("boxes-all", studies["capped"])
    labels = [[text.get_text() for text in figure.legends[0].get_texts()] for figure in (without, all_of_them)]
    assert "UCB-FG-V" not in labels[0] and "UCB-FG-V" in labels[1]
    assert "Without UCB-FG-V" in without._supxlabel.get_text()


def test_another_delta_can_be_asked_for(study, draw):
    assert "e⁻³" in draw("boxes", study, log_inv_delta=3.0)._supxlabel.get_text()
    with pytest.raises(tasfg.UserError, match="--log-inv-delta 4 \\(the file has 1, 3, 7, "):
        draw("boxes", study, log_inv_delta=4.0)


@pytest.mark.parametrize("name", ["tau", *(f"tau-{g}" for g in GRAPHS)])
def test_tau_over_delta_has_a_box_per_algorithm_and_delta_and_the_bound(study, draw, name):
    figure = draw(name, study)
    frame = tasfg.open(study).runs_frame()
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
        bounds = [c for c in axes.collections if isinstance(c, LineCollection) and c.get_linewidth()[0] == 0.9]
        for drawn, column in zip(bounds, ("lower_bound", "practical_bound")):
            found = [segment[0, 1] for segment in drawn.get_segments()]
            assert np.allclose(found, part.groupby("log_inv_delta")[column].first(), rtol=1e-12)
        assert axes.get_yscale() == "log" and len(bounds) == 2
        lowest = min(part.tau.min(), part.practical_bound.min())
        assert axes.get_ylim()[0] > lowest / 5.5  # no decades of empty axis for the bound at δ = 1/e


def test_error_rates_and_intervals_are_those_of_the_runs(study, tmp_path, draw):
    with_errors = tmp_path / "errors.h5"
    shutil.copy(study, with_errors)
    with h5py.File(with_errors, "r+") as file:
        file["runs/correct"][3, 0, 0, :3] = 0
        file["runs/correct"][5, 2, 1, 7] = 0
    seal(with_errors)
    frame = tasfg.open(with_errors).runs_frame()
    table = checks.error_table(frame, ["graph", "algorithm", "log_inv_delta"])
    wrong = frame[frame.correct == False]  # noqa: E712
    assert table.errors.sum() == len(wrong) >= 4
    row = table[(table.graph == "ring") & (table.algorithm == "tas-fg") & (table.log_inv_delta == 1.0)].iloc[0]
    of_row = (wrong.graph == "ring") & (wrong.algorithm == "tas-fg") & (wrong.log_inv_delta == 1.0)
    assert row.runs == 16 and row.errors == of_row.sum() >= 3
    assert np.allclose((row.low, row.high), estimates.clopper_pearson(row.errors, 16))
    figure = draw("error-rate", with_errors)
    assert len(figure.axes) == 4
    for axes, graph in zip(figure.axes, GRAPHS):
        assert len(axes.collections) == 6  # δ itself, a set of intervals per algorithm, what parts the δ
        lines = axes.collections[0].get_segments()
        assert np.allclose([line[0, 1] for line in lines], np.exp([-1.0, -3.0, -7.0])[: len(lines)])
        for x, line in enumerate(lines):  # level, over all the bars of its δ
            assert line[0, 1] == line[1, 1] and line[0, 0] < x - 0.4 and line[1, 0] > x + 0.4
        for bars, name in zip(axes.collections[1:], ("tas-fg", "tas-fg-heur", "exp3.g", "ucb-fg-e")):
            part = table[(table.graph == graph) & (table.algorithm == name)].sort_values("log_inv_delta")
            assert np.allclose([segment[1, 1] for segment in bars.get_segments()], part.high, rtol=1e-12)


def test_measured_errors_stand_over_delta_with_their_bands(weighted, draw):
    results = tasfg.open(weighted)
    table = checks.error_table(results.frame, ["label", "algorithm", "log_inv_delta"]).sort_values("log_inv_delta")
    for name in ("error", "error-rate"):
        figure = draw(name, weighted)
        assert len(figure.axes) == 2
        for axes, label in zip(figure.axes, ("ring K=3", "full K=2")):
            equal, *lines = axes.get_lines()
            assert np.allclose(equal.get_ydata(), np.exp(-equal.get_xdata()))
            assert len(axes.collections) == 2
            for line, band, algorithm in zip(lines[::2], axes.collections, ("tas-fg", "uniform")):
                part = table[table.label.str.startswith(label) & (table.algorithm == algorithm)]
                assert len(part) == 4 and (part.low < part.rate).all() and (part.rate < part.high).all()
                assert np.array_equal(line.get_xdata(), part.log_inv_delta) and np.array_equal(
                    line.get_ydata(), part.rate
                )
                edge = {tuple(point) for point in band.get_paths()[0].vertices}
                for end in (part.low, part.high):
                    assert set(zip(part.log_inv_delta, end)) <= edge
            assert axes.get_ylim()[0] < table.low.min()


def test_times_of_weighted_runs_are_not_drawn(weighted, study, draw):
    for name in ("boxes", "tau", "survival", "paired", "pulls"):
        with pytest.raises(NothingToDraw, match='weighted runs of measure = "error"'):
            draw(name, weighted)
    shown = {figure.name for figure in figures.applicable(tasfg.open(weighted))}
    assert "error" in shown and not shown & {"error-rate", "boxes", "tau", "survival", "paired", "pulls"}
    assert "error" not in {figure.name for figure in figures.applicable(tasfg.open(study))}
    with pytest.raises(NothingToDraw, match="no weighted runs"):
        draw("error", study)


def test_paired_ratios_are_over_common_seeds(study, draw):
    frame = tasfg.open(study).runs_frame()
    table = checks.paired_table(frame, "tas-fg", 7.0)
    assert len(table) == 6 * 3
    row = table[(table.label == "ring K=5 p=0.3") & (table.algorithm == "ucb-fg-e")].iloc[0]
    part = frame[(frame.label == row.label) & (frame.log_inv_delta == 7.0)].set_index("seed")
    ratio = np.log(part.tau[part.algorithm == "ucb-fg-e"] / part.tau[part.algorithm == "tas-fg"])
    assert row.seeds == 8 and np.isclose(row.ratio, np.exp(ratio.mean()))
    assert np.isclose(np.log(row.high / row.ratio), 2.364624 * ratio.std() / np.sqrt(8), rtol=1e-6)  # t, 7 degrees
    figure = draw("paired", study)
    marks = [
        float(x) for axes in figure.axes for line in axes.lines if line.get_marker() != "None" for x in line.get_xdata()
    ]
    assert np.allclose(sorted(marks), sorted(table.ratio))
    low, high = figure.axes[0].get_xlim()
    assert table.unpaired_low.min() / 1.2 < low < high < table.unpaired_high.max() * 1.2  # no empty decades
    other = draw("paired", study, baseline="exp3.g")
    assert "EXP3.G" in other.axes[-1].get_xlabel()
    with pytest.raises(tasfg.UserError, match="--baseline oracle"):
        draw("paired", study, baseline="oracle")


def paired_rows(base, other, cap=100.0):
    """The row of a comparison of two algorithms; a missing τ was capped."""
    rows = [
        ("c", a, 1.0, s, t, "capped" if np.isnan(t) else "done")
        for a, taus in (("tas-fg", base), ("uniform", other))
        for s, t in enumerate(taus)
    ]
    frame = pd.DataFrame(rows, columns=["label", "algorithm", "log_inv_delta", "seed", "tau", "status"])
    return checks.paired_table(frame, "tas-fg", 1.0, cap)


def test_pairs_with_capped_runs_say_no_more_than_is_known():
    nan = np.nan
    row = paired_rows([10, 20, 30], [20, 40, 60, 80]).iloc[0]  # three seeds in common
    assert row.seeds == 3 and np.isclose(row.ratio, 2.0) and np.isclose(row.low, 2.0) and row.unpaired_high > 2.5
    row = paired_rows([10, 10, 10, 10, 10], [20, 30, 40, 50, nan]).iloc[0]
    assert np.isclose(row.ratio, 4.0) and row.open == 0 and np.isnan(row.low)  # the median is known
    row = paired_rows([10, 20, 40, 50, 50], [20, nan, nan, nan, nan]).iloc[0]
    assert np.isclose(row.ratio, 2.0) and row.open == 1  # at least
    row = paired_rows([nan, nan, nan], [20, 40, 50]).iloc[0]
    assert np.isclose(row.ratio, 0.4) and row.open == -1  # at most
    assert len(paired_rows([nan, nan, 10], [nan, nan, 10])) == 0


def test_small_delta_shows_scaled_means_and_limits(small_delta, draw):
    figure = draw("small-delta", small_delta)
    frame = tasfg.open(small_delta).runs_frame()
    cases = tasfg.open(small_delta).cases_frame().set_index("graph")
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
        bars = axes.collections[0].get_segments()
        K = len(bars)
        assert K in (5, 6) and np.array_equal([bar[:, 1].max() for bar in bars], omega[i, :K])
        drawn = [line.get_ydata() for line in axes.lines]
        assert len(drawn) == 4
        for algorithm, values in enumerate(drawn):
            shares = pulls[i, algorithm, :, :K] / pulls[i, algorithm, :, :K].sum(axis=1, keepdims=True)
            assert np.allclose(values, shares.mean(axis=0), rtol=1e-12)


def test_drawings_have_every_edge(study, studies, draw):
    for file, count in ((study, 4), (studies["files"], 3)):
        figure = draw("graphs", file)
        results = tasfg.open(file)
        shown = [axes for axes in figure.axes if axes.get_visible()]
        assert len(shown) == 2 * count
        for top, bottom in zip(shown[:count], shown[count:]):
            matrix = np.asarray(bottom.images[0].get_array())
            case = [i for i in range(results.cases.sizes["case"]) if np.array_equal(results.graph(i), matrix)]
            assert len(case) >= 1
            arcs, loops, vertices = (c for c in top.collections if isinstance(c, PathCollection))
            assert len(arcs.get_paths()) == (matrix > 0).sum() - (np.diag(matrix) > 0).sum()
            assert len(loops.get_paths()) == (np.diag(matrix) > 0).sum() and len(vertices.get_paths()) == len(matrix)


def test_every_algorithm_has_a_colour_of_its_own_and_the_programs_names():
    listed = run("list").stdout.split("Algorithms")[1].split("Thresholds")[0]
    known = re.findall(r"^  (\S+)  ", listed, flags=re.M)
    assert len(known) == 11 and set(known) == set(style.ALGORITHMS)
    assert len({look.colour for look in style.ALGORITHMS.values()}) == len(known)
    assert len({look.marker for look in style.ALGORITHMS.values()}) == len(known)
    families = re.findall(r"^  (\S+)  ", run("list").stdout.split("Reward families")[0], flags=re.M)
    assert set(families) == set(style.GRAPHS)


def test_rules_of_ones_own_are_as_visible_as_the_others(studies, draw):
    figure = draw("survival", studies["own"])
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert "my-thompson" in texts and "libexplore.so:explore_then_go" in texts
    looks = [
        style.algorithm_colour(name) for name in ("my-thompson", "libexplore.so:explore_then_go", "tas-fg", "oracle")
    ]
    assert len(set(looks)) == 4 and style.GREY not in looks
    assert style.ink_on(style.algorithm_colour("oracle")) == "#000000"  # its median can be seen


def test_unfinished_files_are_drawn_with_what_is_there(study_job, tmp_path, draw):
    run("sweep", study_job, "-o", tmp_path / "part.h5", "--shard", "0/3", "-q")
    for name in ("boxes", "tau", "error-rate", "paired", "pulls"):
        figure = draw(name, tmp_path / "part.h5")
        if name != "pulls":
            assert "pending" in figure._supxlabel.get_text()
