// An API on fastify that lets in only calls with a good token of Tessera.
import { verifier } from '@tessera/verify';
import { fastify } from 'fastify';

const { TESSERA_SERVER, RESOURCE_SERVER, SECRET, AUDIENCE, PORT = '3000' } = process.env;

const guard = await verifier({
  issuer: TESSERA_SERVER,
  resourceServer: { id: RESOURCE_SERVER, secret: SECRET, audience: AUDIENCE },
  onNotice: (notice) => console.error(notice),
});

const app = fastify();

app.get('/orders', { preHandler: guard.require('orders:read') }, async (request) => {
  return { orders: [], for: guard.caller(request).identity };
});

app.post('/orders', { preHandler: guard.require('orders:write') }, async (request, reply) => {
  reply.code(201);
  return { by: guard.caller(request).identity };
});

// For the load balancer: while revocations are not known, another instance may know them.
app.get('/ready', async (_request, reply) => reply.code(guard.isFresh ? 200 : 503).send());

app.addHook('onClose', () => guard.close());
process.once('SIGTERM', () => app.close());

await app.listen({ port: Number(PORT), host: '127.0.0.1' });
console.log(`listening on ${app.server.address().port}`);
