"""The one command."""

import json
import subprocess
import sys

import pytest

from benchmarks import cases, sections
from benchmarks.__main__ import QUICK, effort_of, main, parse_arguments
from benchmarks.cases import ENGINE_CASES, LARGE_SEARCH, SELF_PLAY_CASES, SMALL_SEARCH, Case
from benchmarks.process import ROOT
from benchmarks.report import Report

SECTIONS = (
    "rules_section",
    "engine_section",
    "env_section",
    "solvers_section",
    "equilibria_section",
    "threads_section",
    "start_up_section",
    "peer_section",
)


def test_quick_run_of_one_workload(tmp_path):
    path = tmp_path / "report.json"
    words = ["--quick", "--only", "dqn_connect4", "--json", str(path)]
    command = [sys.executable, "-m", "benchmarks", *words]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    assert "## The rules alone" in done.stdout
    assert "| rows/s " in done.stdout
    saved = json.loads(path.read_text())
    assert set(saved["sections"]) == {"The rules alone", "The engine"}
    assert set(saved["sections"]["The rules alone"]["runs"]) == {"connect4"}
    (lines,) = saved["sections"]["The engine"]["runs"].values()
    assert len(lines) == 1
    assert lines[0]["seconds"] >= QUICK.seconds


@pytest.fixture
def shown(monkeypatch, capsys):
    """Run the command with sections that only say that they were asked for; return their names."""

    def run(*words):
        names = []
        monkeypatch.setattr(sections, "rules_costs", lambda games, effort: {})
        for name in SECTIONS:
            monkeypatch.setattr(
                sections, name, lambda *_, name=name: names.append(name.removesuffix("_section"))
            )
        main(list(words))
        return names

    return run


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], ["rules", "engine", "env", "solvers", "equilibria", "threads", "start_up"]),
        (["--quick"], ["rules", "engine", "env", "threads", "start_up"]),
        (
            ["--peer", "reinfors"],
            ["rules", "engine", "env", "solvers", "equilibria", "threads", "start_up", "peer"],
        ),
        (["--peer", "open_spiel", "--only", "peer"], ["solvers"]),
        (["--peer", "open_spiel", "--only", "solvers"], ["solvers", "equilibria"]),
        (["--peer", "open_spiel", "--only", "env_snake"], []),
        (["--only", "solve_leduc"], ["equilibria"]),
        (["--only", "rules_cost"], ["rules"]),
        (["--only", "dqn_gridworld"], ["rules", "engine"]),
        (["--only", "threads", "--only", "start_up"], ["threads", "start_up"]),
        (["--peer", "reinfors", "--only", "peer"], ["env", "solvers", "peer"]),
        (["--peer", "reinfors", "--only", "env"], ["env"]),
        (["--only", "env_snake"], ["env"]),
        (["--only", "solvers"], ["solvers", "equilibria"]),
        (["--quick", "--only", "cfr_plus_leduc"], ["solvers"]),
        (["--only", "ppo_chess"], ["rules", "engine"]),
        (["--peer", "reinfors", "--only", "ppo_chess"], ["rules", "engine", "peer"]),
        (["--peer", "reinfors", "--only", "dqn_gridworld"], ["rules", "engine", "peer"]),
        (["--peer", "reinfors", "--only", "start_up"], ["start_up"]),
    ],
)
def test_only_chooses_sections(shown, words, expected):
    assert shown(*words) == expected


@pytest.mark.parametrize("words", [["--only", "chess"], ["--repeats", "0"], ["--only", "peer"]])
def test_wrong_arguments_are_refused(words, capsys):
    with pytest.raises(SystemExit):
        parse_arguments(words)
    assert words[0] in capsys.readouterr().err


def compared(monkeypatch, *words):
    """Return the cases that one command measures beside the peer, where an engine plays."""
    asked = []
    monkeypatch.setattr(sections, "rules_costs", lambda games, effort: {})
    for name in SECTIONS:
        monkeypatch.setattr(sections, name, lambda *_: None)
    monkeypatch.setattr(sections, "peer_section", lambda report, peer, cases, effort: asked.extend(cases))
    main(["--peer", "reinfors", *words])
    return asked


