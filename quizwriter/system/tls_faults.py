"""Why no encrypted connection comes about: each reason has another remedy."""

from __future__ import annotations

import ssl

import msgspec

_OF_ANOTHER_HOST = frozenset({62, 64})
"""OpenSSL's X509_V_ERR_HOSTNAME_MISMATCH and X509_V_ERR_IP_ADDRESS_MISMATCH."""

_AT_ANOTHER_TIME = frozenset({9, 10})
"""OpenSSL's X509_V_ERR_CERT_NOT_YET_VALID and X509_V_ERR_CERT_HAS_EXPIRED."""

_IS_NO_TLS = frozenset(
    {"HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE", "WRONG_VERSION_NUMBER"}
)
"""OpenSSL's words for the first bytes of a server that does not encrypt."""

_SAY_HTTPS = (
    "plain http request was sent to https",
    "speaking plain http to an ssl",
    "request to an https server",
)
"""What nginx, Apache and servers in Go answer who asks them without encryption, in small letters."""

_CUT = ssl.SSLEOFError, ssl.SSLZeroReturnError, ssl.SSLSyscallError


class TlsFault(msgspec.Struct, frozen=True):
    """What is wrong with the encryption of a server; ``lasting``: until somebody does something about it."""

    problem: str
    remedy: str
    lasting: bool = True


def tls_fault(trouble: BaseException, server: str) -> TlsFault | None:
    """What is wrong with the encryption of ``server``, if ``trouble`` comes from that.

    A connection that was only cut is no such fault.
    """
    cause: BaseException | None = trouble
    while cause is not None and not isinstance(cause, ssl.SSLError):
        cause = cause.__cause__ or cause.__context__
    if cause is None or isinstance(cause, _CUT):
        return None
    if isinstance(cause, ssl.SSLCertVerificationError):
        if cause.verify_code in _OF_ANOTHER_HOST:
            return TlsFault(
                f"The certificate of {server} is for another address.",
                "Use the address that the certificate names, or ask the server's operator for another "
                "certificate.",
            )
        if cause.verify_code in _AT_ANOTHER_TIME:
            return TlsFault(
                f"The certificate of {server} has expired, or is not valid yet.",
                "Check that the clock of this computer is right, and ask the server's operator for a new "
                "certificate.",
                lasting=False,
            )
        return TlsFault(
            f"The certificate of {server} is not trusted.",
            "Choose the file of its certificate authority in Preferences, or ask the server's operator for "
            "that file.",
        )
    if cause.reason in _IS_NO_TLS:
        return TlsFault(
            f"{server} does not answer over https.",
            "Check the address and the port: a server that does not encrypt has an address with http://.",
        )
    why = (cause.reason or "").replace("_", " ").lower()
    return TlsFault(
        f"No encrypted connection to {server} can be made{f' ({why})' if why else ''}.",
        "Ask the server's operator which versions of TLS and which certificates it takes.",
        lasting=False,
    )


def unencrypted_fault(answer: str, server: str) -> TlsFault | None:
    """What is wrong where the ``answer`` of ``server`` says that it was asked without encryption."""
    said = answer.casefold()
    if not any(words in said for words in _SAY_HTTPS):
        return None
    return TlsFault(
        f"{server} answers over https only.",
        "Write https:// instead of http:// in its address in Preferences.",
    )
