import os
import subprocess
import sys

import pytest
from projects_made import make, make_project
from serving import Site

CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_headers_conformance",
    "response_schema_conformance",
)


@pytest.fixture
def site(tmp_path):
    make_project(make(n=100), tmp_path / "claims.satc")
    running = Site(tmp_path / "claims.satc")
    yield running
    running.stop()


@pytest.mark.slow
def test_whatever_is_sent_the_answer_is_a_declared_one(site, tmp_path):
    settings = tmp_path / "schemathesis.toml"
    settings.write_text('[parameters]\n"path.name" = "claims"\n')
    command = [sys.executable, "-m", "schemathesis.cli", "--config-file", str(settings), "run"]
    command += [f"{site.url}/api/v1/openapi.json", "--checks", ",".join(CHECKS)]
    command += ["--header", f"Authorization: Bearer {site.key}", "--no-color"]
    command += ["--max-examples", "10", "--seed", "1"]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=tmp_path, env=os.environ, timeout=500
    )
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-1000:]
    described = site.client().get(f"{site.url}/api/v1/openapi.json").json()["paths"]
    assert f"Tested: {sum(map(len, described.values()))}" in done.stdout
    assert site.process.poll() is None
