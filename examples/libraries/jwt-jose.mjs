import { createRemoteJWKSet, jwtVerify } from 'jose';

const issuer = 'https://tessera.example:8443';
const keys = createRemoteJWKSet(new URL(`${issuer}/oauth2/jwks`));
const rules = { issuer, audience: 'https://orders.example.com', typ: 'at+jwt' };
const { payload } = await jwtVerify(process.env.ACCESS_TOKEN, keys, rules);
console.log(payload.scope);
