"""The table of plugins: found without an import, loaded and checked on first use."""

import sys

import pytest
from packages_made import install

from satc.errors import PluginError, PluginWarning
from satc.plugins.installed import installed
from satc.plugins.kinds import MEASURES
from satc.plugins.table import PluginTable


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder on the search path."""
    monkeypatch.syspath_prepend(tmp_path)
    return tmp_path


def table(built_in=("f1",)):
    return PluginTable(MEASURES, lambda: built_in, lambda plugin, value: value)


def test_a_package_adds_a_name_by_being_installed(folder):
    install(folder, "satc-wine", {"satc.measures: taste": "satc_wine:TASTE"}, "TASTE = 3")
    assert table().names() == ["taste"]
    assert table().find("taste") == 3
    assert table().find("colour") is None


def test_names_are_known_without_an_import(folder):
    install(folder, "satc-lazy", {"satc.measures: lazy": "satc_lazy:LAZY"}, "LAZY = 3")
    table().names()
    assert "satc_lazy" not in sys.modules
    table().find("lazy")
    assert "satc_lazy" in sys.modules


def test_an_error_names_the_package_and_what_is_wrong(folder):
    install(folder, "satc-broken", {"satc.measures: odd": "satc_broken:ODD"}, "import no_such")
    install(folder, "satc-wine", {"satc.measures: taste": "satc_wine2:TASTE"})
    (folder / "satc_wine2.py").write_text("TASTE = 3")
    with pytest.raises(
        PluginError,
        match=r"^measure 'odd' of the package 'satc-broken' 0\.1 cannot be loaded: "
        r"ModuleNotFoundError: No module named 'no_such'$",
    ):
        table().find("odd")
    assert table().find("taste") == 3


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise SystemExit('bye')", "cannot be loaded: SystemExit: bye"),
        ("def f(:", "cannot be loaded: SyntaxError: "),
        ("OTHER = 3", "cannot be loaded: AttributeError: "),
        ("raise ValueError('two\\nlines')", "cannot be loaded: ValueError: two lines$"),
    ],
)
def test_whatever_a_package_raises_is_one_clear_line(folder, code, said):
    package = f"satc-raises-{abs(hash(code))}"
    install(folder, package, {"satc.measures: odd": f"{package.replace('-', '_')}:ODD"}, code)
    with pytest.raises(PluginError, match=said):
        table().find("odd")


def test_a_plugin_cannot_replace_what_satc_has(folder):
    install(folder, "satc-evil", {"satc.measures: f1": "satc_evil:ODD"}, "ODD = 3")
    said = (
        "measure 'f1' of the package 'satc-evil' 0.1 is refused, because satc itself has a measure "
        "'f1': the package must choose another name"
    )
    assert table().names() == []
    assert [problem for _, problem in table().problems()] == [said]
    with pytest.warns(PluginWarning, match=said):
        table().warn_if_taken("f1")
    assert table().choice("f1", {"f1": 1}) == 1


def test_two_packages_with_one_name_are_both_refused(folder):
    for package in ("satc-one", "satc-two"):
        install(folder, package, {"satc.measures: same": "json:loads"})
    with pytest.raises(PluginError, match=r"'satc-one' 0\.1 is refused, .* 'satc-two' offers"):
        table().find("same")
    assert table().names() == []


@pytest.mark.parametrize("name", ["Taste", "a b", "a:b", "-a", "a..b"])
def test_a_name_has_a_plain_form(folder, name):
    install(folder, "satc-wine", f"[satc.measures]\n{name} = json:loads\n")
    with pytest.raises(PluginError, match="must have a name of lower-case letters, digits"):
        table().find(name)
    assert table().names() == []


def test_entry_points_that_cannot_be_read_are_left_out(folder):
    install(folder, "satc-torn", "[satc.measures]\ntorn\n")
    install(folder, "satc-wine", {"satc.measures: taste": "json:loads"})
    with pytest.warns(PluginWarning, match="plugins of the package 'satc-torn' are left out"):
        assert table().names() == ["taste"]


def test_an_unknown_name_is_answered_with_the_names_that_exist(folder):
    install(folder, "satc-wine", {"satc.measures: taste": "json:loads"})
    with pytest.raises(ValueError, match="measure must be one of 'f1', 'taste', but is 'colour'"):
        table().choice("colour", {"f1": 1})


def test_all_leaves_out_what_is_broken_with_a_warning(folder):
    install(folder, "satc-wine", {"satc.measures: taste": "json:loads"})
    install(folder, "satc-gone", {"satc.measures: gone": "no_such_module:f"})
    with pytest.warns(PluginWarning, match="'gone' of the package 'satc-gone'"):
        assert list(table().all()) == ["taste"]


def test_a_package_that_is_found_twice_counts_once(folder, monkeypatch):
    install(folder, "satc-wine", {"satc.measures: taste": "json:loads"})
    install(folder / "other", "satc-wine", {"satc.measures: taste": "json:dumps"})
    monkeypatch.syspath_prepend(folder / "other")
    assert [one.name for one in installed(MEASURES)] == ["taste"]
