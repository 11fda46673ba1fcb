// Other people's verifiers of JWTs, by discovery alone: jose, and the Express middleware of Auth0. Prints one line per token.
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
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

/** What the middleware asks Express for. */
const check = auth({ issuerBaseURL: issuer, audience, strict: true });
const server = createServer((request: IncomingMessage & { is?: unknown; auth?: unknown }, response) => {
  const get = (name: string) => request.headers[name.toLowerCase()];
  const asked = Object.assign(request, { is: () => false, get, protocol: 'http', query: {}, body: undefined });
  void check(asked as never, response as never, (error?: unknown) => {
    response.statusCode = (error as { status?: number } | undefined)?.status ?? (error ? 500 : 200);
    response.end(String((error as Error | undefined)?.message ?? ''));
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
const { port } = server.address() as AddressInfo;

async function byMiddleware(token: string): Promise<number> {
  return (await fetch(`http://127.0.0.1:${port}/`, { headers: { authorization: `Bearer ${token}` } })).status;
}

for (const token of tokens) {
  console.log(JSON.stringify({ jose: await byJose(token), middleware: await byMiddleware(token) }));
}
server.close();
