"""One HTML page about result files that needs nothing else: no network, no other file. Everything that comes from the
files is escaped; scripts only sort and filter what is there."""

from __future__ import annotations

import base64
import contextlib
import gc
import html
import importlib.resources
import io
import math
import os
import pathlib
from collections.abc import Iterable, Iterator

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.backends.backend_svg import FigureCanvasSVG

from . import comparison, figures, style
from .certified import Curves
from .errors import NothingToDraw, UserError
from .files import replacing
from .names import delta_number
from .reader import DONE, PENDING, CurveFile, ResultFile
from .results import Results
from .tables import error_text, mean_text, quantile_text, ratio_text, statistics

MOST_CASES = 300  # with details of their own; the tables have all, up to MOST_ROWS
MOST_ROWS = 5000
MOST_BYTES = 1_000_000  # of a drawing as SVG


def _text(value) -> str:
    return html.escape(str(value), quote=True)


def _number(value, digits: int = 4) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)) or value is pd.NA:
        return "–"
    if math.isinf(value):
        return "∞"
    if float(value).is_integer() and abs(value) < 1e15:
        return f"{int(value):,}".replace(",", "\u202f")
    return f"{value:,.0f}".replace(",", "\u202f") if abs(value) >= 1000 and digits < 8 else f"{value:.{digits}g}"


def _cell(value) -> str:
    """A word, a number, or (number, text): what is sorted by, and what is shown."""
    if isinstance(value, str):
        return f"<td>{_text(value)}</td>"
    value, shown = value if isinstance(value, tuple) else (value, None)
    missing = value is None or value is pd.NA or (isinstance(value, float) and math.isnan(value))
    key = "" if missing else "1e999" if math.isinf(value) else repr(float(value))
    return f'<td class=n data-v="{key}">{_number(value) if shown is None else _text(shown)}</td>'


def _table(
    name: str, caption: str, columns: list[tuple[str, str]], rows: Iterable[Iterable], filtered: bool = False
) -> str:
    """A table that sorts. columns: (heading, explanation)."""
    rows = lists = [list(row) for row in rows]
    numeric = [bool(rows) and not isinstance(lists[0][i], str) for i in range(len(columns))]
    more = ""
    if len(rows) > MOST_ROWS:
        more = (
            f"<p class=soft>The first {MOST_ROWS} of {len(rows)} rows; <code>tasfg-analysis table</code> has all.</p>"
        )
        rows = rows[:MOST_ROWS]
    head = "".join(
        f'<th scope=col{" class=n" if n else ""} title="{_text(explanation)}"><button type=button>{_text(heading)}'
        "</button></th>"
        for (heading, explanation), n in zip(columns, numeric)
    )
    body = "\n".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    field = (
        (
            f'<input type=search data-filters="{name}" placeholder="filter rows, e.g. ring tas-fg" aria-label="Filter rows of: '
            f'{_text(caption)}">'
        )
        if filtered and len(rows) > 12
        else ""
    )
    return (
        f'{field}<div class=scroll tabindex=0 role=region aria-label="{_text(caption)}"><table class=sortable id="{name}">'
        f"<caption>{_text(caption)}</caption><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>{more}"
    )


def _facts(rows: Iterable[tuple[str, str]]) -> str:
    body = "".join(f"<tr><th scope=row>{_text(name)}</th><td>{_text(value)}</td></tr>" for name, value in rows)
    return f"<div class='scroll whole' tabindex=0><table class=facts><tbody>{body}</tbody></table></div>"


def _image(drawing) -> str:
    """A figure as a data URL. SVG stays sharp on a phone and is small; drawings with very many marks are smaller as PNG."""
    data = io.BytesIO()
    with style.applied():
        # Not savefig, which draws everything twice.
        FigureCanvasSVG(drawing).print_svg(data, metadata={"Date": None})
        kind = "svg+xml"
        if data.tell() > MOST_BYTES:
            data, kind = io.BytesIO(), "png"
            drawing.set_dpi(150)
            FigureCanvasAgg(drawing).print_png(data)
    return f"data:image/{kind};base64," + base64.b64encode(data.getvalue()).decode()


