"""What a collection measured, as a dict that knows how to become flat numbers."""

from typing import Any


class Telemetry(dict[str, Any]):
    """Measurements by name.

    Example:
        >>> measured = Telemetry(decisions=8, episodes=[([1.0, -1.0], 6, False)])
        >>> measured.scalars("collect/")["collect/ticks/mean"]
        6.0
    """

    def scalars(self, prefix: str = "") -> dict[str, float]:
        """Return one number for each thing to plot, for TensorBoard, W&B or MLflow.

        Args:
            prefix: What each name begins with, such as `"collect/"`.

        Returns:
            Every number under its own name; `settings/NAME`; of the episodes their number, `ticks` and each
            player's `returns` with mean, min and max, and `seeded_share` (left out where no episode has ended); and
            the rates `records_per_second`, `rows_per_second`, `callback_share` (of the time), `cache_hit_share`.
        """
        found = {name: float(value) for name, value in self.items() if isinstance(value, int | float)}
        found |= {f"settings/{name}": float(value) for name, value in self.get("settings", {}).items()}
        found |= self._rates() | self._episodes()
        return {prefix + name: value for name, value in found.items()}

    def _rates(self) -> dict[str, float]:
        rates = {
            "records_per_second": ("records", "collect_seconds"),
            "rows_per_second": ("infer_rows", "collect_seconds"),
            "callback_share": ("infer_seconds", "collect_seconds"),
            "cache_hit_share": ("cache_hits", "cache_lookups"),
        }
        return {
            name: self[part] / self[whole]
            for name, (part, whole) in rates.items()
            if part in self and self.get(whole)
        }

    def _episodes(self) -> dict[str, float]:
        episodes = self.get("episodes", [])
        series = {"ticks": [ticks for _, ticks, _ in episodes]}
        for player in range(len(episodes[0][0]) if episodes else 0):
            series[f"returns/player_{player}"] = [returns[player] for returns, *_ in episodes]
        found = {"episodes": float(len(episodes))}
        if episodes:
            found["seeded_share"] = sum(seeded for *_, seeded in episodes) / len(episodes)
        for name, values in series.items():
            if values:
                found[f"{name}/mean"] = float(sum(values) / len(values))
                found[f"{name}/min"], found[f"{name}/max"] = float(min(values)), float(max(values))
        return found
