// The limit: a fastify that answers with the JSON it was sent and does nothing else, plain and over TLS.
//   echo.ts PORT TLS_PORT FOLDER_OF_CERTIFICATES
import { constants } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type FastifyInstance, fastify } from 'fastify';

const [port, tlsPort, folder = ''] = process.argv.slice(2);
const host = '127.0.0.1';
const tls = {
  cert: readFileSync(join(folder, 'server.crt')),
  key: readFileSync(join(folder, 'server.key')),
  ca: readFileSync(join(folder, 'authority.crt')),
  requestCert: true,
  rejectUnauthorized: false,
  // As in Tessera: a resumed session would hide the caller's chain.
  secureOptions: constants.SSL_OP_NO_TICKET,
};

await echoing(fastify()).listen({ port: Number(port), host });
await echoing(fastify({ https: tls }) as unknown as FastifyInstance).listen({ port: Number(tlsPort), host });

function echoing(app: FastifyInstance): FastifyInstance {
  app.post('/echo', async (request) => request.body);
  app.get('/echo', async (request) => ({ authorization: request.headers.authorization }));
  return app;
}