def _figure(drawing, name: str, summary: str, caption: str) -> str:
    """`caption` is HTML."""
    narrow = " class=narrow" if drawing.get_figwidth() < 5 else ""
    return (
        f'<figure id="figure-{_text(name)}"{narrow}><div class=picture tabindex=0><img src="{_image(drawing)}" '
        f'alt="{_text(summary)}"></div><figcaption>{caption}</figcaption></figure>'
    )


def _duration(seconds: float) -> str:
    for size, unit in ((3600.0, "h"), (60.0, "min")):
        if seconds >= size:
            return f"{seconds / size:.1f} {unit}"
    return f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"


def _summary(results: Results) -> str:
    count = results.run_counts
    cases = results.cases
    solved = int((cases.status.values == DONE).sum())
    total = sum(count.values())
    cards = [
        ("cases solved", f"{solved} of {cases.sizes['case']}"),
        ("runs settled", f"{total - count['pending'] - count['not needed']} of {total - count['not needed']}"),
    ]
    if total:
        sums = results.run_totals("steps", "seconds")
        cards += [("draws", f"{sums['steps']:.3g}"), ("computing time", _duration(sums["seconds"]))]
    for status, text in (
        ("capped", "capped at max_steps"),
        ("failed", "failed"),
        ("not needed", "not needed: precise enough"),
    ):
        if count[status]:
            cards.append((text, _number(count[status])))
    items = "".join(f"<li><b>{_text(value)}</b><span>{_text(name)}</span></li>" for name, value in cards)
    remarks = []
    for file in results.files:
        status = str(file.attributes["status"])
        pending = int((file.run_status[results._wanted(file.labels)] == PENDING).sum())
        if status != "complete" or pending:
            remarks.append(
                f"<p class=bad>{_text(file.name)}: status {_text(status)}, {pending} runs pending as of "
                f"{_text(file.attributes['updated'])}; numbers below are those of the settled runs.</p>"
            )
    if len(results.settings) > 1:
        remarks.append(
            "<p>The files' runs follow different settings: no figure mixes them, and tables keep them apart.</p>"
        )
    if results.damaged:
        remarks.append(
            f"<p class=bad>{results.damaged} runs do not fit their checksums and are left out; <code>tasfg verify</code> lists "
            "them, continuing the sweep runs them again.</p>"
        )
    for asked in dict.fromkeys(str(file.attributes.get("precision") or "") for file in results.files):
        if asked:
            remarks.append(
                f"<p>Cells ran until they were precise enough ({_text(asked)}: relative half-widths), so that numbers of runs "
                "differ; the intervals of means, medians, ratios and error probabilities allow for that.</p>"
            )
    if count["capped"]:
        remarks.append(
            f"<p>{_number(count['capped'])} runs were capped at max_steps. Where they had not stopped they are censored: "
            "quantiles below the cap are known, those beyond are open, and there is no mean.</p>"
        )
    gap = ((cases.T_star - cases.T_star_lower) / cases.T_star).values
    if solved:
        remarks.append(f"<p>Certified relative gap of T* at most {np.nanmax(gap):.1e} over all cases.</p>")
    faces = int(np.nansum(cases.face_dimension.values > 0))
    if faces:
        remarks.append(
            f"<p>In {faces} of {solved} cases ω* is not unique: what is shown of ω*, m* and their distances there is "
            "that of the centre of the optimal set, and another solver may return another point. T* is the same.</p>"
        )
    return f"<ul class=cards>{items}</ul>" + "".join(remarks)


def _programs(file: ResultFile) -> list[str]:
    """Which program made how many runs, in how many sittings."""
    by_program: dict = {}
    for each in file.sittings():
        by_program.setdefault((each.code_version, each.git_commit, each.build), []).append(each)
    return [
        f"tasfg {version} ({commit}; {build}): {_number(sum(each.runs for each in sittings))} runs in "
        f"{len(sittings)} sitting{'s' * (len(sittings) > 1)}, the first {sittings[0].started}"
        for (version, commit, build), sittings in by_program.items()
    ]


