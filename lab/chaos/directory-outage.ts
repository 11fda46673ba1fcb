// A directory that is away for an hour under load. The clock of the service runs sixty times as fast: the hour takes a minute.
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { Identity } from '../../src/core/identity.ts';
import { rows } from '../../src/store/pages.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { addPerson, dnOf, type Slapd, startSlapd } from '../../test/directory/ldap/slapd.ts';
import { poll, post, startCode } from '../../test/doors/pages/calling-device.ts';
import { ORDERS, type RunningService, startService } from '../../test/doors/pages/running-service.ts';
import { Visitor } from '../../test/doors/pages/visitor.ts';
import { quantile } from '../quantiles.ts';

const PEOPLE = 40;
/** Their accounts end while the directory is away: one way for each half. Fewer than an alarm needs. */
const LEAVERS = 4;
const HOUR = 3_600;
const TICK_MS = 100;
const SPEED = 60;
/** Nobody with a living grant waits longer, and then only a few: a connection that hangs is found out by one request. */
const LONGEST_MS = 1_500;

/** Returns how many promises were broken. */
export async function directoryOutage(): Promise<number> {
  const slapd = await startSlapd();
  const way = await wayTo(slapd);
  const { timeoutMs: _, ...settings } = slapd.settings;
  const directory = { ...settings, servers: [`ldaps://localhost:${way.port}`], timeout: '5s' };
  const service = await startService({ sets: [`directories=${JSON.stringify([directory])}`] });
  try {
    const names = Array.from({ length: PEOPLE }, (_, number) => `person${number}`);
    for (const name of names) await addPerson(slapd, name);
    const callers: Caller[] = [];
    for (const name of names) callers.push(new Caller(service, name, await grantOf(service, name)));
    const leavers = names.slice(0, LEAVERS);
    const before = await under(callers, () => pass(service, HOUR / 6));
    const during = await under(callers, async () => {
      for (const away of ['refused', 'silent', 'cut'] as const) {
        await way.break(away);
        await pass(service, HOUR / 3);
        if (away === 'refused') await endAccounts(slapd, leavers);
      }
    });
    const said = await signInWords(service, 'person9');
    way.mend();
    // `recheckAfter`, and the pause between two attempts to walk.
    const after = await under(callers, () => pass(service, 300 + 2 * 5 * SPEED));
    return await report({ before, during, after, said, leavers, callers, service });
  } finally {
    await service.stop();
    way.close();
    await slapd.stop();
  }
}

/** The way to the directory, which can be refused, silent, or cut in the middle of every connection. */
async function wayTo(slapd: Slapd) {
  let state: 'open' | 'refused' | 'silent' | 'cut' = 'open';
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket.on('error', () => undefined));
    if (state === 'refused') return void socket.resetAndDestroy();
    if (state === 'silent') return;
    const behind = connect(Number(new URL(slapd.secureUrl).port), '127.0.0.1').on('error', () => undefined);
    sockets.add(behind);
    socket.pipe(behind).pipe(socket);
    if (state === 'cut') behind.once('data', () => socket.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const drop = () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
  };
  return {
    port: (server.address() as AddressInfo).port,
    break: async (how: 'refused' | 'silent' | 'cut') => {
      state = how;
      // Connections that are open fall silent rather than close.
      if (how === 'silent') for (const socket of sockets) socket.unpipe().pause();
      else drop();
    },
    mend: () => {
      state = 'open';
      drop();
    },
    close: () => {
      drop();
      server.close();
    },
  };
}

async function pass(service: RunningService, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += (SPEED * TICK_MS) / 1000) {
    await pause(TICK_MS);
    // The clock moves by itself too.
    service.advance(((SPEED - 1) * TICK_MS) / 1000);
  }
}

async function grantOf(service: RunningService, name: string): Promise<Grant> {
  const visitor = new Visitor(service);
  await visitor.signIn(name, `the password of ${name}`);
  const code = await startCode(service, 'orders:read');
  await visitor.post(`${await visitor.enterCode(code.userCode)}/confirm`);
  const { status, body } = await poll(service, code);
  if (status !== 200) throw new Error(`${name} got no grant: ${JSON.stringify(body)}`);
  return grantIn(body);
}

interface Grant {
  readonly access: string;
  readonly refresh: string;
}

function grantIn(body: Readonly<Record<string, unknown>>): Grant {
  return { access: String(body['access_token']), refresh: String(body['refresh_token']) };
}

interface Load {
  readonly requests: number;
  readonly refused: readonly string[];
  readonly tookMs: readonly number[];
}

class Caller {
  readonly name: string;
  readonly #service: RunningService;
  #grant: Grant;
  status = 200;

  constructor(service: RunningService, name: string, grant: Grant) {
    this.name = name;
    this.#service = service;
    this.#grant = grant;
  }

