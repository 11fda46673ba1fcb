"""A second implementation of docs/exactly-once-refresh.md, from that page alone, with Python's standard library.

Usage: python3 exactly_once.py docs/vectors/exactly-once-refresh.json   (or - for standard input)
"""
import base64, hashlib, hmac, json, sys

PREFIX = {1: "tsr_", 2: "tsa_"}
TAG_PURPOSE = {1: "refresh-tag", 2: "access-tag"}


def subkey(secret, purpose):
    """HKDF-SHA256 (RFC 5869) with an empty salt; 32 bytes are one block."""
    extracted = hmac.digest(b"\0" * 32, secret, "sha256")
    return hmac.digest(extracted, f"tessera {purpose}".encode() + b"\1", "sha256")


def text(kind, key_id, keys, body):
    head = bytes([kind, key_id]) + body
    tag = hmac.digest(subkey(keys[key_id], TAG_PURPOSE[kind]), head, "sha256")[:16]
    return PREFIX[kind] + base64.urlsafe_b64encode(head + tag).decode()


def derive(derived_from, before, generation, nonce, grant, root, key):
    """The secret of a generation; `before` is the one before it."""
    known = root + before if derived_from == "secret" else root
    message = known + nonce + grant + generation.to_bytes(4, "big")
    return hmac.digest(subkey(key, "next-secret"), message, "sha256")[:16]


def access_secret(root, grant):
    return hashlib.sha256(b"access" + root + grant).digest()[:28]


def pair(generation, key_id, secret, expires_at, grant, root, keys):
    number = generation.to_bytes(4, "big")
    access = access_secret(root, grant)
    return (text(1, key_id, keys, grant + number + root + secret),
            text(2, key_id, keys, grant + number + expires_at.to_bytes(4, "big") + access))


def standing(presented, secret, row, grant, root, access_hash, keys):
    """What a row says of a refresh token of generation `presented` whose tag is right."""
    if hashlib.sha256(access_secret(root, grant)).hexdigest() != access_hash:
        return "foreign"
    if presented > row["generation"]:
        return "ahead"
    if presented == row["generation"]:
        return "current" if hashlib.sha256(secret).hexdigest() == row["refreshHash"] else "ahead"
    is_last = presented == row["generation"] - 1
    for derived_from in ["root", "secret"] if is_last else ["root"]:
        key, nonce = keys[row["keyId"]], bytes.fromhex(row["nonce"])
        current = derive(derived_from, secret, row["generation"], nonce, grant, root, key)
        if hashlib.sha256(current).hexdigest() == row["refreshHash"]:
            return "last-spent" if is_last else "ancestor"
    return "spent"


def check(v):
    keys = {key["id"]: bytes.fromhex(key["secret"]) for key in v["keys"]}
    grant, root, rows = bytes.fromhex(v["grantId"]), bytes.fromhex(v["root"]), v["generations"]
    assert hashlib.sha256(access_secret(root, grant)).hexdigest() == v["accessHash"]
    secret = bytes.fromhex(rows[0]["secret"])
    for row in rows:
        n = row["generation"]
        if n > 0:
            nonce, key = bytes.fromhex(row["nonce"]), keys[row["keyId"]]
            secret = derive(row["derivedFrom"], secret, n, nonce, grant, root, key)
        assert secret.hex() == row["secret"], f"secret {n}"
        assert hashlib.sha256(secret).hexdigest() == row["refreshHash"], f"hash {n}"
        made = pair(n, row["keyId"], secret, row["expiresAt"], grant, root, keys)
        assert made == (row["refreshToken"], row["accessToken"]), f"pair {n}"
    for p in v["presentations"]:
        shown = bytes.fromhex(rows[p["presented"]]["secret"])
        its_root = bytes.fromhex(p.get("root", v["root"]))
        row = rows[p["row"]]
        found = standing(p["presented"], shown, row, grant, its_root, v["accessHash"], keys)
        repeats = row["generation"] if found in ("last-spent", "ancestor") else None
        assert (found, repeats) == (p["standing"], p.get("repeats")), p
    print(f"{len(rows)} generations, {len(v['presentations'])} presentations agree")


check(json.load(sys.stdin if sys.argv[1] == "-" else open(sys.argv[1])))