def _provenance(file: ResultFile) -> str:
    a = file.attributes
    rows = [
        ("file", file.name),
        ("job", f"{a.get('job_name', '')} ({a.get('job_origin', '')})"),
        ("overrides", str(a.get("job_overrides", "")).strip() or "none"),
        ("shard", a.get("shard") or "none: the whole grid"),
        ("status", a["status"]),
        ("created, updated", f"{a.get('created', '')}, {a['updated']}"),
        ("file made by", f"tasfg {a.get('code_version', '')} ({a.get('git_commit', '')}; {a.get('build', '')})"),
        *(("runs made by", text) for text in _programs(file)),
        ("hosts", a.get("hosts", "")),
        ("ranks, threads", f"{a.get('ranks', '')}, {a.get('threads', '')}"),
        ("setting, threshold", f"{a['setting']}, {a['threshold']}"),
        ("conventions", f"{a['conventions']}: {a['convention_points']}"),
        ("stream, master seed", f"{a['stream']}, {a['seed']}"),
        ("max_steps", _number(a["max_steps"])),
        ("format_version", a.get("format_version", "")),
    ]
    return _facts(rows) + f"<details><summary>The job file, verbatim</summary><pre>{_text(a['job'])}</pre></details>"


def _results_table(results: Results) -> str:
    if not len(results.frame):
        return ""
    table = statistics(results, ["label", "algorithm", "log_inv_delta"])
    several = "file" in table  # runs of different settings
    ratios = "ratio" in table  # the job asked for them
    table = table[(table.runs > 0) | (table.failed > 0)]
    columns = [
        *[("file", "whose runs follow settings of their own")] * several,
        ("case", "graph and parameters"),
        ("algorithm", ""),
        ("δ", "error probability allowed"),
        ("runs", "settled ones"),
        ("mean τ", "draws, with half the 95 % interval; none where a run was capped"),
        ("q1", "first quartile of τ"),
        ("median", "of τ"),
        ("q3", "third quartile of τ"),
        ("T* kl", "lower bound on the mean: T* kl(δ, 1−δ)"),
        ("practical", "the t with t = T* β(t, δ)"),
        ("τ/(T* kl)", "mean τ over the lower bound, with half the 95 % interval"),
        *[("τ/τ of the first", "mean over the first algorithm's, with half the 95 % interval, and common seeds")]
        * ratios,
        ("errors", "wrong recommendations"),
        ("error rate", "with its 95 % interval: Clopper–Pearson's, or that of weighted runs"),
        ("capped", "before stopping at this δ"),
        ("failed", "failed runs"),
    ]
    rows = (
        [
            *[str(r.file) if several else ""] * several,
            str(r.label),
            style.algorithm_name(str(r.algorithm)),
            (-float(r.log_inv_delta), delta_number(r.log_inv_delta)),
            int(r.runs),
            (r.mean, mean_text(r.mean, r.half_width)),
            *((value, quantile_text(value, r.cap)) for value in (r.q1, r.median, r.q3)),
            r.lower_bound,
            r.practical_bound,
            (r.normalised, mean_text(r.normalised, r.normalised_half_width)),
            *([(r.ratio, ratio_text(r))] if ratios else []),
            int(r.errors) if r.runs else None,
            (r.error, error_text(r)),
            int(r.capped),
            int(r.failed),
        ]
        for r in table.itertuples(index=False)
    )
    return "<h2 id=results>Stopping times</h2>" + _table(
        "stopping-times", "Stopping times per case, algorithm and δ", columns, rows, filtered=True
    )


def _cases_table(results: Results) -> str:
    frame = results.cases_frame()
    columns = [
        ("case", "graph and parameters"),
        ("K", "vertices"),
        ("T*", "characteristic time"),
        ("gap", "certified relative gap"),
        ("T heur / T*", "T at the heuristic allocation over T*"),
        ("T uniform / T*", "T at the uniform allocation over T*"),
        ("TV", "total variation between ω* and the heuristic allocation"),
        ("‖m*‖", "norm of the observation rates"),
        ("face", "dimension of the set of optimal allocations; 0: unique"),
        ("α", "independence number"),
        ("observability", ""),
    ]
    rows = (
        [
            str(r.label),
            int(r.K),
            r.T_star,
            (r.T_star - r.T_star_lower) / r.T_star,
            r.T_heuristic / r.T_star,
            r.T_uniform / r.T_star,
            r.tv_heuristic,
            r.m_norm,
            r.face_dimension,
            r.alpha,
            str(r.observability),
        ]
        for r in frame.itertuples(index=False)
    )
    return "<h2 id=cases>Cases</h2>" + _table(
        "all-cases", "Cases: characteristic times and graphs", columns, rows, filtered=True
    )