  /** A refresh, and a check of the new token. */
  async turn(note: (answer: string, ms: number) => void): Promise<void> {
    const sent = { client_id: ORDERS.clientId, refresh_token: this.#grant.refresh };
    await this.#timed(note, async () => {
      const { status, body } = await post(this.#service, '/authsvc/Authorize/Token', sent);
      this.status = status;
      if (status === 200) this.#grant = grantIn(body);
      return `${status} ${JSON.stringify(body['Error'] ?? '')}`;
    });
    await this.#timed(note, async () => {
      const seen = await new Visitor(this.#service).get('/authsvc/Authorize/Verify', {
        authorization: `Bearer ${this.#grant.access}`,
      });
      return String(seen.status);
    });
  }

  async #timed(note: (answer: string, ms: number) => void, send: () => Promise<string>): Promise<void> {
    const began = performance.now();
    const answer = await send().catch((fault: Error) => `fault: ${fault.message}`);
    note(answer, performance.now() - began);
  }
}

/** Everybody refreshes and checks, a few times a second in all, while this happens. */
async function under(callers: readonly Caller[], happening: () => Promise<void>): Promise<Load> {
  const tookMs: number[] = [];
  const refused: string[] = [];
  let isOver = false;
  const work = async (mine: readonly Caller[]) => {
    while (!isOver)
      for (const caller of mine) {
        await caller.turn((answer, ms) => {
          tookMs.push(ms);
          if (!answer.startsWith('200')) refused.push(`${caller.name}: ${answer}`);
        });
        await pause(20);
      }
  };
  const parts = [0, 1, 2, 3].map((part) => callers.filter((_, place) => place % 4 === part));
  await Promise.all([
    ...parts.map(work),
    happening().finally(() => {
      isOver = true;
    }),
  ]);
  return { requests: tookMs.length, refused, tookMs };
}

async function endAccounts(slapd: Slapd, names: readonly string[]): Promise<void> {
  for (const [place, name] of names.entries())
    if (place % 2 === 0) await slapd.remove(dnOf(name));
    else await slapd.set(dnOf(name), 'pwdAccountLockedTime', '000001010000Z');
}

async function signInWords(service: RunningService, name: string): Promise<string> {
  const { status, text } = await new Visitor(service).signIn(name, `the password of ${name}`);
  return `${status}${/directory cannot be reached/.test(text) ? ', the directory cannot be reached' : ''}`;
}

interface Found {
  readonly before: Load;
  readonly during: Load;
  readonly after: Load;
  readonly said: string;
  readonly leavers: readonly string[];
  readonly callers: readonly Caller[];
  readonly service: RunningService;
}

async function report({ before, during, after, said, leavers, callers, service }: Found): Promise<number> {
  const people = await Array.fromAsync(rows(service.store, identities, {}));
  const isEnabled = (name: string) => people.find(({ userName }: Identity) => userName === name)?.enabled;
  const stayers = callers.filter(({ name }) => !leavers.includes(name));
  const isLeaver = (line: string) => leavers.some((name) => line.startsWith(`${name}:`));
  const again = await signInWords(service, 'person9');
  const times = ({ requests, tookMs }: Load) =>
    `${requests} requests, p50 ${quantile(tookMs, 0.5).toFixed(0)} ms, p99 ${quantile(tookMs, 0.99).toFixed(0)} ms, longest ${Math.max(...tookMs).toFixed(0)} ms`;
  console.log(`before  ${times(before)}\naway    ${times(during)}\nback    ${times(after)}`);
  const findings: readonly (readonly [promise: string, held: boolean, figure: string])[] = [
    ['nobody with a living grant is refused while it is away', during.refused.length === 0, `${during.refused.length}`],
    ['and nobody waits for long', Math.max(...during.tookMs) < LONGEST_MS, `at most ${LONGEST_MS} ms`],
    ['sign-in says so', said.startsWith('503') && said.includes('directory'), said],
    ['once it is back, sign-in works', again.startsWith('303'), again],
    [
      'accounts that ended meanwhile end within recheckAfter',
      callers.every(({ name, status }) => !leavers.includes(name) || (status === 400 && isEnabled(name) === false)),
      `${leavers.length} accounts`,
    ],
    [
      'nobody else is refused',
      stayers.every(({ name, status }) => status === 200 && isEnabled(name) === true) &&
        after.refused.every(isLeaver) &&
        before.refused.length === 0,
      `${stayers.length} people`,
    ],
  ];
  for (const [promise, held, figure] of findings) console.log(`${held ? 'held  ' : 'BROKEN'} ${promise}: ${figure}`);
  for (const line of new Set([...before.refused, ...during.refused].slice(0, 5))) console.log(`       ${line}`);
  return findings.filter(([, held]) => !held).length;
}
