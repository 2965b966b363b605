"""A progress bar in a few lines; where the output is no terminal, a plain line at every tenth."""

import sys

WIDTH = 30


class Progress:
    """Shows how much of a known amount of work is done.

    Args:
        total: The amount of work, in any unit.
    """

    def __init__(self, total):
        self.total = total
        self.in_terminal = sys.stdout.isatty()
        self.tenths = 0

    def update(self, done, note):
        """Show that `done` of the total is done; `note` says what the work is like."""
        share = min(done / self.total, 1.0)
        if self.in_terminal:
            bar = ("#" * round(WIDTH * share)).ljust(WIDTH, ".")
            print(f"\r  [{bar}] {share:4.0%}  {note}\033[K", end="", flush=True)
        elif int(10 * share) > self.tenths:
            self.tenths = int(10 * share)
            print(f"  {share:.0%} done, {note}", flush=True)

    def clear(self):
        """Make room for other output; the next update draws the bar again."""
        if self.in_terminal:
            print("\r\033[K", end="", flush=True)
