"""``python -m pytest_mmreason fetch`` against a stand-in of the hub: whole, broken, refused."""

from __future__ import annotations

import builtins
import io
import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_mmreason.__main__ import main
from pytest_mmreason.benchmarks.opening import open_benchmark
from tests.support.hub import COMMIT, StandIn, serving
from tests.support.official import INFIMM, VET, picture

hub_library = pytest.importorskip("huggingface_hub", reason="the extra hub is not installed")

TOKEN = "hf_neverShownAnywhere"
REPOSITORY = "Infi-MM/InfiMM-Eval"
QUESTIONS = "core-mm-wo-answer.json"
ROWS = {**INFIMM, "12": {**INFIMM["12"], "Question": "How many?"}}
PICTURES = ["a.png", "a b (1).jpg", "c.webp"]


def zipped(members: dict[str, bytes]) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, data in members.items():
            archive.writestr(zipfile.ZipInfo(name), data)  # the same bytes at any time
    return buffer.getvalue()


def infimm(**fields: Any) -> StandIn:
    """InfiMM-Eval as it lies on the hub: the questions, and the images in an archive."""
    archive = zipped(
        {
            "images/": b"",
            **{f"images/{name}": picture("red", (40, 40 + n)) for n, name in enumerate(PICTURES)},
            "__MACOSX/images/._a.png": b"x",
            "images/.DS_Store": b"x",
        }
    )
    files = {
        "README.md": b"---\n",
        QUESTIONS: json.dumps(ROWS).encode(),
        "images.zip": archive,
    }
    return StandIn(REPOSITORY, files, large=("images.zip",), **fields)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("HF_TOKEN", TOKEN)
    monkeypatch.setattr("pytest_mmreason.fetching.download.time.sleep", lambda seconds: None)
    yield
    hub_library.close_session()


