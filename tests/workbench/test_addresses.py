"""Every address is made in one place, so that the workbench can be served below any path."""

from __future__ import annotations

import re
from pathlib import Path

import satc.workbench.web
from satc.workbench.web import company_login
from satc.workbench.web.addresses import own_path
from satc.workbench.web.observing.paths import HEALTH, METRICS, READY
from satc.workbench.web.proxy.root_path import OWN_PATHS

WEB = Path(satc.workbench.web.__file__).parent
OWN = "|".join(sorted(OWN_PATHS))


def lines_with(pattern, ending, *but):
    """Return the lines of the web layer that have a pattern, and their files."""
    found = re.compile(pattern)
    return [
        f"{path.relative_to(WEB)}: {line.strip()}"
        for path in sorted(WEB.rglob(f"*{ending}"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if found.search(line) and path.relative_to(WEB).as_posix() not in but
    ]


def test_templates_make_addresses_with_url():
    assert not lines_with(r'(href|src|action)="/', ".html")
    assert len(lines_with(r'(href|src|action)="\{\{ url\(', ".html")) > 40


def test_scripts_make_addresses_with_their_module():
    assert not lines_with(rf"[\"'`]/({OWN})\b", ".js")
    assert lines_with("import.meta.url", ".js") == [
        'static/shared/addresses.js: const { pathname } = new URL("../..", import.meta.url);'
    ]


def test_styles_name_no_address_of_the_host():
    assert not lines_with(r"url\([\"']?/", ".css")


def test_only_one_module_redirects_and_knows_where_the_server_is():
    to_provider = ("company_login.py", "access/company/openid.py")
    redirects = r"RedirectResponse\(|[\"']location[\"']"
    assert not lines_with(redirects, ".py", "addresses.py", *to_provider)
    knowing = r"\.url\.path|scope\[\"(root_)?path\"\]"
    knowers = ("addresses.py", "proxy/root_path.py", "observing/exposition.py")
    assert lines_with(knowing, ".py", *knowers) == [
        'pages/error_page.py: is_here = found.netloc == request.headers.get("host") '
        "and path != request.url.path"
    ]


def test_the_first_parts_of_all_paths_are_known():
    routes = r'(?:router\.(?:get|post|put|patch|delete)\(|PATH = |prefix=|mount\()"/(\w+)'
    files = [WEB / "login.py", WEB / "app.py", WEB / "api" / "router.py"]
    files += [WEB / "access" / "invitations.py", *(WEB / "pages").glob("*.py")]
    written = "".join(path.read_text(encoding="utf-8") for path in files)
    others = {path.strip("/") for path in (HEALTH, READY, METRICS, company_login.router.prefix)}
    assert set(re.findall(routes, written)) | others == OWN_PATHS


def test_a_path_that_only_looks_like_the_root_path_is_whole():
    scope = {"root_path": "/tools/satc", "path": "/tools/satchel"}
    assert own_path(scope) == "/tools/satchel"
    assert own_path({"root_path": "/tools/satc", "path": "/tools/satc"}) == ""
