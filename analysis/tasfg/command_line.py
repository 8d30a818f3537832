"""The command tasfg-analysis, also python -m tasfg."""

from __future__ import annotations

import argparse
import gc
import math
import pathlib
import sys
import time
from typing import TYPE_CHECKING

from .errors import NothingToDraw, UserError

if TYPE_CHECKING:
    from .certified import Curves
    from .results import Results

EXAMPLES = """\
examples:
  tasfg-analysis list
  tasfg-analysis figure boxes,survival main.h5 -o figures
  tasfg-analysis figures *.h5 -o figures --format pdf
  tasfg-analysis plot out.h5 --x p --y T_star --hue q --log x
  tasfg-analysis plot out.h5 --x p --y K --heat normalised --delta 0.01
  tasfg-analysis report out.h5 -o report.html
  tasfg-analysis table out.h5 --by graph,K,algorithm,log_inv_delta --latex
  tasfg-analysis calibrate error.h5 plain.h5 --delta 1e-3
  tasfg-analysis export out.h5 -o runs.csv
  tasfg-analysis compare main.h5 --published published_runs.csv -o figures

FILE is a result file of tasfg sweep, finished or not. Several are put together: a run that two of them hold counts once.
Exit status: 0 done; 2 bad input, with one line that says what would be right."""


def _arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="tasfg-analysis",
        description="Tables, figures and reports from result files of tasfg.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def command(name: str, text: str, files: bool = True, first: str = "") -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        if first:
            sub.add_argument("name", metavar=first, help="see `list`")
        if files:
            sub.add_argument("files", nargs="+", metavar="FILE", help="result file")
            sub.add_argument(
                "--cases",
                action="append",
                default=[],
                metavar="TEXT",
                help="only cases whose label has these words, as 'ring K=5'; repeatable",
            )
        return sub

    def drawing(sub: argparse.ArgumentParser) -> None:
        sub.add_argument("-o", "--output", default=".", metavar="FOLDER", help="folder for the files (default: here)")
        sub.add_argument("--format", default="png,pdf", metavar="LIST", help="of png, pdf, svg (default: png,pdf)")
        sub.add_argument("--dpi", type=_positive, default=300.0, help="of PNG files (default: 300)")
        confidence = sub.add_mutually_exclusive_group()
        confidence.add_argument(
            "--log-inv-delta",
            type=_positive,
            metavar="X",
            help="ln(1/δ) of figures that show one δ (default: 7, else the largest there is)",
        )
        confidence.add_argument(
            "--delta", dest="log_inv_delta", type=_log_inv, metavar="D", help="the same, given as δ"
        )

    command("list", "all figures: name, what each shows, the job that makes its data", files=False)
    one = command("figure", "draw one figure, or several", first="NAME[,NAME...]")
    drawing(one)
    one.add_argument("--baseline", metavar="ALGORITHM", help="what `paired` compares with (default: tas-fg)")
    every = command("figures", "draw every figure that the files have data for")
    drawing(every)
    plot = command("plot", "draw any quantity over any parameter: columns of cases, runs or checkpoints")
    plot.add_argument(
        "--x", required=True, metavar="COLUMN", help="p, q, K, delta, algorithm, graph.seed, checkpoint, …"
    )
    plot.add_argument("--y", required=True, metavar="COLUMN", help="T_star, m_norm, tau, normalised, error, …")
    plot.add_argument("--hue", metavar="COLUMN", help="a line per value (default, of runs: algorithm)")
    plot.add_argument("--panel", metavar="COLUMN", help="a panel per value; what else differs gets panels anyway")
    plot.add_argument("--heat", metavar="COLUMN", help="this quantity in colours over x and y")
    plot.add_argument("--log", metavar="AXES", help="x, y, x,y or none (default: as the values ask for)")
    plot.add_argument("--statistic", default="mean", metavar="NAME", help="of runs: mean, median, none (default: mean)")
    plot.add_argument("--name", metavar="NAME", help="of the files (default: Y-over-X)")
    drawing(plot)
    report = command(
        "report", "write one HTML page: summary, provenance, tables, figures, failed tasks; of curves their regimes"
    )
    report.add_argument("-o", "--output", default="report.html", metavar="PAGE", help="(default: report.html)")
    report.add_argument("--published", metavar="CSV", help="published runs to compare with")
    report.add_argument("--no-figures", action="store_true", help="tables alone, which is quicker")
    compare = command("compare", "our runs beside published ones: box plots, medians, a table of tests")
    compare.add_argument(
        "--published", required=True, metavar="CSV", help="columns graph,K,algorithm,log_inv_delta,seed,tau,correct"
    )
    drawing(compare)
    table = command("table", "print statistics of τ per group: means with intervals, quartiles, bounds, errors")
    table.add_argument(
        "--by",
        default="label,algorithm,log_inv_delta",
        metavar="COLUMNS",
        help="columns of the runs (default: label,algorithm,log_inv_delta); the δ of a run are never pooled",
    )
    how = table.add_mutually_exclusive_group()
    how.add_argument("--csv", action="store_true", help="as CSV, every number in full")
    how.add_argument("--latex", action="store_true", help="as a LaTeX tabular (booktabs)")
    calibrate = command(
        "calibrate",
        'which δ′ to ask for: where the error measured by weighted runs (measure = "error") is the wished δ, and what that '
        "saves (of plain runs in a second file); empirical, no guarantee",
    )
    calibrate.add_argument(
        "--delta",
        dest="wished",
        type=_log_inv,
        action="append",
        metavar="D",
        help="a wished δ; repeatable (default: those of the weighted runs)",
    )
    calibrate.add_argument("--csv", action="store_true", help="as CSV, every number in full")
    export = command("export", "write runs, cases or checkpoints as one tidy table")
    export.add_argument(
        "-o", "--output", required=True, metavar="TABLE", help="file to write: .csv, .csv.gz or .parquet"
    )
    export.add_argument("--what", choices=("runs", "cases", "checkpoints"), default="runs")
    return parser


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} (must be positive)")
    return value


