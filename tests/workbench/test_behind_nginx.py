"""Below a path, behind nginx: it removes the path or not, and satc knows it in either way."""

from __future__ import annotations

import re

import httpx
import nginx
import pytest
from serving_in_thread import running

from satc.workbench.web.proxy.settings import ProxySettings
from satc.workbench.web.proxy.trusted import TrustedProxies

REMOVES = {"proxy_pass http://satc;": "proxy_pass http://satc/;"}
SILENT = {f"X-Forwarded-Prefix {nginx.PREFIX};": 'X-Forwarded-Prefix "";'}
WAYS = {
    "by the option": (ProxySettings(nginx.PREFIX), SILENT),
    "by the header": (ProxySettings(trusted=TrustedProxies(["127.0.0.1"])), {}),
}


@pytest.mark.parametrize("changes", [{}, REMOVES], ids=["keeps the path", "removes the path"])
@pytest.mark.parametrize("way", WAYS)
def test_every_address_is_below_the_path(way, changes, team, tmp_path):
    settings, more = WAYS[way]
    with running(team, settings) as port:
        front = nginx.in_front_of(f"127.0.0.1:{port}", tmp_path, changes | more)
        with front as url, httpx.Client(verify=False) as client:  # noqa: S501
            asked = client.get(f"{url}/p/team/documents")
            assert asked.headers["location"] == "/tools/satc/login?next=/p/team/documents"
            page = client.get(f"{url}/login").text
            addresses = re.findall(r'(?:href|src|action)="(/[^"]*)"', page)
            assert len(addresses) > 4
            assert all(one.startswith("/tools/satc/") for one in addresses)
            for one in addresses:
                found = client.get(url.removesuffix(nginx.PREFIX) + one)
                assert found.status_code == (303 if one == "/tools/satc/" else 200)
            assert client.get(f"{url}/api/v1/me").status_code == 401
            assert client.get(f"{url}/api/v1/me").headers["cache-control"] == "no-store"
            assert client.get(f"{url}/static/style.css").headers["cache-control"] == "no-cache"


def test_a_login_over_https_needs_a_proxy_that_is_trusted(team, tmp_path):
    codes = []
    for settings, _ in WAYS.values():
        with running(team, settings) as port:
            front = nginx.in_front_of(f"127.0.0.1:{port}", tmp_path)
            with front as url, httpx.Client(verify=False) as client:  # noqa: S501
                origin = {"Origin": url.removesuffix(nginx.PREFIX)}
                answer = client.post(f"{url}/login", data={"name": "nobody"}, headers=origin)
                codes.append(answer.status_code)
    assert codes == [403, 401]  # a form of another site, as far as satc knows; a wrong password
