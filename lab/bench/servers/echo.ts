// The limits: servers that answer with the JSON they were sent and do nothing else, plain and over TLS.
//   echo.ts node|fastify WORKERS PORT TLS_PORT FOLDER_OF_CERTIFICATES
import cluster from 'node:cluster';
import { constants } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { join } from 'node:path';
import { type FastifyInstance, fastify } from 'fastify';

const [stack, workers, port, tlsPort, folder = ''] = process.argv.slice(2);

const tls = {
  cert: readFileSync(join(folder, 'server.crt')),
  key: readFileSync(join(folder, 'server.key')),
  ca: readFileSync(join(folder, 'authority.crt')),
  requestCert: true,
  rejectUnauthorized: false,
  // As in Tessera: a resumed session would hide the caller's chain.
  secureOptions: constants.SSL_OP_NO_TICKET,
};

if (Number(workers) > 1 && cluster.isPrimary) for (let i = 0; i < Number(workers); i++) cluster.fork();
else if (stack === 'node') serveNode();
else await serveFastify();

function serveNode(): void {
  createServer(echo).listen(Number(port), '127.0.0.1');
  createTlsServer(tls, echo).listen(Number(tlsPort), '127.0.0.1');
}

function echo(request: IncomingMessage, response: ServerResponse): void {
  if (request.method === 'GET') answer(response, { authorization: request.headers.authorization });
  else echoBody(request, response);
}

function echoBody(request: IncomingMessage, response: ServerResponse): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(response, JSON.parse(Buffer.concat(chunks).toString())));
}

function answer(response: ServerResponse, value: unknown): void {
  const body = JSON.stringify(value);
  response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) });
  response.end(body);
}

async function serveFastify(): Promise<void> {
  await hang(fastify()).listen({ port: Number(port), host: '127.0.0.1' });
  await hang(fastify({ https: tls }) as unknown as FastifyInstance).listen({
    port: Number(tlsPort),
    host: '127.0.0.1',
  });
}

function hang(app: FastifyInstance): FastifyInstance {
  app.post('/echo', async (request) => request.body);
  app.get('/echo', async (request) => ({ authorization: request.headers.authorization }));
  return app;
}
