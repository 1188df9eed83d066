"""What is believed of a request that a proxy has passed on, and from whom."""

from __future__ import annotations

import pytest
from calling import PASSWORD
from fastapi.testclient import TestClient

from satc.workbench.web.proxy.middleware import BehindProxy
from satc.workbench.web.proxy.root_path import OWN_PATHS, checked_root_path
from satc.workbench.web.proxy.settings import ProxySettings
from satc.workbench.web.proxy.trusted import TrustedProxies

PROXY, STRANGER = "10.0.0.7", "198.51.100.9"
FORWARDED = {
    "X-Forwarded-For": "203.0.113.5",
    "X-Forwarded-Proto": "https",
    "X-Forwarded-Host": "tools.example",
    "X-Forwarded-Prefix": "/tools/satc",
    "Forwarded": "for=203.0.113.99;proto=https;host=evil.example",
}


class Seen:
    """An application that keeps the scope of the last request."""

    async def __call__(self, scope, receive, send):
        self.scope = scope
        await send({"type": "http.response.start", "status": 204, "headers": []})
        await send({"type": "http.response.body"})


def seen(headers, sender=PROXY, path="/p/claims", root_path="", trusted=("10.0.0.0/8",), **more):
    """Return the scope that the application sees."""
    application = Seen()
    settings = ProxySettings(root_path, TrustedProxies(trusted, **more))
    client = TestClient(
        BehindProxy(application, settings), base_url="http://inside", client=(sender, 4711)
    )
    client.get(path, headers=headers)
    return application.scope


def host_of(scope):
    return dict(scope["headers"])[b"host"].decode()


def test_a_trusted_proxy_says_who_sent_a_request_and_how():
    scope = seen(FORWARDED)
    assert scope["client"][0] == "203.0.113.5"
    assert (scope["scheme"], host_of(scope)) == ("https", "tools.example")
    assert (scope["root_path"], scope["path"]) == ("/tools/satc", "/tools/satc/p/claims")
    assert scope["state"]["from_trusted_proxy"] is True


@pytest.mark.parametrize("trusted", [("10.0.0.0/8",), ()])
@pytest.mark.parametrize("sender", [STRANGER, "127.0.0.1", "::1"])
def test_forged_headers_of_anybody_else_are_ignored(sender, trusted):
    scope = seen(FORWARDED, sender, trusted=trusted)
    assert scope["client"] == (sender, 4711)
    assert (scope["scheme"], host_of(scope)) == ("http", "inside")
    assert (scope["root_path"], scope["path"]) == ("", "/p/claims")
    assert scope["state"]["from_trusted_proxy"] is False


@pytest.mark.parametrize(
    ("forwarded", "client"),
    [
        ("6.6.6.6, 203.0.113.5", "203.0.113.5"),  # the browser has invented the first
        ("6.6.6.6, 203.0.113.5, 10.0.0.8", "203.0.113.5"),  # two proxies of ours
        ("10.0.0.8, 10.0.0.9", "10.0.0.8"),  # a person in the network of the proxies
        ("203.0.113.5:4711", "203.0.113.5"),
        ('"[2001:db8::1]:4711"', "2001:db8::1"),
        ("unknown", PROXY),
        ("203.0.113.5, unknown, 10.0.0.8", "10.0.0.8"),
        ("", PROXY),
    ],
)
def test_the_last_address_that_is_not_a_trusted_proxy_counts(forwarded, client):
    assert seen({"X-Forwarded-For": forwarded})["client"][0] == client


def test_addresses_in_several_headers_are_one_list():
    headers = [("X-Forwarded-For", "6.6.6.6"), ("X-Forwarded-For", "203.0.113.5")]
    assert seen(headers)["client"][0] == "203.0.113.5"


def test_an_ipv4_address_in_ipv6_is_the_same_proxy():
    assert seen(FORWARDED, f"::ffff:{PROXY}")["state"]["from_trusted_proxy"] is True


@pytest.mark.parametrize(
    "value", ["javascript", "evil.example/x", "a b", "//evil.example", "/../x", "/p?x", '/"><b>']
)
def test_values_that_no_proxy_writes_are_ignored(value):
    scope = seen({f"X-Forwarded-{name}": value for name in ("Proto", "Prefix")})
    assert (scope["scheme"], scope["root_path"]) == ("http", "")
    if value != "javascript":  # which could be the name of a host
        assert host_of(seen({"X-Forwarded-Host": value})) == "inside"


def test_whoever_may_open_a_unix_socket_is_trusted():
    trusted = TrustedProxies(unix_socket=True)
    assert trusted.trusts(None)
    assert not TrustedProxies(["0.0.0.0/0"]).trusts(None)
    assert not trusted.trusts("127.0.0.1")


@pytest.mark.parametrize("path", ["/p/claims", "/tools/satc/p/claims"])
def test_a_proxy_may_remove_the_root_path_or_not(path):
    scope = seen({}, STRANGER, path, root_path="/tools/satc")
    assert (scope["root_path"], scope["path"]) == ("/tools/satc", "/tools/satc/p/claims")
    assert scope["raw_path"] == b"/tools/satc/p/claims"


def test_a_path_that_only_begins_with_the_same_letters_is_another():
    scope = seen({}, path="/tools/satchel", root_path="/tools/satc")
    assert scope["path"] == "/tools/satc/tools/satchel"


def test_the_option_counts_more_than_the_header():
    assert seen(FORWARDED, root_path="/elsewhere")["root_path"] == "/elsewhere"


