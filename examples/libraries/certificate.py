import json, ssl, urllib.parse, urllib.request

tls = ssl.create_default_context(cafile='authority.pem')
tls.load_cert_chain('client.pem', 'client-key.pem')

def post(path, **form):
    body = urllib.parse.urlencode(form).encode()
    with urllib.request.urlopen('https://tessera.example:8443/oauth2/' + path, body, context=tls) as answer:
        return json.load(answer)

granted = post('token', grant_type='client_credentials', client_id='CLIENT_ID', scope='orders:read')
print(granted['scope'])
post('revoke', client_id='CLIENT_ID', token=granted['access_token'])
