// An API on express that lets in only calls with a good token of Tessera.
import { verifier } from '@tessera/verify';
import express from 'express';

const { TESSERA_SERVER, RESOURCE_SERVER, SECRET, AUDIENCE, PORT = '3000' } = process.env;

const guard = await verifier({
  issuer: TESSERA_SERVER,
  resourceServer: { id: RESOURCE_SERVER, secret: SECRET, audience: AUDIENCE },
  onNotice: (notice) => console.error(notice),
});

const app = express();

app.get('/orders', guard.require('orders:read'), (request, response) => {
  response.json({ orders: [], for: guard.caller(request).identity });
});

app.post('/orders', guard.require('orders:write'), (request, response) => {
  response.status(201).json({ by: guard.caller(request).identity });
});

// For the load balancer: while revocations are not known, another instance may know them.
app.get('/ready', (_request, response) => response.sendStatus(guard.isFresh ? 200 : 503));

const server = app.listen(Number(PORT), '127.0.0.1', () => console.log(`listening on ${server.address().port}`));

process.once('SIGTERM', () => {
  guard.close();
  server.close();
});
