"""What a signature shows: that it was made with the private part of its key."""

import pytest

from quizwriter.system.signing import Signature, SigningKey, fits

FIELD, GROUP = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
IDENTITY = (1).to_bytes(32, "little").hex()
OF_ORDER_8 = "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"
WEAK_Y = {
    y for one in (int.from_bytes(bytes.fromhex(OF_ORDER_8), "little"), 0, 1) for y in (one, FIELD - one)
}
WEAK_KEYS = sorted(
    (y + sign).to_bytes(32, "little").hex() for y in WEAK_Y | {FIELD + 1} for sign in (0, 1 << 255)
)


@pytest.mark.parametrize("key", WEAK_KEYS)
def test_a_key_without_a_private_part_proves_nothing(key):
    forged = [Signature(key, point + "00" * 32) for point in (IDENTITY, key, *WEAK_KEYS)]
    assert not any(fits(one, b"statement %d" % number) for one in forged for number in range(16))


def test_a_signature_fits_its_statement_in_one_form_only():
    key = SigningKey.generate("Ada")
    signature = key.sign(b"mine")
    assert fits(signature, b"mine")
    assert not fits(signature, b"yours")

    scalar = int.from_bytes(bytes.fromhex(signature.value[64:]), "little") + GROUP
    other = signature.value[:64] + scalar.to_bytes(32, "little").hex()
    assert not fits(Signature(signature.key, other), b"mine")