def _details(results: Results) -> str:
    frame, cases = results.cases_frame(), results.cases
    arrays = [cases[name].values for name in ("means", "omega", "omega_heuristic", "m")]
    head = "".join(f"<th scope=col class=n>{x}</th>" for x in ("vertex", "mean", "ω*", "ω heur", "m*"))
    parts = []
    for i, case in enumerate(frame.head(MOST_CASES).itertuples(index=False)):
        K = int(case.K)
        if K > 64:
            body = f"<p class=soft>{K} vertices; see the file.</p>"
        else:
            rows = zip(range(K), *(values[i, :K].tolist() for values in arrays))
            cells = "".join("<tr>" + "".join(f"<td class=n>{_number(x)}</td>" for x in row) + "</tr>" for row in rows)
            body = f"<div class=scroll tabindex=0><table><thead><tr>{head}</tr></thead><tbody>{cells}</tbody></table></div>"
        face = ""
        if case.face_dimension > 0:
            face = f" ω* is not unique: it is the centre of an optimal set of dimension {case.face_dimension:.0f}."
        low, high = _number(case.T_star_lower, 10), _number(case.T_star, 10)
        facts = (
            f"<p>{_text(case.reward)} rewards; best vertex {int(case.best)}; T* in [{low}, {high}]; "
            f"{_text(case.observability)}ly observable; {int(case.edges)} edges, "
            f"{_number(case.self_loops)} self-loops, α {_number(case.alpha)}, weak domination "
            f"{_number(case.weak_domination)}.{face}</p>"
        )
        if case.status != "done":
            facts = f"<p class=soft>{'Failed' if case.status == 'failed' else 'Not solved yet'}.</p>"
        parts.append(f"<details><summary>{_text(case.label)}</summary>{facts}{body}</details>")
    more = f"<p class=soft>The first {MOST_CASES} of {len(frame)} cases.</p>" if len(frame) > MOST_CASES else ""
    return "<h2 id=details>Each case</h2>" + "".join(parts) + more


def _failures(results: Results) -> str:
    failures = results.failures()
    if not failures:
        return ""
    items = "".join(
        f"<details open><summary><b>{_text(f.label)}</b> {_text(f.algorithm or 'its solution')}"
        f"{f' seed {f.seed}' if f.algorithm else ''}: <span class=bad>{_text(f.message)}</span></summary>"
        f"<pre>{_text(f.replay)}</pre></details>"
        for f in failures
    )
    return (
        "<h2 id=failures>Failed tasks</h2><p>Each with the command that runs it alone; "
        f"<code>tasfg sweep … --retry-failed</code> tries them again.</p>{items}"
    )


@contextlib.contextmanager
def _without_collection() -> Iterator[None]:
    """Drawing makes millions of objects that go as soon as nobody refers to them; looking for cycles among them takes a
    twentieth of the time."""
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collects:
            gc.enable()


def _figures(results: Results) -> str:
    files = " ".join(file.name for file in results.files)
    parts = []
    some = figures.applicable(results)
    names = {figure.name for figure in some}
    # What the sweep was for comes first.
    runs = ("boxes", "tau", "survival", "error", "anytime", "paired", "small-delta", "pulls")
    some.sort(key=lambda f: (not f.name.startswith(runs), f.name in ("bars", "graphs")))
    for figure in some:
        # One graph's panels are in the figure of all graphs, and ω* in that of the draws.
        if figure.name.startswith(("tau-", "bars-")) or (figure.name == "bars" and "pulls" in names):
            continue
        try:
            drawing = figures.draw(figure, results)
        except NothingToDraw:
            continue
        try:
            caption = (
                f"{_text(figure.summary[0].upper() + figure.summary[1:])}. "
                f"<code>tasfg-analysis figure {_text(figure.name)} {_text(files)}</code>"
            )
            parts.append(_figure(drawing, figure.name, figure.summary, caption))
        finally:
            plt.close(drawing)
    return f"<h2 id=figures>Figures</h2><div class=figures>{''.join(parts)}</div>" if parts else ""


