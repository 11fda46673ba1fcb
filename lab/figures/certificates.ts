// Certificate authorizations per second beside a bare node TLS server that requests certificates and echoes, in one
// interleaved run: every round runs every scenario on both, so that a noisy machine is noisy for both.

import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { Agent, request } from 'node:https';
import { performance } from 'node:perf_hooks';
import { CertificateJudge } from '../../src/pki/judge/certificate-judge.ts';
import { issuerOf } from '../../src/pki/judge/explain.ts';
import { systemClock } from '../../src/system.ts';
import { type Issued, makeAuthority } from '../../test/authority.ts';
import { ecKeys } from '../../test/signed-der.ts';
import { median } from '../quantiles.ts';

const ROUNDS = Number(process.env['ROUNDS'] ?? 5);
const SLICE_MS = Number(process.env['SLICE_MS'] ?? 1500);
const CALLERS = 32;
const BODY = JSON.stringify({ client_id: 'orders-sync', scope: 'orders:read' });
const CONTESTANTS = ['bare', 'tessera'] as const;

interface Server {
  readonly child: ChildProcess;
  readonly port: number;
  readonly ca: string;
}

const authority = makeAuthority({ name: 'Figures Root' });
const keys = ecKeys();
const known = authority.issue({ commonName: 'ada', keys });

/** Each gives the certificate of a request, and whether it has its own connection. */
const SCENARIOS = {
  'kept alive, verdict warm': { keepAlive: true, certificate: () => known },
  'a new connection each, verdict warm': { keepAlive: false, certificate: () => known },
  'a new connection each, verdict cold': {
    keepAlive: false,
    certificate: () => authority.issue({ commonName: 'ada', keys }),
  },
} as const;
type Scenario = keyof typeof SCENARIOS;

async function start(kind: (typeof CONTESTANTS)[number]): Promise<Server> {
  const issuer = Buffer.from(authority.certificate).toString('base64');
  const child = fork(new URL('certificates-server.ts', import.meta.url), [kind, issuer], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const [line] = await once(child.stdout ?? child, 'data');
  return { child, ...(JSON.parse(String(line)) as { port: number; ca: string }) };
}

function authorize(server: Server, certificate: Issued, agent: Agent | false): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': BODY.length };
    const tls = { ca: server.ca, cert: certificate.pem, key: certificate.key, servername: 'localhost' };
    const path = '/authsvc/Authorize/Certificate';
    const options = { host: '127.0.0.1', port: server.port, method: 'POST', path, headers, agent, ...tls };
    request(options, (response) => response.resume().on('end', () => resolve(response.statusCode ?? 0)))
      .on('error', reject)
      .end(BODY);
  });
}

/** Requests per second of one slice. */
async function measure(server: Server, scenario: Scenario): Promise<number> {
  const { keepAlive, certificate } = SCENARIOS[scenario];
  const agent = keepAlive ? new Agent({ keepAlive: true, maxSockets: CALLERS, maxCachedSessions: 0 }) : false;
  // Keep-alive connections are opened before the clock starts.
  if (agent) await Promise.all(Array.from({ length: CALLERS }, () => authorize(server, certificate(), agent)));
  const started = performance.now();
  let done = 0;
  await Promise.all(
    Array.from({ length: CALLERS }, async () => {
      while (performance.now() - started < SLICE_MS) {
        const status = await authorize(server, certificate(), agent);
        if (status !== 200) throw new Error(`answered ${status}`);
        done++;
      }
    }),
  );
  const rate = (done * 1000) / (performance.now() - started);
  if (agent) agent.destroy();
  return rate;
}

async function race(servers: Readonly<Record<(typeof CONTESTANTS)[number], Server>>): Promise<void> {
  const scenarios = Object.keys(SCENARIOS) as Scenario[];
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= ROUNDS; round++) {
    for (const scenario of scenarios) {
      for (const contestant of round % 2 ? CONTESTANTS : CONTESTANTS.toReversed()) {
        const rate = await measure(servers[contestant], scenario);
        // The first round warms up.
        if (round > 0)
          rates.set(`${contestant} ${scenario}`, [...(rates.get(`${contestant} ${scenario}`) ?? []), rate]);
      }
    }
  }
  for (const scenario of scenarios) {
    const [bare, tessera] = CONTESTANTS.map((contestant) => rates.get(`${contestant} ${scenario}`) ?? []) as [
      number[],
      number[],
    ];
    const ratios = tessera.map((rate, round) => rate / (bare[round] ?? 1));
    const spread = `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`;
    const row = [
      scenario,
      median(bare).toFixed(0),
      median(tessera).toFixed(0),
      `${median(ratios).toFixed(2)} (${spread})`,
    ];
    console.log(`| ${row.join(' | ')} |`);
  }
}

/** Cost of path validation alone, in microseconds. */
async function judgements(): Promise<void> {
  const judge = new CertificateJudge({ fetch, now: systemClock.now });
  const issuers = [issuerOf(authority.certificate, 'figures')];
  const chains = Array.from({ length: 500 }, () => authority.issue({ commonName: 'ada', keys }).chain);
  for (const verdict of ['cold', 'warm']) {
    const started = performance.now();
    for (const chain of chains) await judge.judge(chain, issuers);
    console.log(`judgement, ${verdict}: ${(((performance.now() - started) * 1000) / chains.length).toFixed(0)} µs`);
  }
}

export async function certificateFigures(): Promise<void> {
  await judgements();
  const servers = { bare: await start('bare'), tessera: await start('tessera') };
  console.log('| Scenario | bare /s | Tessera /s | ratio, median (range) |\n|---|---|---|---|');
  try {
    await race(servers);
  } finally {
    for (const { child } of Object.values(servers)) child.disconnect();
  }
}
