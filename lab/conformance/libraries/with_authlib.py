# Authlib, unmodified: keys, secrets, exchange, and authorization code with PKCE. The parent is the browser: it reads the address and writes
# what the redirect carried.
import json
import os
import secrets
import sys

import requests
from authlib.integrations.requests_client import OAuth2Session
from authlib.oauth2.rfc7523 import PrivateKeyJWT
from joserfc.jwk import ECKey

order = json.loads(os.environ["ORDER"])
SCOPE = "orders:read"


def say(**line):
    print(json.dumps(line), flush=True)


def session(client_id, secret=None, **options):
    return OAuth2Session(client_id, secret, scope=SCOPE, **options)


server = requests.get(order["issuer"] + "/.well-known/oauth-authorization-server").json()
endpoint = server["token_endpoint"]
key = ECKey.import_key(json.loads(order["jwk"]))
signed = PrivateKeyJWT(endpoint, alg="ES256", headers={"kid": order["kid"]})
for how, secret, method in [
    ("private_key_jwt", key, signed),
    ("client_secret_basic", order["secret"], "client_secret_basic"),
    ("client_secret_post", order["secret"], "client_secret_post"),
]:
    robot = session(order["clientId"], secret, token_endpoint_auth_method=method)
    token = robot.fetch_token(endpoint, grant_type="client_credentials")
    say(how=how, scope=token["scope"])
    token = robot.fetch_token(
        endpoint,
        grant_type="urn:ietf:params:oauth:grant-type:token-exchange",
        subject_token=order["subject"],
        subject_token_type="urn:ietf:params:oauth:token-type:access_token",
    )
    say(how="exchange, " + how, scope=token["scope"])

agent = session(
    order["codeClientId"],
    redirect_uri=order["redirectUri"],
    code_challenge_method="S256",
    token_endpoint_auth_method="none",
)
verifier = secrets.token_urlsafe(48)
address, state = agent.create_authorization_url(server["authorization_endpoint"], code_verifier=verifier)
say(open=address)
answer = order["redirectUri"] + "?" + sys.stdin.readline().strip()
token = agent.fetch_token(endpoint, authorization_response=answer, state=state, code_verifier=verifier)
say(how="code", scope=token["scope"])
token = agent.refresh_token(endpoint, refresh_token=token["refresh_token"])
say(how="refresh", scope=token["scope"])
agent.revoke_token(server["revocation_endpoint"], token=token["refresh_token"], token_type_hint="refresh_token")
say(how="revocation")
