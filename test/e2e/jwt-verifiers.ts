// Other people's verifiers of JWTs, by discovery alone: jose, and the middleware of Auth0 on Express. Prints one line per token.
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { auth } from 'express-oauth2-jwt-bearer';
import { createRemoteJWKSet, jwtVerify } from 'jose';

const [issuer = '', audience = '', ...tokens] = process.argv.slice(2);

const metadata = (await (await fetch(`${issuer}/.well-known/oauth-authorization-server`)).json()) as {
  jwks_uri: string;
};
const keys = createRemoteJWKSet(new URL(metadata.jwks_uri));

async function byJose(token: string): Promise<string> {
  try {
    const { payload } = await jwtVerify(token, keys, { issuer, audience, typ: 'at+jwt' });
    return `accepted: ${payload.sub}`;
  } catch (error) {
    return `refused: ${(error as { code?: string }).code}`;
  }
}

const app = express();
app.use(auth({ issuerBaseURL: issuer, audience, strict: true }));
app.get('/', ({ auth }, response) => {
  response.json({ sub: auth?.payload.sub });
});
const server = app.listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

const CHALLENGE = /^Bearer .*error="([^"]*)", error_description="([^"]*)"/;

async function byMiddleware(token: string): Promise<string> {
  const answer = await fetch(`http://127.0.0.1:${port}/`, { headers: { authorization: `Bearer ${token}` } });
  const [, error, why] = CHALLENGE.exec(answer.headers.get('www-authenticate') ?? '') ?? [];
  if (!answer.ok) return `refused: ${answer.status} ${error}: ${why}`;
  return `accepted: ${((await answer.json()) as { sub: string }).sub}`;
}

for (const token of tokens) {
  console.log(JSON.stringify({ jose: await byJose(token), middleware: await byMiddleware(token) }));
}
server.close();
