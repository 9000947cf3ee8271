"""Real Elasticsearch nodes on this computer, put together from the server's jars on Maven Central.

``NodeMain.java`` and ``EssentialsPlugin.java`` in the folder elasticsearch_server are compiled against them;
what was fetched and compiled is kept in the user's cache folder. Maven and a JDK must be here.

A node lives for seconds only. So Java compiles it quickly rather than well, and takes the classes from an
archive of the first start, which saves three quarters of the work of starting.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
import zipfile
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import platformdirs
from PySide6.QtCore import QLockFile

SOURCES = Path(__file__).parent / "elasticsearch_server"
VERSIONS = {"8.19.0": 17, "9.1.0": 21}
"""The servers tested against, and the least Java that runs each."""

MODULE = "quizwriter-essentials"  # not test-…: the server refuses those
CLASSES = "classes.jsa"
"""The archive of loaded classes; once it is there, the server is ready to run."""

UNUSED_S = 7 * 86_400  # older builds than this are deleted: another checkout may use a younger one
STARTING = 240  # seconds; 5 to 10 on two idle cores, but those of a test may be busy


class NotHere(Exception):
    """A server of this version cannot be had here; the message says what is missing."""


class Node:
    """A running node. It may be killed or stopped for a while; the fixture that started it cleans up."""

    def __init__(self, process, url, log, version, name="node"):
        self.process = process
        self.name = name
        self.url = url
        self.version = version
        self._log = log

    def freeze(self):
        """It answers nothing any more, but its connections stay: as on a computer that swaps."""
        os.kill(self.process.pid, signal.SIGSTOP)

    def thaw(self):
        """It goes on."""
        os.kill(self.process.pid, signal.SIGCONT)

    def kill(self):
        """It is gone at once."""
        self.process.kill()
        self.process.wait()  # its end of the pipe is closed by whoever started it

    def ask(self, path, method="GET", body=None, *, within_s=30):
        """The JSON that the node answers with."""
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.urlopen(request, timeout=within_s) as answer:
            return json.loads(answer.read())

    def wait(self, nodes=1):
        """Until so many nodes have elected a master and all shards are served."""
        until = time.monotonic() + STARTING
        while True:
            try:
                health = self.ask("/_cluster/health?timeout=1s")
                if health["number_of_nodes"] == nodes and health["status"] in ("green", "yellow"):
                    return
            except (OSError, urllib.error.HTTPError):
                pass
            if self.process.poll() is not None or time.monotonic() > until:
                raise AssertionError(f"The node did not start:\n{self._log.read_text()[-4000:]}")
            time.sleep(0.1)


@contextmanager
def node(version, folder):
    """One node of this version with all it keeps in ``folder``.

    Raises:
        NotHere: Java or Maven are missing, or the jars are not to be had.
    """
    with _started(version, folder, free_port(), free_port(), ["discovery.type=single-node"]) as started:
        started.wait()
        yield started


@contextmanager
def cluster(version, folder):
    """Three nodes of one cluster; see :func:`node`."""
    names = ["one", "two", "three"]
    transports = [free_port() for _ in names]
    shared = [
        "discovery.seed_hosts=" + ",".join(f"127.0.0.1:{port}" for port in transports),
        "cluster.initial_master_nodes=" + ",".join(names),
    ]
    with ExitStack() as stack:
        started = [
            stack.enter_context(_started(version, folder / name, free_port(), transport, shared, name))
            for name, transport in zip(names, transports, strict=True)
        ]
        for one in started:
            one.wait(len(names))
        yield started


@contextmanager
def _started(version, folder, port, transport, settings, name="node"):
    built, java = _built(version)
    archive = f"-XX:SharedArchiveFile={built / CLASSES}"
    with _process(built, java, version, folder, port, transport, settings, name, archive) as started:
        yield started


@contextmanager
def _process(built, java, version, folder, port, transport, settings, name, archive):
    home = folder / "home"
    (home / "config").mkdir(parents=True)
    shutil.copytree(built / "modules", home / "modules")
    (home / "config" / "log4j2.properties").write_text(
        "appender.console.type = Console\n"
        "appender.console.name = console\n"
        "appender.console.layout.type = PatternLayout\n"
        "appender.console.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n\n"
        "rootLogger.level = warn\n"
        "rootLogger.appenderRef.console.ref = console\n"
    )
    command = [
        str(java / "bin" / "java"),
        *("-Xms512m", "-Xmx512m", "-XX:+UseSerialGC", "-Djava.io.tmpdir=" + str(folder)),
        *("-XX:TieredStopAtLevel=1", "-Xlog:disable", "-Xlog:all=error", archive),
        *(["--enable-native-access=ALL-UNNAMED"] if _major(java) >= 21 else []),
        *("-cp", f"{built / 'lib'}/*", "NodeMain", str(home)),
        *(f"node.name={name}", f"http.port={port}", f"transport.port={transport}"),
        *("cluster.name=tests", "network.host=127.0.0.1"),
        # whatever room the disk has: below 5 % merges wait for more, and so do the tests
        *("cluster.routing.allocation.disk.threshold_enabled=false", "indices.merge.disk.check_interval=0s"),
        *settings,
    ]
    log = folder / "node.log"
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=output, stderr=output)
    try:
        yield Node(process, f"http://127.0.0.1:{port}", log, version, name)
    finally:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.communicate()


def _built(version):
    """The folder with the server of this version ready to run, and the JDK that runs it."""
    java = _java(VERSIONS[version])
    if java is None:
        raise NotHere(f"Elasticsearch {version} needs a JDK of Java {VERSIONS[version]} or newer.")
    sources = sorted(path for path in SOURCES.iterdir() if path.suffix in {".java", ".xml"})
    contents = b"".join(path.read_bytes() for path in [*sources, Path(__file__)])
    key = hashlib.sha256(contents).hexdigest()[:12]
    place = platformdirs.user_cache_path("quizwriter-tests") / f"elasticsearch-{version}-{key}"
    place.parent.mkdir(parents=True, exist_ok=True)
    lock = QLockFile(str(place.parent / f"elasticsearch-{version}.lock"))
    lock.setStaleLockTime(0)  # it takes as long as Maven takes
    lock.lock()
    try:
        if not (place / CLASSES).exists():
            if shutil.which("mvn") is None:
                raise NotHere("Maven, which fetches Elasticsearch, is missing.")
            for older in place.parent.glob(f"elasticsearch-{version}-*"):
                if older == place or older.stat().st_mtime < time.time() - UNUSED_S:
                    shutil.rmtree(older, ignore_errors=True)
            _build(version, java, place)
            _archive_classes(version, java, place)
    finally:
        lock.unlock()
    return place, java


def _archive_classes(version, java, place):
    """Start a node once and end it in good order: Java then keeps the classes that it loaded."""
    half = place / "half.jsa"
    with tempfile.TemporaryDirectory() as folder:
        alone, archive = ["discovery.type=single-node"], f"-XX:ArchiveClassesAtExit={half}"
        ports = free_port(), free_port()
        with _process(place, java, version, Path(folder), *ports, alone, "node", archive) as started:
            started.wait()
            started.process.terminate()
            started.process.wait(STARTING)
    half.replace(place / CLASSES)


def _build(version, java, folder):
    jars, library = folder / "jars", folder / "lib"
    maven = ["mvn", "-B", "-q", "-f", str(SOURCES / "pom.xml"), f"-Delasticsearch={version}"]
    _do([*maven, "dependency:copy-dependencies", "-DincludeScope=runtime", f"-DoutputDirectory={jars}"])
    classes = folder / "classes"
    sources = [str(SOURCES / name) for name in ("NodeMain.java", "EssentialsPlugin.java")]
    _do([str(java / "bin" / "javac"), "-proc:none", "-cp", f"{jars}/*", "-d", str(classes), *sources])
    library.mkdir()
    netty, own = (folder / "modules" / name for name in ("transport-netty4", MODULE))
    netty.mkdir(parents=True)
    own.mkdir()
    for jar in jars.iterdir():
        shutil.move(jar, netty if jar.name.startswith(("netty-", "transport-netty4-")) else library)
    (transport,) = netty.glob("transport-netty4-*.jar")
    with zipfile.ZipFile(transport) as contents:
        described = contents.read("META-INF/es-plugins/transport-netty4/plugin-descriptor.properties")
    # the server runs from the class path, so there is no server module for a module of Java to find
    kept = [line for line in described.splitlines() if not line.startswith(b"modulename=")]
    (netty / "plugin-descriptor.properties").write_bytes(b"\n".join(kept))
    for jar, name in ((library / "node-main.jar", "NodeMain"), (own / "essentials.jar", "EssentialsPlugin")):
        with zipfile.ZipFile(jar, "w") as contents:
            for path in classes.glob(f"{name}*.class"):
                contents.write(path, path.name)
    (own / "plugin-descriptor.properties").write_text(
        f"description=What QuizWriter's tests need\nname={MODULE}\nversion={version}\n"
        f"elasticsearch.version={version}\njava.version={VERSIONS[version]}\nclassname=EssentialsPlugin\n"
    )


def _do(command):
    """Run ``command`` to its good end."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NotHere(f"{command[0]} failed: {(done.stderr or done.stdout).strip()[-1000:]}")


def _java(least):
    """The oldest JDK here that is at least of Java ``least``; None if there is none."""
    named = [os.environ[name] for name in sorted(os.environ) if name.startswith("JAVA_HOME")]
    compiler = shutil.which("javac")
    found = [
        *map(Path, named),
        *([Path(compiler).resolve().parents[1]] if compiler else []),
        *(path for folder in ("/usr/lib/jvm", "/opt") for path in sorted(Path(folder).glob("*"))),
    ]
    fitting = [home for home in found if (home / "bin" / "javac").exists() and _major(home) >= least]
    return min(fitting, key=_major, default=None)


def _major(home):
    """The version of the Java in ``home``: 17; 0 if it does not say."""
    try:
        said = (home / "release").read_text()
    except OSError:
        return 0
    found = re.search(r'^JAVA_VERSION="(\d+)', said, re.MULTILINE)
    return int(found.group(1)) if found else 0


def free_port():
    """A port that nobody has, and that no connection gets by chance until a node is up and takes it."""
    while True:
        port = random.SystemRandom().randrange(20_000, 32_000)  # systems give those of connections above
        with socket.socket() as free, suppress(OSError):
            free.bind(("127.0.0.1", port))
            return port