def _log_inv(text: str) -> float:
    value = float(text)
    if not 0 < value < 1:
        raise argparse.ArgumentTypeError(f"{text} (must lie between 0 and 1)")
    return -math.log(value)


def _open(options) -> Results:
    from .results import open as open_files

    results = open_files(*options.files)
    options.opened = results
    return results.only(options.cases) if options.cases else results


def _open_curves(options) -> Curves:
    from .certified import Curves

    if options.cases:
        raise UserError("--cases (is for results of a sweep; a curve has none)")
    return Curves(options.files)


def _formats(options) -> list[str]:
    from .style import FORMATS

    formats = [form.strip() for form in options.format.split(",") if form.strip()]
    for form in formats:
        if form not in FORMATS:
            raise UserError(f"--format {form} (must be of {', '.join(FORMATS)})")
    return formats or ["png"]


def _drawing_options(options) -> dict:
    return {"log_inv_delta": options.log_inv_delta, "baseline": getattr(options, "baseline", None)}


def _list(options) -> None:
    from .figures import FIGURES

    width = max(map(len, FIGURES))
    for figure in FIGURES.values():
        source = f"jobs/{figure.job}.toml" if figure.job else "any job with such cases"
        source = f"jobs/{figure.job}" if figure.reads == "curve" else source
        print(f"{figure.name:<{width}}  {figure.summary}  [{source}]")


def _figure(options) -> None:
    from . import figures

    chosen = [figures.figure_named(name) for name in options.name.split(",") if name]
    reads = {figure.reads for figure in chosen}
    if len(reads) > 1:
        raise UserError(f"{options.name}: of results of a sweep and of curves (draw them one after the other)")
    formats, results = _formats(options), _open_curves(options) if reads == {"curve"} else _open(options)
    for figure in chosen:
        for path in figures.write(
            figure, results, pathlib.Path(options.output), formats, options.dpi, **_drawing_options(options)
        ):
            print(path, flush=True)


def _figures(options) -> None:
    from . import figures

    formats, results = _formats(options), _open(options)
    some = figures.applicable(results)
    if not some:
        raise UserError(f"{', '.join(options.files)}: nothing that a figure shows yet (is the sweep at its beginning?)")
    for figure in some:
        begin = time.monotonic()
        try:
            written = figures.write(
                figure, results, pathlib.Path(options.output), formats, options.dpi, **_drawing_options(options)
            )
        except NothingToDraw as error:
            print(f"tasfg-analysis: {figure.name} left out: {error}", file=sys.stderr)
            continue
        print(f"{written[0]}  {time.monotonic() - begin:.1f} s", flush=True)


