// Gets a token in every way that the service offers, in the network where this is started: by certificate, by a person who confirms in the
// pages, and by assertion. Each is verified, refreshed where it can be, and revoked.
import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Visitor } from '../../test/doors/pages/visitor.ts';
import { type Caller, callerOver } from '../../test/e2e/caller.ts';
import { postForm } from '../../test/e2e/oauth-steps.ts';
import {
  CLIENT,
  type Pair,
  pairByCertificate,
  redeem,
  refresh,
  refreshed,
  revoke,
  startedDevice,
  verify,
} from '../../test/e2e/steps.ts';
import type { TourFacts } from './calls.ts';

const { ca, certificate, key, port = 8443, password, assertion } = JSON.parse(readFileSync(0, 'utf8')) as TourFacts;
const chain = [new X509Certificate(certificate).raw];
const caller = callerOver('HTTP/1.1', { port, ca, certificate: { chain, key } });

await used('certificate', await pairByCertificate(caller, CLIENT, 'orders:read'));
await used('device', await pairByDevice(caller));
await used('assertion', await pairByAssertion(caller));
caller.close();

async function pairByDevice(caller: Caller): Promise<Pair> {
  const started = await startedDevice(caller);
  const person = new Visitor({ url: `https://localhost:${port}`, authority: ca });
  assert.equal((await person.signIn('ada', password)).status, 303);
  const page = await person.enterCode(started.user_code);
  assert.equal((await person.post(`${page}/confirm`)).status, 303);
  const redeemed = await redeem(caller, started.device_code);
  assert.equal(redeemed.status, 200, redeemed.text);
  assert.equal((await redeem(caller, started.device_code)).status, 400, 'a device code is redeemed once only');
  return redeemed.json as unknown as Pair;
}

async function pairByAssertion(caller: Caller): Promise<Pair> {
  const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', client_id: CLIENT, assertion };
  const answer = await postForm(caller, '/oauth2/token', form);
  assert.equal(answer.status, 200, answer.text);
  return answer.json as unknown as Pair;
}

async function used(way: string, first: Pair): Promise<void> {
  const pair = first.refresh_token === undefined ? first : await refreshed(caller, first);
  assert.equal((await verify(caller, pair.access_token)).status, 200);
  assert.equal((await revoke(caller, pair.access_token)).status, 200);
  assert.equal((await verify(caller, pair.access_token)).status, 401);
  if (pair.refresh_token !== undefined) assert.equal((await refresh(caller, pair.refresh_token)).status, 400);
  console.log(`${way}: token, ${pair === first ? '' : 'refresh, '}verify, revoke`);
}
