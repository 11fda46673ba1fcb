import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchEndings } from '../../src/compose/endings.ts';
import type { ClientId } from '../../src/core/integration.ts';
import type { Validity } from '../../src/core/rules/expiry.ts';
import { epochSeconds, seconds } from '../../src/core/time.ts';
import { Metrics } from '../../src/doors/ops/metrics.ts';
import { makeLog } from '../../src/log/log.ts';
import { makeAuthority } from '../authority.ts';
import { ISSUER } from '../node.ts';
import { anIntegration, hexOf } from '../samples.ts';

const DAY = 86_400;
const BEGIN = Date.parse('2026-01-01') / 1000;

function scene({ secrets = 1, ...issuer }: { readonly secrets?: number; readonly enabled?: boolean } = {}) {
  let now = BEGIN;
  const lines: string[] = [];
  const clock = {
    now: () => epochSeconds(now),
    milliseconds: () => now * 1000,
    running: () => seconds(now),
  };
  const { certificate } = makeAuthority({ notBefore: '2026-01-01', notAfter: '2026-01-11' });
  const secret = { hash: hexOf(32), createdAt: epochSeconds(BEGIN), endsAt: epochSeconds(BEGIN + 10 * DAY) };
  const flows = { device: false, certificate: false, secret: true };
  const registry = {
    issuers: [{ ...ISSUER, label: 'corp', certificate, ...issuer }],
    integrations: Array.from({ length: secrets }, (_, n) =>
      anIntegration({ clientId: `client-${n}` as ClientId, flows, secrets: [secret] }),
    ),
  };
  const certificates = new Map<string, Validity>([
    ['long.crt', { from: epochSeconds(BEGIN), to: epochSeconds(BEGIN + 100 * DAY) }],
    ['short.crt', { from: epochSeconds(BEGIN), to: epochSeconds(BEGIN + 10 * DAY) }],
  ]);
  const metrics = new Metrics();
  const destination = { write: (line: string) => void lines.push(line) };
  const log = makeLog({ level: 'info', format: 'json', milliseconds: clock.milliseconds, destination });
  const watch = watchEndings({ ports: { clock }, metrics, log, certificates }, registry);
  const shown = async () =>
    (await metrics.text()).match(
      /^tessera_(?:certificates|client_secrets|server_certificate_expires)\w*(?:{.*})? .*$/gm,
    );
  const at = async (day: number) => {
    now = BEGIN + day * DAY;
    lines.length = 0;
    await watch();
    await watch();
    return lines.map((line) => (JSON.parse(line) as { msg: string }).msg).toSorted();
  };
  return { at, shown };
}

const ISSUER_ENDS = 'the certificate of an approved issuer ends soon, or its callers are refused';

test('what ends by itself is logged once when that is near, once a day, and again when it has ended', async () => {
  const { at } = scene();
  assert.deepEqual(await at(7), []);
  assert.deepEqual(await at(8), ['secret ends soon', ISSUER_ENDS]);
  assert.deepEqual(await at(8.9), []);
  assert.deepEqual(await at(9.5), ['secret ends soon', ISSUER_ENDS]);
  assert.deepEqual(
    await at(10.1),
    ['secret has ended', ISSUER_ENDS],
    'the reminder of yesterday does not hide the end',
  );
});

test('what ends by itself is logged once a day, however much of it there is', async () => {
  const { at } = scene({ secrets: 1_100 });
  assert.equal((await at(8)).length, 1_101);
  assert.deepEqual(await at(8.5), []);
});

test('the metrics count what ends soon or has ended, and say when the first server certificate expires', async () => {
  const { at, shown } = scene();
  const lines = (secrets: number, server: number, issuer: number) => [
    `tessera_client_secrets_ending_soon ${secrets}`,
    `tessera_certificates_ending_soon{of="server"} ${server}`,
    `tessera_certificates_ending_soon{of="issuer"} ${issuer}`,
    `tessera_server_certificate_expires_timestamp_seconds ${BEGIN + 10 * DAY}`,
  ];
  await at(7);
  assert.deepEqual(await shown(), lines(0, 0, 0));
  await at(8);
  assert.deepEqual(await shown(), lines(1, 1, 1));
  await at(80);
  assert.deepEqual(await shown(), lines(1, 2, 1));
});

test('an issuer that is disabled is neither logged nor counted: nobody is refused for its end', async () => {
  const { at, shown } = scene({ enabled: false });
  assert.deepEqual(await at(80), ['secret has ended']);
  assert.match(`${await shown()}`, /of="issuer"} 0/);
});
