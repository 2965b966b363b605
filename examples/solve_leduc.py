"""Leduc poker solved by every variant of counterfactual regret minimisation, some seconds for each.

Prints how much each average strategy can be exploited after so many iterations (0 at an equilibrium; the game
is worth -0.0856 to the first player). `--picture` draws the curves, `--save` keeps the solvers.
"""

import argparse
from pathlib import Path
from time import perf_counter

import rinforza as rf
from rinforza.solvers.cfr import VARIANTS

ROW_FACTOR = 4  # the table has a row whenever the iterations have grown by this; the curves have more points


def main():
    options = parse_options()
    plot = plotter() if options.picture else None  # first, since it may be missing
    game = rf.games.LeducPoker()
    solvers = {variant: rf.solvers.Cfr(game, variant, options.seed) for variant in options.variants}
    curves = {}
    for variant, solver in solvers.items():
        curves[variant] = solve(solver, options.seconds)
        value, iterations = solver.expected_value(0), solver.iterations
        print(f"{variant}: {iterations:,} iterations, value {value:.4f}, exploitability ", end="")
        print(f"{curves[variant][iterations]:.6f}", flush=True)
    print_table(curves)
    if plot:
        draw(plot, curves, options.picture)
        print(f"picture saved to {options.picture}")
    if options.save:
        save(solvers, options.save)


def parse_options():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=VARIANTS)
    parser.add_argument("--seconds", type=float, default=3.0, help="time for each variant")
    parser.add_argument("--picture", metavar="FILE.png", help="where to draw the curves (needs matplotlib)")
    parser.add_argument(
        "--save", metavar="FOLDER", type=Path, help="where to keep the solvers, one file each"
    )
    parser.add_argument("--seed", type=int, default=0, help="of the sampled variants")
    return parser.parse_args()


def solve(solver, seconds):
    """Iterate until the time is up; return {iterations: exploitability}, at least at 1, 2, 4, 8, ..."""
    curve, iterations, spent = {}, 1, 0.0
    while not curve or spent < seconds:
        started = perf_counter()
        solver.iterate(iterations - solver.iterations)
        spent += perf_counter() - started
        curve[iterations] = solver.exploitability()
        iterations *= 2
    return curve


def print_table(curves):
    """Print a column for each variant, a row for each number of iterations."""
    print("\niterations" + "".join(f"{variant:>17}" for variant in curves))
    iterations, last = 1, max(max(curve) for curve in curves.values())
    while iterations <= last:
        found = [
            f"{curve[iterations]:17.6f}" if iterations in curve else 17 * " " for curve in curves.values()
        ]
        print(f"{iterations:10,}" + "".join(found))
        iterations *= ROW_FACTOR


def plotter():
    """Return matplotlib's pyplot, for a screen or for none."""
    try:
        import matplotlib
    except ImportError:
        raise SystemExit('--picture needs matplotlib: pip install ".[plot]"') from None
    matplotlib.use("agg")  # draws into a file, without a window
    import matplotlib.pyplot as plot

    return plot


def draw(plot, curves, path):
    """Draw exploitability against iterations, both logarithmic."""
    figure, axes = plot.subplots(figsize=(8, 5), layout="constrained")
    for variant, curve in curves.items():
        axes.loglog(list(curve), list(curve.values()), marker=".", label=variant)
    axes.set(title="Leduc poker", xlabel="iterations", ylabel="exploitability (chips)")
    axes.grid(alpha=0.3)
    axes.legend()
    figure.savefig(path, dpi=150)


def save(solvers, folder):
    """Write each solver's tables; `Cfr.load` goes on from them."""
    folder.mkdir(parents=True, exist_ok=True)
    for variant, solver in solvers.items():
        path = folder / f"{variant}.cfr"
        path.write_bytes(solver.save())
        print(f"{variant} saved to {path}")


if __name__ == "__main__":
    main()
