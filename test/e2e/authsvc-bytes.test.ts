// Every kind of answer of the authsvc door, byte for byte: status line, header lines and body. Whoever changes one must change
// authsvc-answers.txt as well, and say why in docs/spec-gaps.md.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { type AuthsvcReason, TO_CALLERS } from '../../src/core/refusal.ts';
import { reasonsOf } from '../../src/core/refusals/declaration.ts';
import { OF_OAUTH } from '../../src/core/refusals/standard.ts';
import { wordingOf } from '../../src/doors/authsvc/wording.ts';
import { describe } from '../../src/doors/token/descriptions.ts';
import { StoreUnavailable } from '../../src/store/store.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { given } from '../given.ts';
import { anIdentity, anIntegration, scopeOf } from '../samples.ts';
import { type Reach, reachOf, sendRaw } from './caller.ts';
import { clientId, MALLORY, startService } from './service.ts';
import * as steps from './steps.ts';

const TRANSCRIPT = 'test/e2e/authsvc-answers.txt';
const { CERTIFICATE, CLIENT, DEVICE, DEVICE_GRANT, REVOKE, SCOPE, TOKEN, VERIFY } = steps;

const answers: string[] = [];

const service = given(() => startService());
const ada = given(() => service.caller(service.ada));
const bare = given(() => service.caller());