def test_a_name_picks_its_cases(monkeypatch):
    assert compared(monkeypatch, "--only", "ppo_chess") == [Case("ppo_chess", 128)]
    assert compared(monkeypatch, "--only", "peer") == list(SELF_PLAY_CASES)


def test_a_quick_run_leaves_out_what_is_not_usual(monkeypatch):
    quick = {case.name for case in compared(monkeypatch, "--quick")}
    assert quick == {"alphazero_connect4", "dqn_connect4", "dqn_gridworld"}
    assert {case.name for case in compared(monkeypatch)} > quick


@pytest.fixture
def made(monkeypatch):
    """Run the section of games by hand with made-up speeds; return its table."""

    def run(peer):
        monkeypatch.setattr(cases.Case, "run", lambda self, seconds: made_up(30))
        report = Report({})
        sections.env_section(report, cases.ENV_CASES, peer, effort_of(parse_arguments(["--repeats", "2"])))
        return report._sections["A game by hand, with Env"]

    return run


def made_up(steps):
    return {"steps": steps, "seconds": 2.0, "cpu_seconds": 1.0}


class MadeUpPeer:
    """Half as fast, wherever it is."""

    title, name = "half", "reinfors"

    def install(self):
        self.installed = True

    def run(self, case, seconds):
        assert self.installed
        return made_up(15)


def test_games_by_hand_alone(made):
    section = made(None)
    assert [row["steps/s"] for row in section["table"]] == ["env_connect4", "env_gridworld", "env_snake"]
    assert {row["rinforza"] for row in section["table"]} == {"15 (15–15)"}


def test_games_by_hand_beside_a_peer(made):
    section = made(MadeUpPeer())
    assert {row["half"] for row in section["table"]} == {"7.5 (7.5–7.5)"}
    assert {row["ratio of medians"] for row in section["table"]} == {"2"}
    assert {row["target"] for row in section["table"]} == {"≥ 1, met"}
    assert all(set(runs) == {"first", "second", "work"} for runs in section["runs"].values())


def test_a_peer_stands_beside_what_it_has():
    beside = [case.name for case in cases.SOLVER_CASES if case.target_beside("open_spiel") is not None]
    assert beside == ["cfr_vanilla_leduc", "cfr_plus_leduc"]
    assert Case("cfr_plus_leduc", 1).target_beside("open_spiel") == 5.0
    assert Case("cfr_plus_leduc", 1).target_beside("reinfors") == 20.0


def test_a_way_to_an_equilibrium_is_shown_in_seconds(monkeypatch):
    line = {"solutions": 4, "seconds": 10.0}
    monkeypatch.setattr(cases.Case, "run", lambda self, seconds: line)
    report = Report({})
    effort = effort_of(parse_arguments(["--repeats", "3"]))
    sections.equilibria_section(report, cases.REACHING_CASES, effort)
    (row,) = report._sections["A solver's whole way"]["table"]
    assert (row["seconds"], row["target"]) == ("2.5 (2.5–2.5)", "≤ 10, met")


def test_repeats_and_seconds_reach_the_measurements():
    effort = effort_of(parse_arguments(["--repeats", "2", "--seconds", "0.5"]))
    assert (effort.repeats, effort.seconds, effort.cold_repeats) == (2, 0.5, 2)
    assert effort_of(parse_arguments(["--quick", "--repeats", "9"])) == QUICK


def test_a_case_names_its_sizes():
    case = LARGE_SEARCH._replace(batch_size=1024, threads=2)
    assert case.label == "alphazero_connect4, 1,024 games, batch 1024"
    words = case.arguments(0.5)
    named = dict(zip(words[::2], words[1::2], strict=True))
    assert (named["--games"], named["--batch-size"], named["--threads"]) == ("1024", "1024", "2")
    assert (named["--workload"], named["--seconds"]) == ("alphazero_connect4", "0.5")


def test_every_measured_case_but_the_best_batches_is_compared():
    assert ENGINE_CASES == (SMALL_SEARCH, LARGE_SEARCH, Case("dqn_connect4", 128), Case("dqn_gridworld", 128))
    assert set(ENGINE_CASES) < set(SELF_PLAY_CASES)
    assert SMALL_SEARCH._replace(batch_size=128).target == SMALL_SEARCH.target == 4.0
