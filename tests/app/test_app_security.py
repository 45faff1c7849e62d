"""A hostile page on another site can do nothing; and no request costs more than it may."""

import http.client
import json
import resource
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin

from support.appserver import PATIENCE, Client, at, command, serving
from tengen.app import security
from tengen.app.keys import Keys
from tengen.serving import raise_file_limit

METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
PATHS = ["/", "/api/about", "/api/position", "/api/runs", "/api/runs/x/pause", "/assets/x.js", "/nothing"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    with serving(tmp_path_factory.mktemp("runs")) as client:
        yield client


def status(client: Client, method: str, path: str, **headers: str) -> int:
    """Of a request sent as it stands, with whatever Host is asked for; with the cookie, unless another is named."""
    if "Cookie" not in headers:
        name, _, secret = client.cookie.partition("=")  # a browser at another port would have got it by that name
        port = headers.get("Host", f":{client.port}").rpartition(":")[2]
        headers["Cookie"] = f"{name.partition('_')[0]}_{port}={secret}" if port.isdecimal() else f"tengen={secret}"
    connection = http.client.HTTPConnection("127.0.0.1", client.port, timeout=PATIENCE)
    try:
        connection.putrequest(method, path, skip_host="Host" in headers, skip_accept_encoding=True)
        for name, value in headers.items():
            connection.putheader(name.replace("_", "-"), value)
        connection.endheaders()
        return connection.getresponse().status
    finally:
        connection.close()


@pytest.mark.parametrize("method", METHODS)
def test_foreign_hosts_and_origins_are_refused_on_every_method(server: Client, method: str) -> None:
    own = f"127.0.0.1:{server.port}"
    for path in PATHS:
        assert status(server, method, path, Origin=f"http://{own}") != 403
        for host in (
            "evil.example",
            f"evil.example:{server.port}",
            "127.0.0.1.evil.example",
            "192.168.1.1",
            "",
            "localhost:x",
        ):
            assert status(server, method, path, Host=host) in (400, 403), (path, host)
        for origin in (
            "http://evil.example",
            "null",
            f"http://127.0.0.1:{server.port + 1}",
            f"http://{own}.evil.example",
            "",
        ):
            assert status(server, method, path, Origin=origin) == 403, (path, origin)
        if path != "/":
            assert status(server, method, path, Sec_Fetch_Site="cross-site") == 403
            assert status(server, method, path, Sec_Fetch_Site="same-site") == 403


def test_a_link_from_elsewhere_may_open_the_page(server: Client) -> None:
    assert status(server, "GET", "/", Sec_Fetch_Site="cross-site") == 200
    assert status(server, "POST", "/", Sec_Fetch_Site="cross-site") == 403


def test_names_of_this_machine_are_its_own(server: Client) -> None:
    for host in (f"localhost:{server.port}", f"LOCALHOST:{server.port}", f"[::1]:{server.port}", "127.0.0.1:9999"):
        assert status(server, "GET", "/api/about", Host=host, Origin=f"http://{host}") == 200, host


@pytest.mark.parametrize("origin", ["http://evil.example", "null"])
def test_the_websocket_refuses_foreign_pages(server: Client, origin: str) -> None:
    address, headers = f"ws://127.0.0.1:{server.port}/api/search", {"Cookie": server.cookie}
    with pytest.raises(InvalidStatus) as refused, connect(address, origin=Origin(origin), additional_headers=headers):
        pass
    assert refused.value.response.status_code == 403
    with (
        socket.create_connection(("127.0.0.1", server.port)) as raw,
        pytest.raises(InvalidStatus) as refused,
        connect(f"ws://evil.example:{server.port}/api/search", sock=raw, additional_headers=headers),
    ):
        pass
    assert refused.value.response.status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "0.0.0.0"])
def test_without_the_cookie_nothing_is_told(tmp_path: Path, host: str) -> None:
    keys = Keys()
    with serving(tmp_path, host, keys) as server:
        for method in METHODS:
            for path in PATHS:
                assert status(server, method, path, Cookie="") == 403
                assert status(server, method, f"{path}?token=wrong", Cookie="tengen=wrong") == 403
        for method, path in (("POST", "/"), ("HEAD", "/"), ("GET", "/api/about")):  # only the page itself takes it
            assert status(server, method, f"{path}?token={keys.token}", Cookie="") == 403
        name = server.cookie.partition("=")[0]
        for cookie in (f"{name}=", f"{name}=wrong", f"{name}={keys.token}", f"x{server.cookie}", f"{server.cookie}x"):
            assert status(server, "GET", "/api/about", Cookie=cookie) == 403
            with (
                pytest.raises(InvalidStatus),
                connect(f"ws://127.0.0.1:{server.port}/api/search", additional_headers={"Cookie": cookie}),
            ):
                pass
        told = httpx.get(server.address).text
        assert "`tengen app` shows in its terminal" in told and "请打开" in told
        assert status(server, "GET", "/api/about", Cookie=f"a=b;{server.cookie} ; c") == 200