def _published(results: Results, path: os.PathLike | str) -> str:
    published = comparison.read_published(path)
    ours = comparison.matching_runs(results, published)
    table = comparison.test_table(ours, published)
    if not len(table):
        raise UserError(f"{path}: no cell in common with the result file (graph, K, algorithm, ln(1/δ))")
    parts = ["<h2 id=published>Beside the published runs</h2>"]
    conventions = results.settings[0][1]
    if conventions != "reference":
        parts.append(
            f"<p class=bad>These runs follow conventions = {_text(conventions)}; the published ones follow reference.</p>"
        )
    parts.append("<ul>" + "".join(f"<li>{_text(line)}</li>" for line in comparison.summary(table)) + "</ul>")
    with style.applied():
        for drawing, name, text in (
            (comparison.distributions(ours, published), "published-boxes", "Our runs beside the published ones"),
            (comparison.medians(table), "published-medians", "Medians over the published ones"),
        ):
            parts.append(_figure(drawing, name, text, f"{text}."))
            plt.close(drawing)
    columns = [
        ("graph", ""),
        ("K", ""),
        ("algorithm", ""),
        ("ln(1/δ)", ""),
        ("n", "our runs"),
        ("n publ.", "published runs"),
        ("median", "ours"),
        ("publ. median", ""),
        ("low", "95 % bootstrap interval of the published median"),
        ("high", "95 % bootstrap interval of the published median"),
        ("inside", "1: our median lies in it"),
        ("rank p", "Mann–Whitney test"),
        ("Holm", "the same, adjusted over all cells"),
        ("KS p", "Kolmogorov–Smirnov test"),
        ("errors", "ours"),
        ("publ. errors", ""),
    ]
    rows = (
        [
            r.graph,
            int(r.K),
            style.algorithm_name(r.algorithm),
            r.log_inv_delta,
            int(r.runs),
            int(r.published_runs),
            r.median,
            r.published_median,
            r.interval_low,
            r.interval_high,
            int(r.inside),
            r.rank_p,
            r.rank_p_holm,
            r.ks_p,
            int(r.errors),
            int(r.published_errors),
        ]
        for r in table.itertuples(index=False)
    )
    parts.append(_table("published-tests", "Tests per cell", columns, rows, filtered=True))
    return "".join(parts)


def render(results: Results, published: os.PathLike | str | None = None, with_figures: bool = True) -> str:
    """The page as HTML."""
    names = list(dict.fromkeys(str(file.attributes.get("job_name", "")) or file.path.stem for file in results.files))
    title = ", ".join(names)
    with _without_collection():
        drawn = _figures(results) if with_figures else ""
        beside = _published(results, published) if published else ""
    sections = [
        drawn,
        beside,
        _results_table(results),
        _cases_table(results),
        _details(results),
        _failures(results),
    ]
    provenance = "<h2 id=provenance>Provenance</h2>" + "".join(map(_provenance, results.files))
    body = "".join([sections[-1], *sections[:-1], provenance])  # what failed comes first
    return _page(title, _summary(results), body)


def render_curves(curves: Curves, with_figures: bool = True) -> str:
    """The page about files of `tasfg curve`: figures, where regimes change, provenance."""
    body = (_curve_figures(curves) if with_figures else "") + _regimes_table(curves) + _curves_table(curves)
    body += "<h2 id=provenance>Provenance</h2>" + "".join(map(_curve_provenance, curves.files))
    return _page(curves.names, "", body)


def _curve_figures(curves: Curves) -> str:
    """Curves over one and the same parameter in one figure, and each map."""
    lines: dict = {}
    for file in curves.files:
        lines.setdefault(file.axes[0] if len(file.axes) == 1 else file.name, []).append(file)
    parts: list[str] = []
    for files in lines.values():
        figure = figures.figure_named("curve" if len(files[0].axes) == 1 else "map")
        some = Curves.of(files)
        drawing = figures.draw(figure, some)
        try:
            caption = (
                f"{_text(figure.summary[0].upper() + figure.summary[1:])}. "
                f"<code>tasfg-analysis figure {figure.name} {_text(' '.join(file.name for file in files))}</code>"
            )
            parts.append(_figure(drawing, f"{figure.name}-{len(parts)}", figure.summary, caption))
        finally:
            plt.close(drawing)
    return f"<h2 id=figures>Figures</h2><div class=figures>{''.join(parts)}</div>"


