"""One theme for the workbench and for the pages that people save and print."""

import re
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import satc
from satc.printed.style import POLICY, STYLE

PACKAGE = Path(satc.__file__).parent
STATIC = PACKAGE / "workbench" / "web" / "static"
THEME = (PACKAGE / "printed" / "styles" / "theme.css").read_text(encoding="utf-8")
TOKENS = set(re.findall(r"^\s*(--[\w-]+):", THEME, re.MULTILINE))
COLOUR = re.compile(r"#[0-9a-fA-F]{3,8}\b|\brgba?\(|\bhsla?\(")


def test_the_printed_pages_hold_the_theme():
    assert STYLE.startswith(THEME)


def test_every_colour_of_a_page_is_a_token_of_the_theme():
    styles = [*STATIC.rglob("*.css"), PACKAGE / "printed" / "styles" / "printed.css"]
    assert len(styles) >= 3
    scripts = "".join(path.read_text(encoding="utf-8") for path in STATIC.rglob("*.js"))
    by_scripts = set(re.findall(r"setProperty\(\"(--[\w-]+)", scripts))
    for path in styles:
        text = path.read_text(encoding="utf-8")
        own = set(re.findall(r"(--[\w-]+)\s*:", text))
        assert set(re.findall(r"var\((--[\w-]+)", text)) <= TOKENS | own | by_scripts, path.name
        shadows = re.sub(r"rgb\(0 0 0 / [\d.]+\)", "", text)
        assert not COLOUR.findall(re.sub(r"url\([^)]*\)", "", shadows)), path.name


def test_dark_mode_changes_every_colour():
    light, dark = re.findall(r":root \{([^}]*--[^}]*)\}", THEME)
    names = [re.findall(r"(--[\w-]+): #", part) for part in (light, dark)]
    assert names[0] == names[1]


def test_the_policy_of_a_page_allows_its_own_style_only():
    digest = b64encode(sha256(STYLE.encode()).digest()).decode()
    assert f"style-src 'sha256-{digest}'" in POLICY
    assert "default-src 'none'" in POLICY
    assert "script-src" not in POLICY