@pytest.mark.parametrize("path", ["tools", "//tools", "/a/../b", "/a b", "/?", "/tools/sätc"])
def test_a_root_path_that_browsers_read_differently_is_refused(path):
    with pytest.raises(ValueError, match="must begin with a slash and hold letters"):
        checked_root_path(path)


@pytest.mark.parametrize("path", sorted(OWN_PATHS))
def test_a_root_path_that_begins_like_a_page_is_refused(path):
    with pytest.raises(ValueError, match=f"/satc/{path}/here would work"):
        checked_root_path(f"/{path}/here")


@pytest.mark.parametrize("proxy", ["example.org", "10.0.0.7/8", "10.0.0.0/33", ""])
def test_a_trusted_proxy_must_be_an_address_or_a_network(proxy):
    with pytest.raises(ValueError, match="must be an address or a network"):
        TrustedProxies([proxy])


@pytest.fixture
def team_behind(team):
    """Make a client of the team's project: ``team_behind(sender, root_path)``."""

    def made(sender=PROXY, root_path="/tools/satc"):
        app = BehindProxy(team, ProxySettings(root_path, TrustedProxies([PROXY])))
        return TestClient(
            app, base_url="http://inside", client=(sender, 4711), follow_redirects=False
        )

    return made


def test_cookies_are_secure_and_for_the_root_path_alone(team_behind):
    answer = log_in_as(team_behind(), "ann")
    assert answer.headers["location"] == "/tools/satc/"
    cookie = answer.headers["set-cookie"]
    assert "Path=/tools/satc/;" in cookie
    assert "Secure" in cookie
    plain = log_in_as(team_behind(STRANGER), "ann").headers["set-cookie"]
    assert "Secure" not in plain


def session_of(app, name):
    """Return the cookie of a user; a login would take longer."""
    authenticator = app.state.authenticator
    return f"{authenticator.cookie_name}={authenticator.session_of(name)}"


def log_in_as(client, name, **headers):
    data = {"name": name, "password": PASSWORD}
    return client.post("/login", data=data, headers=FORWARDED | headers)


def test_the_login_compares_the_origin_with_the_address_in_the_browser(team_behind):
    assert log_in_as(team_behind(), "ann", Origin="https://tools.example").status_code == 303
    assert log_in_as(team_behind(), "ann", Origin="https://evil.example").status_code == 403
    assert log_in_as(team_behind(), "ann", Origin="http://inside").status_code == 403


def guess(client, i, **headers):
    """Guess the key of an invitation; guesses are limited like logins, and cost less."""
    return client.get(f"/join?key=guess{i}", headers=headers).status_code


def test_limits_count_the_person_behind_a_trusted_proxy(team_behind):
    client = team_behind()
    codes = [guess(client, i, **FORWARDED) for i in range(21)]
    assert codes == [410] * 20 + [429]
    assert guess(client, 21, **FORWARDED | {"X-Forwarded-For": "203.0.113.6"}) == 410


@pytest.mark.parametrize("sender", [STRANGER, "127.0.0.1"])
def test_forged_addresses_do_not_get_around_the_limits(sender, team_behind):
    client = team_behind(sender)
    codes = [guess(client, i, **{"X-Forwarded-For": f"6.6.6.{i}"}) for i in range(21)]
    assert codes == [410] * 20 + [429]


@pytest.mark.parametrize("start", ["", "/tools/satc"])
def test_redirects_stay_below_the_root_path(start, team, team_behind):
    client = team_behind()
    asked = {
        "/": "/tools/satc/login",
        "/p/team?document=3": "/tools/satc/login?next=/p/team%3Fdocument%3D3",
    }
    for path, location in asked.items():
        assert client.get(start + path).headers["location"] == location
    to_root = client.get("/tools/satc", headers=FORWARDED).headers["location"]
    assert to_root == "https://tools.example/tools/satc/"
    client.headers["Cookie"] = session_of(team, "max")
    assert client.get(f"{start}/").headers["location"] == "/tools/satc/p/team"
    assert client.get(f"{start}/p/team").status_code == 200


def test_links_of_invitations_are_below_the_root_path(team, team_behind):
    client = team_behind()
    client.headers["Cookie"] = session_of(team, "max")
    token = client.get("/api/v1/me").json()["csrf_token"]
    sent = {"name": "eve", "role": "annotator"}
    found = client.post(
        "/api/v1/people/invitations", json=sent, headers={"X-CSRF-Token": token}
    ).json()
    assert found["path"].startswith("/tools/satc/join?key=")
    assert 'action="/tools/satc/join"' in client.get(found["path"]).text


def test_files_that_are_missing_lead_to_pages_below_the_root_path(team_behind):
    page = team_behind().get("/static/nothing.css", headers={"Accept": "text/html"})
    assert page.status_code == 404
    assert 'href="/tools/satc/login"' in page.text
    assert "/tools/satc/static/style.css" in page.text


def test_a_server_without_users_answers_to_loopback_names_only_behind_a_proxy_too(app):
    here = ProxySettings(trusted=TrustedProxies(["127.0.0.1"]))
    client = TestClient(
        BehindProxy(app, here), base_url="http://127.0.0.1", client=("127.0.0.1", 4711)
    )
    for received, forwarded, code in [
        ("127.0.0.1", "localhost:8443", 200),
        ("127.0.0.1", "tools.example", 400),
        ("evil.example", "127.0.0.1", 400),
    ]:
        headers = {"Host": received, "X-Forwarded-Host": forwarded}
        assert client.get("/login", headers=headers).status_code == code
