"""Calls an API with a token by client certificate. Needs nothing but Python's standard library."""
import fcntl
import json
import os
import ssl
import time
import urllib.parse
import urllib.request

SERVER, CLIENT_ID = os.environ["TESSERA_SERVER"], os.environ["TESSERA_CLIENT_ID"]
TOKEN_FILE = os.environ.get("TOKEN_FILE", "token.json")
# Trusts what the machine trusts, and the CA that SSL_CERT_FILE names.
tls = ssl.create_default_context()
tls.load_cert_chain(os.environ["CERTIFICATE"], os.environ["KEY"])


def fetch(url, form=None, headers={}):
    data = urllib.parse.urlencode(form).encode() if form else None
    request = urllib.request.Request(url, data, headers)
    with urllib.request.urlopen(request, timeout=30, context=tls) as response:
        return json.load(response)


def request_token():
    metadata = fetch(f"{SERVER}/.well-known/oauth-authorization-server")
    form = {"grant_type": "client_credentials", "client_id": CLIENT_ID, "scope": "orders:read"}
    answer = fetch(metadata["token_endpoint"], form)
    # Asked for again when a tenth of its life is left.
    return {"access_token": answer["access_token"], "use_until": time.time() + answer["expires_in"] * 0.9}


def access_token():
    """The token of the file, or a new one. Many processes may share the file: one of them asks."""
    with open(os.open(TOKEN_FILE + ".lock", os.O_CREAT | os.O_RDWR, 0o600), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # ends with the process
        try:
            with open(TOKEN_FILE) as file:
                token = json.load(file)
        except FileNotFoundError:
            token = {"use_until": 0}
        if token["use_until"] < time.time():
            token = request_token()
            with open(os.open(TOKEN_FILE + ".next", os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o600), "w") as file:
                json.dump(token, file)
            os.replace(TOKEN_FILE + ".next", TOKEN_FILE)
        return token["access_token"]


if __name__ == "__main__":
    print(json.dumps(fetch(os.environ["API"], headers={"Authorization": f"Bearer {access_token()}"})))
