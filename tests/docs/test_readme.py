"""The README's code runs as it stands."""

import re
from pathlib import Path

README = Path(__file__).parents[2] / "README.md"


def test_code_blocks_run_one_after_the_other(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(), re.S)
    assert len(blocks) == 4
    names: dict[str, object] = {}
    for number, block in enumerate(blocks):
        exec(compile(block, f"README block {number + 1}", "exec"), names)
    assert "AlphaZeroBatch(obs=" in capsys.readouterr().out


def test_files_that_are_linked_exist():
    for link in re.findall(r"\]\(([^)#]+)\)", README.read_text()):
        assert link.startswith("http") or (README.parent / link).exists(), link
