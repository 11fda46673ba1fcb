require 'json'
require 'jwt'
require 'net/http'

issuer = 'https://tessera.example:8443'
uri = URI("#{issuer}/oauth2/jwks")
reply = Net::HTTP.start(uri.host, uri.port, use_ssl: true, ca_file: 'authority.pem') { |http| http.get(uri.path) }
keys = JSON.parse(reply.body)['keys'].select { |key| key['kty'] == 'EC' }

rules = { algorithms: ['ES256'], jwks: { keys: keys }, iss: issuer, verify_iss: true,
          aud: 'https://orders.example.com', verify_aud: true }
claims, header = JWT.decode(ENV['ACCESS_TOKEN'], nil, true, rules)
raise 'not an access token' unless header['typ'] == 'at+jwt'
puts claims['scope']
