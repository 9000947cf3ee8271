"""Where a server is: what counts as this computer, and what can be read on the way."""

import pytest

from quizwriter.domain.server_address import addresses, host, is_address, is_here, is_open


def test_addresses_are_told_apart_by_commas():
    assert addresses(" https://one:9200/, https://two ,") == ("https://one:9200", "https://two")
    assert addresses("") == ()


@pytest.mark.parametrize(
    "url",
    [
        "",
        "lab",
        "lab:9200",
        "https://",
        "https://:9200",
        "https://lab:0",
        "https://lab:x",
        "ftp://lab",
        "http://[lab",
    ],
)
def test_what_names_no_server_is_no_address(url):
    assert not is_address(url)
    assert host(url) == ""
    assert not is_here(url)
    assert not is_open(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://localhost:9200",
        "HTTP://LOCALHOST",
        "http://a.localhost",
        "http://127.9.9.9:1",
        "http://[::1]:9200",
    ],
)
def test_what_is_sent_to_this_computer_crosses_no_network(url):
    assert is_here(url)
    assert not is_open(url)


@pytest.mark.parametrize(
    "url",
    [
        "http://lab:9200",
        "HTTP://lab",
        "http://10.0.0.7:9200",
        "http://localhost.example.org",
        "http://127.0.0.1.example.org",
        "http://localhost:9200@lab:9200",
        "http://0.0.0.0:9200",
        "http://[::ffff:10.0.0.7]",
    ],
)
def test_plain_http_to_any_other_can_be_read_on_the_way(url):
    assert is_open(url)
    assert not is_open(url.lower().replace("http:", "https:"))


def test_a_host_is_said_without_what_opens_it():
    assert host("https://me:hunter2@lab:9200") == "lab:9200"