def _plot(options) -> None:
    from . import style
    from .quantities import plot

    formats, results = _formats(options), _open(options)
    log = None if options.log is None else options.log.replace("none", "")
    drawing = plot(
        results,
        options.x,
        options.y,
        hue=options.hue,
        panel=options.panel,
        statistic=options.statistic,
        log=log,
        heat=options.heat,
        log_inv_delta=options.log_inv_delta,
    )
    name = options.name or f"{options.heat or options.y}-over-{options.x}" + f"-{options.y}" * bool(options.heat)
    for path in style.save(drawing, pathlib.Path(options.output), name, formats, options.dpi):
        print(path)


def _report(options) -> None:
    from .reader import is_curve
    from .report import write_report

    curves = [is_curve(path) for path in options.files]
    if len(set(curves)) > 1:
        raise UserError("of results of a sweep and of curves (write a report of each)")
    results = _open_curves(options) if curves[0] else _open(options)
    print(write_report(results, pathlib.Path(options.output), options.published, not options.no_figures))


def _compare(options) -> None:
    from .comparison import compare, summary

    table, written, remarks = compare(
        _open(options),
        options.published,
        pathlib.Path(options.output),
        _formats(options),
        options.dpi,
        options.log_inv_delta,
    )
    for line in [*(f"note: {remark}" for remark in remarks), *summary(table)]:
        print(line)
    for path in written:
        print(path)


def _table(options) -> None:
    from . import tables
    from .files import without_formulas

    results = _open(options)
    frame = results.frame
    by = [name.strip() for name in options.by.split(",")]
    values = {"tau", "normalised", "correct", "recommended", "lower_bound", "practical_bound", "seed"}
    allowed = [column for column in frame.columns if column not in values]
    for name in by:
        if name not in allowed:
            raise UserError(f"--by {name} (must be of {', '.join(allowed)})")
    if not len(frame):
        raise UserError(f"{results.names}: no runs (table shows stopping times; `export --what cases` has the cases)")
    table = tables.statistics(results, by)
    if options.csv:
        print(without_formulas(table).to_csv(index=False), end="")
        return
    shown = tables.readable(table, by)
    print(tables.latex(shown) if options.latex else shown.to_string(index=False), end="" if options.latex else "\n")


def _calibrate(options) -> None:
    from . import calibration
    from .files import without_formulas

    table = calibration.calibration(_open(options), options.wished)
    if options.csv:
        print(without_formulas(table).to_csv(index=False), end="")
        return
    print(f"{calibration.EMPIRICAL}\n{calibration.readable(table).to_string(index=False)}")


def _export(options) -> None:
    from .files import write_table

    results = _open(options)
    frame = {"runs": results.runs_frame, "cases": results.cases_frame, "checkpoints": results.checkpoints_frame}[
        options.what
    ]()
    if options.what == "checkpoints" and not len(frame):
        raise UserError(f"{results.names}: no checkpoints (the job must have the key `checkpoints`)")
    if options.what == "runs":
        frame["tau"] = frame["tau"].astype("Int64")
    write_table(frame, options.output)
    print(f"{options.output}: {len(frame)} rows")


def _warn_of_damage(options) -> None:
    for file in options.opened.files if hasattr(options, "opened") else ():
        if file.damaged:
            print(
                f"tasfg-analysis: {file.name}: {file.damaged} runs left out, which do not fit their checksums (`tasfg verify` "
                "lists them; continuing the sweep runs them again)",
                file=sys.stderr,
            )


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns its exit status."""
    options = _arguments().parse_args(arguments)
    try:
        {
            "list": _list,
            "figure": _figure,
            "figures": _figures,
            "plot": _plot,
            "report": _report,
            "compare": _compare,
            "table": _table,
            "calibrate": _calibrate,
            "export": _export,
        }[options.command](options)
        _warn_of_damage(options)
    except UserError as error:
        print(f"tasfg-analysis: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 141
    return 0


def program() -> int:
    """The command as a process of its own, whose end frees all memory. Objects of a drawing refer to each other; to look for
    those that nobody needs takes an eighth of a report's time, and half of that is done at the end."""
    if sys.argv[1:2] == ["report"]:  # other commands write pictures, which are large
        gc.disable()
    status = main()
    gc.freeze()
    return status
