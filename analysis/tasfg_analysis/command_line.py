"""The command line: python -m tasfg_analysis."""

from __future__ import annotations

import argparse
import pathlib
import sys
import time

from .errors import NothingToDraw, UserError

EXAMPLES = """\
examples:
  tasfg-analysis list
  tasfg-analysis figure boxes main.h5 -o figures
  tasfg-analysis figures *.h5 -o figures --format pdf
  tasfg-analysis report out.h5 -o report.html
  tasfg-analysis table out.h5 --by graph,K,algorithm,log_inv_delta
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

    def command(name: str, text: str, files: bool = True) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
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
        sub.add_argument(
            "--log-inv-delta",
            type=_positive,
            metavar="X",
            help="ln(1/δ) of figures that show one δ (default: 7, else the largest there is)",
        )

    command("list", "all figures: name, what each shows, the job that makes its data", files=False)
    one = commands.add_parser(
        "figure", help="draw one figure, or several", description="Draws figures, as NAME.FORMAT."
    )
    one.add_argument("name", metavar="NAME[,NAME...]", help="see `list`")
    one.add_argument("files", nargs="+", metavar="FILE", help="result file")
    one.add_argument(
        "--cases",
        action="append",
        default=[],
        metavar="TEXT",
        help="only cases whose label has these words, as 'ring K=5'; repeatable",
    )
    drawing(one)
    one.add_argument("--baseline", metavar="ALGORITHM", help="what `paired` compares with (default: tas-fg)")
    every = command("figures", "draw every figure that the files have data for")
    drawing(every)
    report = command("report", "write one HTML page: summary, provenance, tables, figures, failed tasks")
    report.add_argument("-o", "--output", default="report.html", metavar="PAGE", help="(default: report.html)")
    report.add_argument("--published", metavar="CSV", help="published runs to compare with")
    report.add_argument("--no-figures", action="store_true", help="tables alone, which is quicker")
    compare = command("compare", "our runs beside published ones: box plots, medians, a table of tests")
    compare.add_argument(
        "--published", required=True, metavar="CSV", help="columns graph,K,algorithm,log_inv_delta,seed,tau,correct"
    )
    drawing(compare)
    table = command("table", "print statistics of τ per group")
    table.add_argument(
        "--by",
        default="label,algorithm,log_inv_delta",
        metavar="COLUMNS",
        help="columns of the runs (default: label,algorithm,log_inv_delta)",
    )
    table.add_argument("--csv", action="store_true", help="as CSV")
    export = command("export", "write runs (or cases) as one tidy CSV file")
    export.add_argument("-o", "--output", required=True, metavar="CSV", help="file to write; .csv.gz compresses")
    export.add_argument("--what", choices=("runs", "cases"), default="runs")
    return parser


def _positive(text: str) -> float:
    value = float(text)
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} (must be positive)")
    return value


def _open(options):
    from .reader import open as open_files

    results = open_files(*options.files)
    return results.only(options.cases) if options.cases else results


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
        print(f"{figure.name:<{width}}  {figure.summary}  [jobs/{figure.job}.toml]")


def _figure(options) -> None:
    from . import figures

    chosen = [figures.figure_named(name) for name in options.name.split(",") if name]
    formats, results = _formats(options), _open(options)
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
            print(f"tasfg_analysis: {figure.name} left out: {error}", file=sys.stderr)
            continue
        print(f"{written[0]}  {time.monotonic() - begin:.1f} s", flush=True)


def _report(options) -> None:
    from .report import write_report

    print(write_report(_open(options), pathlib.Path(options.output), options.published, not options.no_figures))


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
    from .tables import statistics

    frame = _open(options).runs_frame()
    by = [name.strip() for name in options.by.split(",")]
    allowed = [c for c in frame.columns if c not in ("tau", "normalised", "correct", "recommended", "lower_bound")]
    for name in by:
        if name not in allowed:
            raise UserError(f"--by {name} (must be of {', '.join(allowed)})")
    table = statistics(frame, by)
    print(table.to_csv(index=False) if options.csv else table.to_string(index=False), end="" if options.csv else "\n")


def _export(options) -> None:
    from .files import replacing

    results = _open(options)
    frame = results.runs_frame() if options.what == "runs" else results.cases_frame()
    if options.what == "runs":
        frame["tau"] = frame["tau"].astype("Int64")
    with replacing(options.output) as temporary:
        frame.to_csv(temporary, index=False)
    print(f"{options.output}: {len(frame)} rows")


def main(arguments: list[str] | None = None) -> int:
    options = _arguments().parse_args(arguments)
    try:
        {
            "list": _list,
            "figure": _figure,
            "figures": _figures,
            "report": _report,
            "compare": _compare,
            "table": _table,
            "export": _export,
        }[options.command](options)
    except UserError as error:
        print(f"tasfg_analysis: {error}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        return 141
    return 0
