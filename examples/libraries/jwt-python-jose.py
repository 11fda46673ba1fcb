import json, os, ssl, urllib.request
from jose import jwt

issuer = 'https://tessera.example:8443'
tls = ssl.create_default_context(cafile='authority.pem')
with urllib.request.urlopen(issuer + '/oauth2/jwks', context=tls) as answer:
    keys = json.load(answer)['keys']

token = os.environ['ACCESS_TOKEN']
header = jwt.get_unverified_header(token)
key = next(key for key in keys if key['kid'] == header['kid'])
claims = jwt.decode(token, key, algorithms=['ES256'], issuer=issuer, audience='https://orders.example.com')
if header['typ'] != 'at+jwt':
    raise ValueError('not an access token')
print(claims['scope'])