class Fetching:
    """Runs the command against a stand-in, and looks for the token in all it prints."""

    def __init__(self, patch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
        self._patch = patch
        self._capsys = capsys
        self.out = self.err = ""

    def __call__(self, hub: StandIn, name: str, folder: Path, *more: str) -> int:
        with serving(hub):
            self._patch.setattr("huggingface_hub.constants.ENDPOINT", hub.url)
            status = main(["fetch", name, str(folder), *(more or ("--yes",))])
            hub_library.close_session()
        self.out, self.err = self._capsys.readouterr()
        assert TOKEN not in self.out + self.err
        return status


@pytest.fixture
def fetch(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Fetching:
    return Fetching(monkeypatch, capsys)


def test_what_is_downloaded_is_told_unpacked_and_validated(fetch: Fetching, tmp_path: Path) -> None:
    hub, folder = infimm(), tmp_path / "infimm"
    assert fetch(hub, "infimm-eval", folder) == 0
    size = len(hub.files[QUESTIONS]) + len(hub.files["images.zip"])
    assert f"from       {hub.url}/datasets/{REPOSITORY} at {COMMIT}\n" in fetch.out
    assert "licence    CC BY-NC 4.0; its page says cc-by-nc-4.0" in fetch.out
    assert f"size       {size / 1e6:,.1f} MB in 2 files" in fetch.out
    assert f"pytest --mm-benchmark=infimm-eval={folder} --mm-model=" in fetch.out.splitlines()[-1]
    assert "PASS  0 faults" in fetch.out
    assert sorted(p.name for p in (folder / "images").iterdir()) == sorted(PICTURES)
    assert sorted(p.name for p in folder.iterdir()) == [".fetch", QUESTIONS, "images"]
    assert [p.name for p in (folder / ".fetch").iterdir()] == ["receipt.json"]
    assert len(open_benchmark(folder, "infimm-eval").samples) == 3
    assert {authorization for _, _, authorization in hub.asked} == {f"Bearer {TOKEN}"}
    assert [path for path, _ in hub.fetched()] == [QUESTIONS, "images.zip"]


def test_second_call_downloads_what_is_missing_or_altered_only(
    fetch: Fetching, tmp_path: Path
) -> None:
    assert fetch(infimm(), "infimm-eval", tmp_path) == 0
    (tmp_path / "references.jsonl").write_text(
        '{"id": "3", "answer": "the cat"}\n', encoding="utf-8"
    )
    hub = infimm()
    assert fetch(hub, "infimm-eval", tmp_path) == 0
    assert hub.fetched() == [] and ", 0.0 MB to come" in fetch.out
    (tmp_path / QUESTIONS).write_text("{}", encoding="utf-8")
    assert fetch(hub, "infimm-eval", tmp_path) == 0
    assert hub.fetched() == [(QUESTIONS, None)]
    (tmp_path / "images" / "c.webp").unlink()
    assert fetch(hub, "infimm-eval", tmp_path) == 0
    assert hub.fetched()[1:] == [("images.zip", None)]
    assert open_benchmark(tmp_path, "infimm-eval").samples[0].answer == "the cat"


def test_dropped_connection_is_gone_on_with_in_the_same_call(
    fetch: Fetching, tmp_path: Path
) -> None:
    hub = infimm(cut={"images.zip": [100, 50]})
    assert fetch(hub, "infimm-eval", tmp_path) == 0
    ranges = [range_ for path, range_ in hub.fetched() if path == "images.zip"]
    assert ranges == [None, "bytes=100-", "bytes=150-"]


def test_reset_connection_is_gone_on_with_too(fetch: Fetching, tmp_path: Path) -> None:
    hub = infimm(cut={"images.zip": [100, 50]}, resets=True)
    assert fetch(hub, "infimm-eval", tmp_path) == 0
    # What was on its way when the reset came may be lost, so that a range may be the last one.
    assert len([path for path, _ in hub.fetched() if path == "images.zip"]) == 3


def test_table_of_mm_vet_is_fetched_at_the_known_commit(fetch: Fetching, tmp_path: Path) -> None:
    arrow = pytest.importorskip("pyarrow", reason="the extra hub is not installed")
    from pyarrow.parquet import write_table

    rows = [
        {
            "id": key,
            "question": row["question"],
            "answer": row["answer"],
            "capability": row["capability"],
            "image": {"bytes": picture("red", (40, 40 + n)), "path": None},
        }
        for n, (key, row) in enumerate(VET.items())
    ]
    buffer = io.BytesIO()
    write_table(arrow.Table.from_pylist(rows), buffer)
    name = "data/test-00000-of-00001.parquet"
    hub = StandIn("whyu/mm-vet", {"README.md": b"", name: buffer.getvalue()}, large=(name,))
    assert fetch(hub, "mm-vet", tmp_path) == 0
    assert hub.asked[0][0] == f"/api/datasets/whyu/mm-vet/revision/{COMMIT}"
    assert [s.id for s in open_benchmark(tmp_path, "mm-vet").samples] == list(VET)
    assert fetch(hub, "mm-vet", tmp_path) == 0
    assert hub.fetched() == [(name, None)]


def test_table_without_pyarrow_is_not_downloaded(
    fetch: Fetching, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.parquet", None)
    hub = StandIn("whyu/mm-vet", {"data/test-0.parquet": b"PAR1"})
    assert fetch(hub, "mm-vet", tmp_path / "x") == 4
    assert "needs pyarrow: pip install 'pytest-mmreason[hub]'" in fetch.err
    assert hub.fetched() == [] and not (tmp_path / "x").exists()


def test_download_that_broke_off_is_finished_by_the_next_call(
    fetch: Fetching, tmp_path: Path
) -> None:
    hub = infimm(cut={"images.zip": [100] + [0] * 5})
    assert fetch(hub, "infimm-eval", tmp_path) == 1
    assert "0.0 of 0.0 MB of images.zip are here: the same command goes on" in fetch.err
    assert "Traceback" not in fetch.err
    again = infimm()
    assert fetch(again, "infimm-eval", tmp_path) == 0
    assert again.fetched() == [("images.zip", "bytes=100-")]


@pytest.mark.parametrize("path", [QUESTIONS, "images.zip"])
def test_wrong_hash_is_told_and_nothing_of_it_is_kept(
    fetch: Fetching, tmp_path: Path, path: str
) -> None:
    assert fetch(infimm(wrong=(path,)), "infimm-eval", tmp_path) == 1
    assert f"{path}: its hash is not what the hub states" in fetch.err
    assert not (tmp_path / "images").exists()
    hub = infimm()
    assert fetch(hub, "infimm-eval", tmp_path) == 0
    assert (path, None) in hub.fetched()


@pytest.mark.parametrize(
    ("fields", "told"),
    [
        ({"status": 401}, "may not be read (401); HF_TOKEN is not accepted; --repo"),
        ({"token": "another"}, "may not be read (401); HF_TOKEN is not accepted; --repo"),
        ({"status": 403}, "may not be read (403); HF_TOKEN is not accepted"),
        ({"status": 403, "code": "GatedRepo"}, "asks for an agreement: accept it there"),
        ({"status": 404, "code": "RepoNotFound"}, "does not exist (404); --repo and --revision"),
        ({"status": 404, "code": "RevisionNotFound"}, "'main' in it does not exist (404)"),
        ({"status": 503}, "cannot be read now (503); try again later"),
        ({"status": 418}, "cannot be read (418)"),
        ({"html": True}, "does not answer as the hub does; is HF_ENDPOINT right"),
        ({"files": {"x.bin": b""}}, "holds none of core-mm-wo-answer.json, images.zip, but x.bin"),
    ],
)
def test_refusals_are_one_clear_message(
    fetch: Fetching, tmp_path: Path, fields: dict[str, Any], told: str
) -> None:
    hub = infimm()
    for name, value in fields.items():
        setattr(hub, name, value)
    assert fetch(hub, "infimm-eval", tmp_path / "x") == 1
    assert fetch.err.startswith("ERROR: ") and told in fetch.err
    assert fetch.err.count("\n") == 1 and not (tmp_path / "x").exists()


def test_token_stays_with_the_hub_where_files_lie_elsewhere(
    fetch: Fetching, tmp_path: Path
) -> None:
    with serving(infimm()) as store:
        hub = infimm(elsewhere=store.url.replace("127.0.0.1", "localhost"))
        assert fetch(hub, "infimm-eval", tmp_path) == 0
        assert [authorization for _, _, authorization in store.asked] == [None, None]


def command(*arguments: str, cwd: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pytest_mmreason", "fetch", *arguments],
        cwd=cwd,
        env={**os.environ, "HF_HOME": str(cwd / "home"), **environment},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
        encoding="utf-8",
    )


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        (
            {"HF_ENDPOINT": "http://127.0.0.1:9"},
            "http://127.0.0.1:9 does not answer (ConnectError)",
        ),
        ({"HF_HUB_OFFLINE": "1"}, "HF_HUB_OFFLINE is set, so nothing can be downloaded; unset it"),
    ],
)
def test_offline_is_one_clear_message(
    tmp_path: Path, environment: dict[str, str], told: str
) -> None:
    done = command("mm-vet", "x", "--yes", cwd=tmp_path, **environment)
    assert done.returncode == 1 and told in done.stderr
    assert done.stderr.count("\n") == 1 and TOKEN not in done.stderr + done.stdout
    assert not (tmp_path / "x").exists()


def test_without_a_terminal_consent_must_be_given_beforehand(tmp_path: Path) -> None:
    done = command("mm-vet", "x", cwd=tmp_path, HF_ENDPOINT="http://127.0.0.1:9")
    assert done.returncode == 4
    assert "(CC BY-NC 4.0); without a terminal --yes accepts it" in done.stderr


@pytest.mark.parametrize(("answer", "status"), [("y", 0), ("", 1), ("no", 1)])
def test_person_at_a_terminal_is_asked(
    fetch: Fetching, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, answer: str, status: int
) -> None:
    asked: list[str] = []

    def reply(prompt: str) -> str:
        asked.append(prompt)
        return answer

    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(builtins, "input", reply)
    hub = infimm()
    assert fetch(hub, "infimm-eval", tmp_path / "x", "--revision=main") == status
    assert asked == ["Accept the licence and download? [y/N] "]
    assert bool(hub.fetched()) == (tmp_path / "x").exists() == (status == 0)


def test_without_the_extra_the_message_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)
    assert main(["fetch", "mm-vet", str(tmp_path / "x"), "--yes"]) == 4
    assert "pip install 'pytest-mmreason[hub]'" in capsys.readouterr().err