/** With names for what differs from run to run. */
function fixed(text: string): string {
  return text
    .replace(/ts([ard])_[\w-]{94}==/g, 'ts$1_…')
    .replace(/\b[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}\b/g, 'USER-CODE')
    .replace(/(\r\nDate: )[^\r]*/i, '$1…')
    .replace(/(\r\nretry-after: |Ask again in )\d\d\b/gi, '$1…')
    .replace(/(\r\nrequest-id: )\S+/i, '$1…')
    .replace(/ Request [\w-]+\./g, ' Request ….')
    .replace(/\/Date\(\d{13}\)\//g, '/Date(…)/')
    .replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, 'TIME')
    .replace(/":1\d{9}\b/g, '":SECONDS');
}

interface Sent {
  readonly method?: string;
  readonly type?: string;
  readonly headers?: readonly string[];
  readonly body?: string;
  readonly reach?: Reach;
}

async function record(what: string, path: string, sent: Sent = {}): Promise<void> {
  const { method = 'POST', type, headers = [], body = '', reach = reachOf(service) } = sent;
  const length = method === 'POST' ? [`Content-Length: ${Buffer.byteLength(body)}`] : [];
  const lines = [
    'Host: localhost',
    'Connection: close',
    ...length,
    ...(type ? [`Content-Type: ${type}`] : []),
    ...headers,
  ];
  const text = await sendRaw(reach, `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n${body}`);
  answers.push(`== ${what}\n${fixed(text).replaceAll('\r\n', '\n')}\n`);
}

const JSON_TYPE = 'application/json';
const FORM_TYPE = 'application/x-www-form-urlencoded';
const asJson = (value: unknown, reach?: Reach): Sent => ({
  type: JSON_TYPE,
  body: JSON.stringify(value),
  ...(reach && { reach }),
});
const asForm = (fields: Record<string, string>): Sent => ({
  type: FORM_TYPE,
  body: new URLSearchParams(fields).toString(),
});
const withBearer = (token: string): Sent => ({ method: 'GET', headers: [`Authorization: Bearer ${token}`] });

async function recordSuccesses(): Promise<void> {
  const withAda = reachOf(service, service.ada);
  await record('Certificate', CERTIFICATE, asJson({ client_id: CLIENT, scope: SCOPE }, withAda));
  await record('Certificate, no refresh', CERTIFICATE, asJson({ client_id: 'no-refresh', scope: SCOPE }, withAda));
  await record('Device', DEVICE, asJson({ client_id: CLIENT, scope: SCOPE }));
  await record('Device by form', DEVICE, asForm({ client_id: CLIENT, scope: SCOPE }));
  const pair = await steps.pairByCertificate(ada);
  await record('Verify', VERIFY, withBearer(pair.access_token));
  await record('Token by refresh', TOKEN, asJson({ client_id: CLIENT, refresh_token: pair.refresh_token }));
  await record('Revoke', REVOKE, withBearer(pair.access_token));
  for (const [what, send] of [
    ['Token by device code', asJson],
    ['Token by device code in a form', asForm],
  ] as const) {
    const started = await steps.startedDevice(bare);
    await steps.confirm(service, started);
    const fields = { client_id: CLIENT, grant_type: DEVICE_GRANT, device_code: started.device_code };
    await record(what, TOKEN, send(fields));
    await record(`${what}, again`, TOKEN, send(fields));
  }
}

async function recordRefusedRequests(): Promise<void> {
  const refresh = { client_id: CLIENT, refresh_token: 'tsr_x' };
  await record('no Content-Type', TOKEN, { body: JSON.stringify(refresh) });
  await record('another Content-Type', TOKEN, { type: 'text/plain', body: 'x' });
  await record('another charset', TOKEN, { type: `${JSON_TYPE}; charset=latin1`, body: '{}' });
  await record('a compressed body', TOKEN, { type: JSON_TYPE, headers: ['Content-Encoding: gzip'], body: '{}' });
  await record('not JSON', TOKEN, { type: JSON_TYPE, body: '{' });
  await record('not an object', TOKEN, asJson([]));
  await record('not text', TOKEN, asJson({ client_id: 1 }));
  await record('a parameter twice', TOKEN, { type: FORM_TYPE, body: 'client_id=a&client_id=a' });
  await record('too large', TOKEN, asJson({ client_id: 'x'.repeat(70_000) }));
  await record('another path', '/authsvc/Authorize/Nothing', asJson({}));
  await record('another method', TOKEN, { method: 'GET' });
  await record('another method at Verify', VERIFY, asJson({}));
  await record('HEAD', VERIFY, { method: 'HEAD' });
  await record('client_id missing', TOKEN, asJson({ refresh_token: 'tsr_x' }));
  await record('client_id unknown', TOKEN, asJson({ ...refresh, client_id: 'nobody' }));
  await record('integration disabled', TOKEN, asJson({ ...refresh, client_id: 'disabled' }));
  await record('no credential', TOKEN, asJson({ client_id: CLIENT }));
  await record('two credentials', TOKEN, asJson({ ...refresh, device_code: 'tsd_x', grant_type: DEVICE_GRANT }));
  await record('another grant_type', TOKEN, asJson({ client_id: CLIENT, device_code: 'tsd_x', grant_type: 'x' }));
  await record('refresh by form', TOKEN, asForm(refresh));
  await record('scope missing at Device', DEVICE, asJson({ client_id: CLIENT }));
  await record('device flow off', DEVICE, asJson({ client_id: 'no-device', scope: SCOPE }));
}

async function recordRefusedTokens(): Promise<void> {
  const refreshWith = (refresh_token: string, client_id: string = CLIENT) => asJson({ client_id, refresh_token });
  const pair = await steps.pairByCertificate(ada);
  await record('refresh token forged', TOKEN, refreshWith(steps.forged(pair.refresh_token)));
  await record('refresh token of another integration', TOKEN, refreshWith(pair.refresh_token, 'other-sync'));
  await record('access token missing', VERIFY, { method: 'GET' });
  await record('access token forged', VERIFY, withBearer(steps.forged(pair.access_token)));
  await record('access token in the address', `${VERIFY}?access_token=x`, { method: 'GET' });
  await record('access token forged, at Revoke', REVOKE, withBearer(steps.forged(pair.access_token)));
  await steps.revoke(bare, pair.access_token);
  await record('grant revoked', TOKEN, refreshWith(pair.refresh_token));
  await record('grant revoked, at Verify', VERIFY, withBearer(pair.access_token));
  await record('grant revoked, at Revoke', REVOKE, withBearer(pair.access_token));
  const strict = await steps.pairByCertificate(ada, 'strict');
  await steps.refreshed(bare, strict, 'strict');
  await record('refresh token reused', TOKEN, refreshWith(strict.refresh_token, 'strict'));
  const bound = await steps.pairByCertificate(ada, 'bound');
  await record('refresh without its certificate', TOKEN, refreshWith(bound.refresh_token, 'bound'));
  const narrowed = await steps.pairByCertificate(ada, 'other-sync');
  await service.register(anIntegration({ clientId: clientId('other-sync'), scope: scopeOf('orders:read') }));
  await record('scope no longer allowed', TOKEN, refreshWith(narrowed.refresh_token, 'other-sync'));
}

async function recordRefusedDevices(): Promise<void> {
  const poll = (device_code: string, client_id: string = CLIENT) =>
    asJson({ client_id, grant_type: DEVICE_GRANT, device_code });
  const pending = await steps.startedDevice(bare);
  await record('device code pending', TOKEN, poll(pending.device_code));
  await record('device code of another integration', TOKEN, poll(pending.device_code, 'other-sync'));
  await record('device code forged', TOKEN, poll(steps.forged(pending.device_code)));
  await record('device flow off, at Token', TOKEN, poll(pending.device_code, 'no-device'));
  const denied = await steps.startedDevice(bare);
  await steps.deny(service, denied);
  await record('device code denied', TOKEN, poll(denied.device_code));
  const mallory = anIdentity({ id: MALLORY, userName: 'mallory' });
  const disabled = await steps.startedDevice(bare);
  await steps.confirm(service, disabled, mallory);
  await service.put(identities, { ...mallory, enabled: false });
  await record('identity disabled', TOKEN, poll(disabled.device_code));
}

async function recordRefusedCertificates(): Promise<void> {
  const named = (commonName: string) => reachOf(service, service.authority.issue({ commonName }));
  const withAda = reachOf(service, service.ada);
  const asked = { client_id: CLIENT, scope: SCOPE };
  await record('no certificate', CERTIFICATE, asJson(asked));
  await record('certificate of nobody', CERTIFICATE, asJson(asked, named('nobody')));
  await record('certificate of two', CERTIFICATE, asJson(asked, named('twin')));
  await record('identity disabled, by certificate', CERTIFICATE, asJson(asked, named('disabled-person')));
  await record('identity without API access', CERTIFICATE, asJson(asked, named('without-api')));
  await record('integration of others', CERTIFICATE, asJson({ ...asked, client_id: 'named-only' }, named('mallory')));
  await record('flow off', CERTIFICATE, asJson({ ...asked, client_id: 'no-certificate' }, withAda));
  await record('scope missing', CERTIFICATE, asJson({ client_id: CLIENT }, withAda));
  await record('scope malformed', CERTIFICATE, asJson({ ...asked, scope: 'a b' }, withAda));
  await record('scope too wide', CERTIFICATE, asJson({ ...asked, scope: 'orders:admin' }, withAda));
  await record('a form', CERTIFICATE, asForm(asked));
}

async function recordTrouble(): Promise<void> {
  let failure: Error | undefined;
  const limits = { requestsPerAddress: { perMinute: 1, burst: 3 } };
  const troubled = await startService({
    settings: { limits },
    store: (real) => ({
      ...real,
      create: (table, key, decide) => (failure ? Promise.reject(failure) : real.create(table, key, decide)),
    }),
  });
  const ask = asJson({ client_id: CLIENT, scope: SCOPE }, reachOf(troubled));
  failure = new StoreUnavailable('a detail');
  await record('store away', DEVICE, ask);
  failure = new Error('a detail');
  await record('fault', DEVICE, ask);
  failure = undefined;
  const last = troubled.caller();
  await steps.startedDevice(last);
  last.close();
  await record('over a limit', DEVICE, ask);
  await troubled.stop();
}

function everyWording(): string[] {
  const reasons = reasonsOf(TO_CALLERS).filter((reason): reason is AuthsvcReason => !(reason in OF_OAUTH));
  return reasons.map((reason) => {
    const { status, error } = wordingOf(reason);
    return `${reason}: ${status} ${error}: ${describe({ reason }, 'authsvc')}\n`;
  });
}

// To write it anew: UPDATE_TRANSCRIPT=1 npm test -- test/e2e/authsvc-bytes.test.ts
test(`${TRANSCRIPT} has every kind of answer of the authsvc door, byte for byte [spec-gaps: Additions]`, async () => {
  await recordSuccesses();
  await recordRefusedRequests();
  await recordRefusedTokens();
  await recordRefusedDevices();
  await recordRefusedCertificates();
  await recordTrouble();
  const actual = [...answers, '== every refusal: its status, Error and description\n', ...everyWording()].join('');
  if (process.env['UPDATE_TRANSCRIPT']) writeFileSync(TRANSCRIPT, actual);
  assert.equal(actual, readFileSync(TRANSCRIPT, 'utf8'));
});
