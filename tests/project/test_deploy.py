"""The systemd unit of a worker: it can be read, and keeps a stranger's network away from what is not its business."""

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest

UNIT = Path(__file__).resolve().parents[2] / "deploy/tengen-worker.service"


def test_a_worker_as_a_service_has_a_folder_and_bounds_of_its_own() -> None:
    unit = configparser.ConfigParser(strict=False, interpolation=None)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read_string(UNIT.read_text("utf-8"))
    service = unit["Service"]
    assert service["WorkingDirectory"] == f"/var/lib/{service['StateDirectory']}" and "MemoryMax" in service
    assert f"--spool {service['WorkingDirectory']}" in service["ExecStart"] and "--memory" in service["ExecStart"]
    for name in ("DynamicUser", "ProtectHome", "PrivateTmp", "NoNewPrivileges", "RestrictNamespaces"):
        assert service[name] == "yes"
    assert service["ProtectSystem"] == "strict" and "@system-service" in UNIT.read_text("utf-8")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd here")
def test_systemd_understands_the_unit(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text(UNIT.read_text("utf-8").replace("/opt/tengen/bin/tengen", "/bin/true"))
    found = subprocess.run(["systemd-analyze", "verify", unit], capture_output=True, text=True, check=False)
    assert found.returncode == 0 and UNIT.name not in found.stderr, found.stderr
