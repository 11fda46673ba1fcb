curl --silent --cacert authority.pem https://tessera.example:8443/oauth2/jwks | node -e '
    for (const key of JSON.parse(fs.readFileSync(0)).keys)
      console.log(require("crypto").createPublicKey({ key, format: "jwk" }).export({ type: "spki", format: "pem" }));'