def test_a_token_works_once_and_the_next_one_is_announced(tmp_path: Path) -> None:
    announced: list[str] = []
    keys = Keys(announced.append)
    first = keys.token
    with serving(tmp_path, keys=keys) as server:  # its client has used the first
        assert announced == [keys.token] and first != keys.token
        assert httpx.get(server.address, params={"token": first}).status_code == 403
        again = server.http.get("/", params={"token": first})  # a bookmark, or "back", of who has the cookie
        assert again.status_code == 303 and "set-cookie" not in again.headers and again.headers["location"] == "/"
        assert server.http.get("/", params={"token": keys.token}).status_code == 303 and announced == [keys.token]
        second = httpx.get(server.address, params={"token": announced[0]})
        assert second.status_code == 303 and second.headers["set-cookie"].startswith(server.cookie)
        assert announced == [announced[0], keys.token]


def test_the_token_becomes_a_cookie_that_other_sites_cannot_use(tmp_path: Path) -> None:
    keys = Keys()
    with serving(tmp_path, "0.0.0.0", keys) as server:
        first = httpx.get(server.address, params={"token": keys.token})
        cookie = first.headers["set-cookie"]
        assert first.status_code == 303 and first.headers["location"] == "/"
        assert "httponly" in cookie.lower() and "samesite=strict" in cookie.lower()
        assert cookie.startswith(f"tengen_{server.port}=")  # two apps on one machine do not take each other's place
        sent = cookie.partition(";")[0]
        assert status(server, "GET", "/api/about", Cookie=sent) == 200
        assert status(server, "GET", "/api/about", Cookie=sent, Host="evil.example") == 403
        assert status(server, "GET", "/api/about", Cookie=sent, Origin="http://evil.example") == 403
        assert status(server, "GET", "/api/about", Cookie=sent, Host=f"192.168.1.7:{server.port}") == 200
        address, headers = f"ws://127.0.0.1:{server.port}/api/search", {"Cookie": sent}
        with connect(address, additional_headers=headers) as opened:
            opened.send("{}")
            assert json.loads(opened.recv(timeout=PATIENCE))["type"] == "error"
        evil = Origin("http://evil.example")
        with pytest.raises(InvalidStatus), connect(address, additional_headers=headers, origin=evil):
            pass


def test_hostile_cookies_cost_nothing(tmp_path: Path) -> None:
    """60 KB in one header took 18 s of everybody's time (http.cookies of Python 3.11.7)."""
    hostile = [
        *('a="' + "\\" * size + '"' for size in (60_000, 30_000)),  # the larger is refused unread, the smaller is read
        *('a="' + mark * 15_000 + '"' for mark in ("\\1", '\\"', "\\x")),
        *(mark * 30_000 for mark in ("=", ";", '"')),
        "tengen=" * 4_000,
        "a=b; " * 6_000,
    ]
    with serving(tmp_path) as server:
        before = time.process_time()
        for cookie in hostile:
            assert status(server, "GET", "/", Cookie=cookie) in (400, 403, 431)
            assert status(server, "GET", "/api/about", Cookie=cookie) in (400, 403, 431)
        assert time.process_time() - before < 2  # seconds of the processor


def test_headers_are_bounded(server: Client) -> None:
    assert status(server, "GET", "/api/about", X_Large="x" * 30_000) == 200
    assert status(server, "GET", "/api/about", X_Large="x" * 40_000) == 431
    assert status(server, "GET", "/?token=" + "x" * 40_000) == 431
    assert status(server, "GET", "/api/about", X_Large="x" * 200_000) in (400, 431)


def test_idle_connections_do_not_end_the_app(tmp_path: Path) -> None:
    """1,100 of them did, under the usual limit of 1,024 files."""
    if raise_file_limit() < 2000:
        pytest.skip("this process may not have as many files open")
    with command("--runs", str(tmp_path)) as (process, client), ExitStack() as stack:
        resource.prlimit(process.pid, resource.RLIMIT_NOFILE, (1024, 1024))
        for _ in range(1100):
            stack.enter_context(socket.create_connection(("127.0.0.1", client.port), timeout=PATIENCE))
        client.http.close()
        assert httpx.get(client.address, timeout=PATIENCE).status_code == 403
        assert httpx.get(f"{client.address}/api/about", headers={"Cookie": client.cookie}, timeout=PATIENCE).json()
        with client.socket() as live:
            assert live.search("tictactoe")[-1]["done"]


def test_every_answer_carries_the_headers(server: Client) -> None:
    for path in ("/", "/api/about", "/api/nothing", "/nothing"):
        headers = server.http.get(path).headers
        policy = headers["content-security-policy"]
        assert "default-src 'self'" in policy and "frame-ancestors 'none'" in policy and "unsafe" not in policy
        assert headers["x-content-type-options"] == "nosniff"
    refused = server.http.get("/api/about", headers={"Origin": "http://evil.example"})
    assert "content-security-policy" in refused.headers and "access-control-allow-origin" not in refused.headers


