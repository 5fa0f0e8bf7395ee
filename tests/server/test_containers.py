"""Dockerfile and compose.yaml, looked at without an engine that would run them."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import yaml

from podium.server.settings import CONFIG_VARIABLE, ServerSettings, environment_name, gathered_settings

ROOT = Path(__file__).parents[2]
INSTRUCTIONS = {
    *("ADD", "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "HEALTHCHECK", "LABEL"),
    *("ONBUILD", "RUN", "SHELL", "STOPSIGNAL", "USER", "VOLUME", "WORKDIR"),
}
COMPOSE = yaml.safe_load((ROOT / "compose.yaml").read_text())
SERVICES: dict[str, Any] = COMPOSE["services"]


def stages() -> list[list[tuple[str, str]]]:
    """The instructions of each stage of the Dockerfile, with what stands behind their names."""
    text = re.sub(r"^#.*\n", "", (ROOT / "Dockerfile").read_text(), flags=re.MULTILINE)
    lines = re.sub(r"\\\n\s*", " ", text).splitlines()
    found: list[list[tuple[str, str]]] = []
    for line in filter(None, map(str.strip, lines)):
        name, _, rest = line.partition(" ")
        assert name in INSTRUCTIONS, line
        if name == "FROM":
            found.append([])
        found[-1].append((name, rest))
    return found


BUILD, FINAL = stages()


def of(stage: list[tuple[str, str]], name: str) -> list[str]:
    """What stands behind each instruction of this name."""
    return [rest for one, rest in stage if one == name]


def assigned(stage: list[tuple[str, str]]) -> dict[str, str]:
    """The environment that a stage sets."""
    return dict(part.split("=", 1) for rest in of(stage, "ENV") for part in shlex.split(rest))


def settings_of(environment: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in environment.items() if name.startswith("PODIUM_")}


def check_image(name: str) -> None:
    """An image has a fixed tag, and no host of a registry."""
    image, _, tag = name.partition(":")
    assert re.fullmatch(r"\d+(\.\d+)*-[\w-]+|local", tag), name
    assert "/" not in image, name


def test_images_have_tags_and_one_base() -> None:
    for stage in (BUILD, FINAL):
        check_image(of(stage, "FROM")[0].split(" AS ")[0])
    assert of(BUILD, "FROM") == [of(FINAL, "FROM")[0] + " AS build"]
    for service in SERVICES.values():
        check_image(service["image"])


def test_whatever_is_copied_is_there_and_let_through() -> None:
    ignore = (ROOT / ".dockerignore").read_text().splitlines()
    let_through = [line.removeprefix("!") for line in ignore if line.startswith("!")]
    assert "*" in ignore
    copied = [source for rest in of(BUILD, "COPY") for source in rest.split()[:-1]]
    assert copied
    for source in copied:
        assert (ROOT / source).exists(), source
        assert any(source == one or source.startswith(f"{one}/") for one in let_through), source
    for one in let_through:
        assert one in copied, one
    assert not any(fnmatch("podium.env", one) for one in let_through)
    for rest in of(FINAL, "COPY"):  # the second stage takes what the first has made, and nothing else
        assert rest.split()[0] == "--from=build"
    assert not of(BUILD, "ADD")
    assert not of(FINAL, "ADD")


def test_the_image_runs_as_a_user_without_rights() -> None:
    names = [name for name, _ in FINAL]
    assert of(FINAL, "USER") == ["podium"]
    after = names[names.index("USER") :]
    assert "RUN" not in after
    assert "COPY" not in after
    assert "useradd --system" in of(FINAL, "RUN")[0]
    assert "sudo" not in str(FINAL)


def test_kernels_are_compiled_for_where_they_run() -> None:
    build, final = assigned(BUILD), assigned(FINAL)
    assert of(BUILD, "ARG") == of(FINAL, "ARG") == ["KERNEL_CPU=x86-64-v3"]
    kernels = {name: value for name, value in build.items() if name.startswith("NUMBA_")}
    assert kernels == {name: value for name, value in final.items() if name.startswith("NUMBA_")}
    assert kernels["NUMBA_CPU_NAME"] == "${KERNEL_CPU}"
    assert of(BUILD, "RUN")[0].endswith("podium warmup")
    folder = kernels["NUMBA_CACHE_DIR"]
    assert f"--from=build --chown=podium:podium {folder} {folder}" in of(FINAL, "COPY")
    extras = re.search(r"'\.\[([\w,]+)\]'", of(BUILD, "RUN")[0])
    assert extras is not None
    assert "server" in extras[1].split(",")
    assert "--constraint constraints.txt" in of(BUILD, "RUN")[0]
    assert "--no-cache-dir" in of(BUILD, "RUN")[0]


def test_commands_are_lists_and_settings_are_settings() -> None:
    """Then signals reach the service itself, not a shell; a setting that is wrong would be refused."""
    assert json.loads(of(FINAL, "ENTRYPOINT")[0]) == ["podium"]
    assert json.loads(of(FINAL, "CMD")[0]) == ["serve"]
    settings = gathered_settings({}, settings_of(assigned(FINAL)))
    assert of(FINAL, "EXPOSE") == [str(settings.port)]
    assert Path(settings.database).parent == Path(of(FINAL, "VOLUME")[0])
    health = of(FINAL, "HEALTHCHECK")[0]
    command = json.loads(health.partition("CMD ")[2])
    assert command[:2] == ["python", "-c"]
    compile(command[2], "healthcheck", "exec")
    assert "/readyz" in command[2]


def environment_of(file: str) -> dict[str, str]:
    lines = (ROOT / file).read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if line and not line.startswith("#"))


def test_the_environment_file_names_settings_and_holds_no_secret() -> None:
    given = environment_of("podium.env.example")
    known = {environment_name(name) for name in ServerSettings.declared()} | {CONFIG_VARIABLE}
    assert settings_of(given).keys() <= known
    settings = gathered_settings({}, given)
    user, password = given["POSTGRES_USER"], given["POSTGRES_PASSWORD"]
    assert settings.database == f"postgresql://{user}:{password}@database/{given['POSTGRES_DB']}"
    assert password == "change-me"
    assert "podium.env" in (ROOT / ".gitignore").read_text().splitlines()
    for service in SERVICES.values():
        assert service["env_file"] == "podium.env"
        assert "environment" not in service


def test_services_wait_for_each_other_and_keep_their_data() -> None:
    assert SERVICES.keys() == {"database", "podium"}
    assert SERVICES["podium"]["depends_on"] == {"database": {"condition": "service_healthy"}}
    assert SERVICES["database"]["healthcheck"]["test"][0] == "CMD-SHELL"
    kept = {volume.partition(":")[0] for service in SERVICES.values() for volume in service["volumes"]}
    assert kept == COMPOSE["volumes"].keys()
    assert SERVICES["podium"]["build"] == "."
    (port,) = SERVICES["podium"]["ports"]
    assert port.startswith("127.0.0.1:")
    assert port.endswith(f":{of(FINAL, 'EXPOSE')[0]}")
    assert "ports" not in SERVICES["database"]
    for service in SERVICES.values():
        assert service["restart"] == "unless-stopped"
    # Docker waits longer than the service takes to end.
    assert int(SERVICES["podium"]["stop_grace_period"].removesuffix("s")) > ServerSettings().grace_seconds


@pytest.mark.parametrize("kind", ["nginx", "caddyfile", "toml"])
def test_examples_of_the_page_fit_the_settings(kind: str) -> None:
    name = "how-to/behind-nginx.md" if kind == "nginx" else "service-operations.md"
    page = (ROOT / "docs" / name).read_text(encoding="utf-8")
    (block,) = re.findall(rf"^```{kind}\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    settings = ServerSettings()
    if kind == "toml":
        assert {line.split(" = ")[0] for line in block.splitlines()[1:]} <= ServerSettings.declared().keys()
        return
    assert f"{settings.host}:{settings.port}" in block
    assert "/metrics" in block
    if kind == "nginx":
        assert f"client_max_body_size {settings.body_bytes // 1_000_000}m;" in block
        assert f"client_max_body_size {settings.import_bytes // 1_000_000}m;" in block


@pytest.mark.skipif(shutil.which("nginx") is None, reason="nginx is not installed")
def test_nginx_accepts_the_example(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "how-to" / "behind-nginx.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```nginx\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=ladder.example.org"]
    subprocess.run([*made, "-keyout", key, "-out", certificate], check=True, capture_output=True)
    block = re.sub(r"/etc/ssl/\S+\.pem", str(certificate), block)
    block = re.sub(r"/etc/ssl/\S+\.key", str(key), block)
    settings = tmp_path / "nginx.conf"
    settings.write_text(f"pid {tmp_path}/pid;\nevents {{}}\nhttp {{\n{block}}}\n", encoding="utf-8")
    tried = subprocess.run(["nginx", "-t", "-c", settings], capture_output=True, text=True)
    assert tried.returncode == 0, tried.stderr
