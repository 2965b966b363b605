"""Compares a compiled search tree with that of the naive twin, node by node."""

import pytest

from rinforza.search.tree import CAPPED, DRAWING, ENDED, NONE, OPEN, ROOT
from tests.naive.puct import Decision, End, Lottery


def path_to(driver, index):
    """The way from the root to node `index`, as the twin writes it."""
    nodes, actions = driver.nodes, driver.actions
    steps = []
    while nodes[index]["parent"] != NONE:
        if nodes[index]["edge"] != NONE:
            steps.append(("action", int(actions[nodes[index]["edge"]])))
        else:
            steps.append(("outcome", int(nodes[index]["outcome"])))
        index = nodes[index]["parent"]
    return steps[::-1]


def assert_same_tree(driver, twin):
    """Compare everything below both roots."""
    _assert_same_node(driver, ROOT, twin.root)


def _assert_same_node(driver, index, node):
    if isinstance(node, End):
        assert driver.nodes[index]["kind"] == ENDED
    elif isinstance(node, Lottery):
        _assert_same_lottery(driver, index, node)
    else:
        _assert_same_decision(driver, index, node)


def _assert_same_lottery(driver, index, lottery):
    real = driver.nodes[index]
    assert real["kind"] == DRAWING
    assert real["mover"] == lottery.mover
    assert real["depth"] == lottery.depth
    children = {}
    child = real["child"]
    while child != NONE:
        assert int(driver.nodes[child]["outcome"]) not in children
        children[int(driver.nodes[child]["outcome"])] = child
        child = driver.nodes[child]["sibling"]
    assert sorted(children) == sorted(lottery.seen)
    for outcome, child in children.items():
        reward, behind = lottery.seen[outcome]
        assert driver.nodes[child]["reward"] == pytest.approx(reward, abs=1e-7)
        _assert_same_node(driver, child, behind)


def _assert_same_decision(driver, index, decision):
    real = driver.nodes[index]
    assert real["mover"] == decision.mover
    assert real["depth"] == decision.depth
    assert real["visits"] == decision.visits()
    assert real["value"] == decision.value
    if not decision.edges:
        assert real["kind"] == CAPPED
        return
    assert real["kind"] == OPEN
    first, count = int(real["first"]), int(real["count"])
    assert driver.actions[first : first + count].tolist() == sorted(decision.edges)
    for place in range(first, first + count):
        _assert_same_edge(driver, place, decision.edges[int(driver.actions[place])])


def _assert_same_edge(driver, place, edge):
    real = driver.edges[place]
    assert real["visits"] == edge.visits
    assert real["total"] == pytest.approx(edge.total, abs=1e-9)
    assert real["prior"] == pytest.approx(edge.prior, abs=1e-7)
    assert (real["child"] == NONE) == (edge.behind is None)
    if edge.behind is not None:
        child = driver.nodes[real["child"]]
        assert child["reward"] == pytest.approx(edge.reward, abs=1e-7)
        _assert_same_node(driver, real["child"], edge.behind)


def decisions(node):
    """All decisions of a twin's tree, the root first."""
    found = []
    if isinstance(node, Decision):
        found.append(node)
        for edge in node.edges.values():
            found += decisions(edge.behind)
    elif isinstance(node, Lottery):
        for _, behind in node.seen.values():
            found += decisions(behind)
    return found