def test_folder_of_other_files_is_left_alone(fetch: Fetching, tmp_path: Path) -> None:
    (tmp_path / QUESTIONS).write_text("mine", encoding="utf-8")
    hub = infimm()
    assert fetch(hub, "infimm-eval", tmp_path) == 1
    assert "holds files that fetch did not bring; name a new folder" in fetch.err
    assert f"({QUESTIONS!r} is the first of them)" in fetch.err
    assert hub.asked == [] and (tmp_path / QUESTIONS).read_text(encoding="utf-8") == "mine"
    assert fetch(infimm(), "infimm-eval", tmp_path / QUESTIONS) == 1
    assert "is no folder" in fetch.err


def test_full_disk_is_told_before_and_while_it_fills(
    fetch: Fetching, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        usage = shutil.disk_usage(tmp_path)
        patch.setattr("shutil.disk_usage", lambda path: usage._replace(free=10))
        hub = infimm()
        assert fetch(hub, "infimm-eval", tmp_path / "x") == 1
        assert "has 0 MB left, and 0 MB are needed; make room" in fetch.err
        assert hub.fetched() == []
    with monkeypatch.context() as patch:

        def full(*arguments: object) -> None:
            raise OSError(28, "No space left on device", "images.zip")

        patch.setattr("shutil.copyfileobj", full)
        assert fetch(infimm(), "infimm-eval", tmp_path / "x") == 1
        assert "images.zip: No space left on device; mend that" in fetch.err
    hub = infimm()
    assert fetch(hub, "infimm-eval", tmp_path / "x") == 0
    assert hub.fetched() == []


def test_stop_by_hand_keeps_what_has_come(
    fetch: Fetching, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:

        def stop(*arguments: object) -> None:
            raise KeyboardInterrupt

        patch.setattr("pytest_mmreason.fetching.download.check", stop)
        assert fetch(infimm(), "infimm-eval", tmp_path) == 2
        assert "the same command goes on from here" in fetch.err
    hub = infimm()
    assert fetch(hub, "infimm-eval", tmp_path) == 0
    assert [path for path, _ in hub.fetched()] == ["images.zip"]


def test_another_repository_may_hold_the_official_archive(fetch: Fetching, tmp_path: Path) -> None:
    archive = zipped(
        {
            "mm-vet/mm-vet.json": json.dumps(VET).encode(),
            "mm-vet/bard_set.json": b'["v1_0"]',
            "mm-vet/images/flag.png": picture("red", (40, 40)),
            "mm-vet/images/sum.png": picture("blue", (40, 40)),
            "mm-vet/evil.py": b"print()",
        }
    )
    hub = StandIn("me/copy", {"mm-vet.zip": archive}, license="", large=("mm-vet.zip",))
    assert fetch(hub, "mm-vet", tmp_path, "--yes", "--repo=me/copy", "--revision=v1") == 0
    assert hub.asked[0][0] == "/api/datasets/me/copy/revision/v1"
    assert sorted(p.name for p in tmp_path.iterdir()) == [
        ".fetch",
        "bard_set.json",
        "images",
        "mm-vet.json",
    ]
    assert "licence    CC BY-NC 4.0: name" in fetch.out
    assert "note: mm-vet.json is altered" in fetch.out


def test_name_that_is_no_repository_is_told(fetch: Fetching, tmp_path: Path) -> None:
    assert fetch(infimm(), "infimm-eval", tmp_path, "--yes", "--repo=a/b/c") == 1
    assert "'a/b/c' is no repository's name; write OWNER/NAME" in fetch.err


def test_missing_images_are_faults_of_what_was_fetched(fetch: Fetching, tmp_path: Path) -> None:
    hub = infimm()
    hub.files["images.zip"] = zipped({"images/a.png": picture("red", (40, 40))})
    assert fetch(hub, "infimm-eval", tmp_path) == 1
    assert "image 'images/c.webp' is missing below" in fetch.out.replace("\n      ", " ")


def test_unknown_name_is_told_with_the_nearest(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["fetch", "mmvet", str(tmp_path / "x"), "--yes"]) == 4
    told = capsys.readouterr().err
    assert "fetch mmvet: no official benchmark is named so. Did you mean 'mm-vet'" in told
