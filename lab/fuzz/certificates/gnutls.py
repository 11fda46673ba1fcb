# GnuTLS's verdict on chains, one after the other. Needs Debian's python3 and libgnutls30 and nothing else.
# In: per chain a count, then root, leaf and the rest, each preceded by its length (32 bits, big-endian).
# Out: one line per chain, "good" or the reasons.
import ctypes
import struct
import sys

gnutls = ctypes.CDLL("libgnutls.so.30")
DER = 0
KEY_PURPOSE = 2
CLIENT_AUTH = b"1.3.6.1.5.5.7.3.2"
REASONS = {
    1 << 5: "revoked", 1 << 6: "signer-not-found", 1 << 7: "signer-not-ca", 1 << 8: "insecure-algorithm",
    1 << 9: "not-activated", 1 << 10: "expired", 1 << 11: "signature-failure", 1 << 16: "constraints-failure",
    1 << 17: "mismatch", 1 << 18: "purpose-mismatch", 1 << 21: "unknown-critical-extension",
}


class Datum(ctypes.Structure):
    _fields_ = [("data", ctypes.c_char_p), ("size", ctypes.c_uint)]


class Purpose(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int), ("data", ctypes.c_char_p), ("size", ctypes.c_uint)]


def load(der):
    certificate = ctypes.c_void_p()
    gnutls.gnutls_x509_crt_init(ctypes.byref(certificate))
    if gnutls.gnutls_x509_crt_import(certificate, ctypes.byref(Datum(der, len(der))), DER) < 0:
        gnutls.gnutls_x509_crt_deinit(certificate)
        return None
    return certificate


def trust(der, known={}):
    if der not in known:
        trusted = ctypes.c_void_p()
        gnutls.gnutls_x509_trust_list_init(ctypes.byref(trusted), 0)
        roots = (ctypes.c_void_p * 1)(load(der))
        gnutls.gnutls_x509_trust_list_add_cas(trusted, roots, 1, 0)
        known[der] = trusted
    return known[der]


def verdict(root, chain):
    loaded = [load(der) for der in chain]
    if loaded[0] is None:
        said = "unreadable"
    else:
        # An authority that cannot be read is as good as not sent.
        sent = [certificate for certificate in loaded if certificate is not None]
        said = judge(trust(root), (ctypes.c_void_p * len(sent))(*sent))
    for certificate in loaded:
        if certificate is not None:
            gnutls.gnutls_x509_crt_deinit(certificate)
    return said


def judge(trusted, chain):
    status = ctypes.c_uint(0)
    purpose = Purpose(KEY_PURPOSE, CLIENT_AUTH, 0)
    failed = gnutls.gnutls_x509_trust_list_verify_crt2(
        trusted, chain, len(chain), ctypes.byref(purpose), 1, 0, ctypes.byref(status), None)
    if failed < 0:
        return "failed %d" % failed
    if status.value == 0:
        return "good"
    return " ".join(name for bit, name in REASONS.items() if status.value & bit) or "invalid %x" % status.value


def read(size):
    octets = sys.stdin.buffer.read(size)
    if len(octets) < size:
        sys.exit(0)
    return octets


while True:
    count = struct.unpack(">I", read(4))[0]
    given = [read(struct.unpack(">I", read(4))[0]) for _ in range(count)]
    print(verdict(given[0], given[1:]), flush=True)