def _regimes_table(curves: Curves) -> str:
    """Where the support of ω* changes, along every certified parameter."""
    rows = []
    for file in curves.files:
        certified = [name for name in file.axes if name not in file.sampled]
        for i, change in file.regimes.iterrows():
            low, high = (float(change[f"{certified[0]}_{end}"]) for end in ("low", "high"))
            rows.append(
                [
                    file.name,
                    ", ".join(f"{name} = {change[name]:g}" for name in file.sampled) or "–",
                    certified[0],
                    (low, f"{low:.12g}"),
                    (high, f"{high:.12g}"),
                    (high - low, f"{high - low:.1e}"),
                    *(
                        ", ".join(map(str, np.flatnonzero(which[i] == 1))) or "–"
                        for which in (file.entering, file.leaving)
                    ),
                ]
            )
    if not rows:
        return ""
    columns = [
        ("file", ""),
        ("at", "the value of the sampled parameter"),
        ("parameter", "along which regimes change"),
        ("from", "lower end of the bracket"),
        ("to", "upper end of the bracket"),
        ("width", "of the bracket"),
        ("entering", "vertices, from 0, that enter the support as the parameter rises"),
        ("leaving", "vertices, from 0, that leave it"),
    ]
    return "<h2 id=regimes>Regimes</h2>" + _table(
        "regimes-table", "Where the support of ω* changes", columns, rows, filtered=True
    )


def _curves_table(curves: Curves) -> str:
    rows = []
    for file in curves.files:
        count = file.cells.outcome.value_counts() if len(file.cells) else pd.Series(dtype=int)
        finite = file.points.T_star[np.isfinite(file.points.T_star)]
        rows.append(
            [
                file.name,
                str(file.attributes["description"]),
                " ".join(file.axes),
                float(file.attributes["tolerance"]),
                len(file.points),
                *(int(count.get(outcome, 0)) for outcome in range(4)),
                finite.min() if len(finite) else None,
                finite.max() if len(finite) else None,
            ]
        )
    columns = [
        ("file", ""),
        ("models", ""),
        ("over", "parameters"),
        ("tolerance", "upper bound over lower bound, less 1"),
        ("points", "solved"),
        ("certified", "intervals or cells within the tolerance"),
        ("infinite", "where T* is infinite throughout"),
        ("diverging", "where T* is infinite at a corner"),
        ("open", "as small as they get, and not within the tolerance"),
        ("least T*", "of the points"),
        ("largest T*", "of the points where it is finite"),
    ]
    return "<h2 id=curves>Curves</h2>" + _table("curves-table", "Curves and maps", columns, rows)


def _curve_provenance(file: CurveFile) -> str:
    a = file.attributes
    return _facts(
        [
            ("file", file.name),
            ("command", f"tasfg curve {a['command']}"),
            ("created", a["created"]),
            ("made by", f"tasfg {a['code_version']} ({a['git_commit']}; {a['build']})"),
            *(("sampled", f"{name}: {why}") for name, why in file.sampled.items()),
        ]
    )


def _page(title: str, summary: str, body: str) -> str:
    links = "".join(
        f'<a href="#{anchor}">{text}</a>'
        for anchor, text in (
            ("failures", "failed tasks"),
            ("figures", "figures"),
            ("regimes", "regimes"),
            ("curves", "curves"),
            ("published", "published runs"),
            ("results", "stopping times"),
            ("cases", "cases"),
            ("details", "each case"),
            ("provenance", "provenance"),
        )
        if f"<h2 id={anchor}>" in body
    )
    here = importlib.resources.files(__package__)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{_text(title)} – tasfg report</title>
<link rel="icon" href="data:,">
<style>{(here / "report.css").read_text(encoding="utf-8")}</style>
</head>
<body>
<header><p class=soft>tasfg report</p><h1>{_text(title)}</h1></header>
<nav aria-label="Sections">{links}</nav>
<main>
{summary}
{body}
</main>
<script>{(here / "report.js").read_text(encoding="utf-8")}</script>
</body>
</html>
"""


def write_report(
    results: Results | Curves,
    path: pathlib.Path,
    published: os.PathLike | str | None = None,
    with_figures: bool = True,
) -> pathlib.Path:
    """Writes the page, whole or not at all."""
    if isinstance(results, Curves):
        if published:
            raise UserError("--published (is for results of a sweep; a curve has no runs)")
        page = render_curves(results, with_figures)
    else:
        page = render(results, published, with_figures)
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")
    return path
