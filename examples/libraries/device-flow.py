import base64, json, ssl, time, urllib.error, urllib.parse, urllib.request

tls = ssl.create_default_context(cafile='authority.pem')
issuer = 'https://tessera.example:8443'
with urllib.request.urlopen(issuer + '/.well-known/oauth-authorization-server', context=tls) as answer:
    server = json.load(answer)

def post(endpoint, headers={}, **form):
    request = urllib.request.Request(server[endpoint], urllib.parse.urlencode(form).encode(), headers)
    try:
        with urllib.request.urlopen(request, context=tls) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as refused:
        return json.load(refused)

started = post('device_authorization_endpoint', client_id='CLIENT_ID', scope='orders:read')
print('Open', started['verification_uri'], 'and enter', started['user_code'], flush=True)
interval, pending = started['interval'], {'error': 'authorization_pending'}
while pending.get('error') in ('authorization_pending', 'slow_down'):
    interval += 5 if pending['error'] == 'slow_down' else 0
    time.sleep(interval)
    pending = post('token_endpoint', grant_type='urn:ietf:params:oauth:grant-type:device_code',
                   client_id='CLIENT_ID', device_code=started['device_code'])
granted = post('token_endpoint', grant_type='refresh_token', client_id='CLIENT_ID', refresh_token=pending['refresh_token'])

proof = {'Authorization': 'Basic ' + base64.b64encode(b'orders-api:SECRET').decode()}
print(post('introspection_endpoint', proof, token=granted['access_token'])['scope'])
post('revocation_endpoint', client_id='CLIENT_ID', token=granted['refresh_token'])
print(post('introspection_endpoint', proof, token=granted['access_token']))