def test_a_get_never_changes_anything(tmp_path: Path) -> None:
    """Whatever changes something is a POST: GETs of those paths are refused, and no file is touched."""
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "run.toml").write_text('game = "tictactoe"\n')

    def files() -> dict[str, float]:
        return {str(path): path.stat().st_mtime for path in tmp_path.rglob("*")}

    with serving(tmp_path) as server:
        before = files()
        for path in ("/api/runs/x/pause", "/api/runs/x/resume"):
            assert status(server, "GET", path) in (404, 405)  # 404 where there is a built page to look in
        for path in ("/api/about", "/api/runs", "/api/runs/x", "/api/runs/x/live", "/api/players?game=tictactoe"):
            assert status(server, "GET", path) == 200, path
        assert files() == before


def test_only_get_and_post_are_offered(server: Client) -> None:
    paths = server.get("/api/openapi.json")["paths"]
    assert len(paths) > 10 and {method for methods in paths.values() for method in methods} == {"get", "post"}


@pytest.mark.parametrize("name", ["..", "../x", "%2e%2e", "%2e%2e%2f%2e%2e%2fetc", "x%00", "/etc", "..%5cx"])
def test_names_never_become_paths(server: Client, name: str) -> None:
    for path in (f"/api/runs/{name}", f"/api/runs/{name}/live", f"/assets/{name}", f"/{name}", f"/assets/../../{name}"):
        assert status(server, "GET", path) in (403, 404), path
    for path in (f"/api/runs/{name}/pause", f"/api/runs/{name}/resume"):
        assert status(server, "POST", path) in (403, 404, 405), path
    start = {"game": "tictactoe", "minutes": 1, "name": name}
    assert server.http.post("/api/runs", json=start).status_code == 400


def test_a_file_beside_the_page_is_not_served(server: Client) -> None:
    for path in ("/../server.py", "/..%2fserver.py", "/%2e%2e/server.py", "/assets/..%2f..%2fserver.py"):
        assert status(server, "GET", path) == 404, path


def test_large_bodies_are_refused(server: Client) -> None:
    large = b'{"text": "' + b"4" * (1 << 20) + b'"}'
    answer = server.http.post("/api/parse", content=large, headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")

    def parts() -> Iterator[bytes]:  # sent in chunks, without saying how much will come
        for _ in range(40):
            yield b" " * 50_000

    answer = server.http.post("/api/parse", content=parts(), headers={"content-type": "application/json"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (413, "too_large")


def test_only_json_is_read(server: Client) -> None:
    body = json.dumps({"position": at("connect4")})
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        answer = server.http.post("/api/position", content=body, headers={"content-type": kind})
        assert answer.status_code == 400 and answer.json()["error"]["message"] == "a body must be application/json", (
            kind
        )


@pytest.mark.parametrize(
    "body", ["[" * 200_000, '{"a":' * 100_000, "1" * 100_000, '"\\ud800"', "\x00", "nul", '{"position": NaN}']
)
def test_strange_json_is_refused(server: Client, body: str) -> None:
    answer = server.http.post("/api/position", content=body, headers={"content-type": "application/json"})
    assert answer.status_code == 400 and answer.json()["error"]["code"] == "bad_request"
    wrapped = {"game": "connect4", "format": "sgf", "tree": {"move": None, "children": [{"move": "\ud800"}]}}
    assert (
        server.http.post(
            "/api/export", content=json.dumps(wrapped), headers={"content-type": "application/json"}
        ).status_code
        == 400
    )


def test_slow_bodies_are_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "BODY_SECONDS", 0.2)
    with serving(tmp_path) as server, socket.create_connection(("127.0.0.1", server.port), PATIENCE) as raw:
        head = f"POST /api/parse HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
        head += f"Cookie: {server.cookie}\r\n"
        raw.sendall(f"{head}Content-Length: 100\r\n\r\n{{".encode())
        assert raw.recv(100).startswith(b"HTTP/1.1 408 ")


def test_slow_answers_are_cut_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(security, "ANSWER_SECONDS", 0.0)
    with serving(tmp_path) as server:
        answer = server.http.get("/api/about")
        assert (answer.status_code, answer.json()["error"]["code"]) == (408, "too_busy")


def test_large_and_binary_messages_close_the_websocket(server: Client) -> None:
    for message, code in ((json.dumps({"type": "x" * (1 << 16)}), 1009), (b"bytes", 1003)):
        with server.socket() as live:
            live.connection.send(message)
            with pytest.raises(ConnectionClosed) as closed:
                live.connection.recv(timeout=PATIENCE)
            assert closed.value.rcvd is not None and closed.value.rcvd.code == code
    with server.socket() as live:
        assert live.search("tictactoe")[-1]["done"]
