"""The order of the tests."""


def pytest_collection_modifyitems(items):
    """Begin with the files that have slow tests: one that is begun last keeps every core but one waiting."""
    slow = {item.path for item in items if item.get_closest_marker("slow")}
    items.sort(key=lambda item: item.path not in slow)
