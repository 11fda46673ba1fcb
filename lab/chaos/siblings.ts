// 200 programs share a login, each with the token that it last saw in its memory, for simulated hours: they sleep, start again
// with whatever token the shared file has, and lose answers. On both stores, and beside oidc-provider with rotation.
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { epochSeconds, seconds } from '../../src/core/time.ts';
import { refreshTokens } from '../../src/operations/grant/refresh-tokens.ts';
import { storeOf } from '../../src/store/change.ts';
import type { Store } from '../../src/store/store.ts';
import { firstKey, Keyring } from '../../src/tokens/keyring.ts';
import { parseRefreshToken } from '../../src/tokens/opaque/token-text.ts';
import {
  aNode,
  anotherNode,
  CURL,
  changeIntegration,
  issue,
  NOTHING_PRESENTED,
  type Node,
  TestClock,
} from '../../test/node.ts';
import { CLIENT } from '../../test/samples.ts';
import type { Seeded } from '../../test/seeded.ts';
import { openAt } from '../../test/store/postgres-node.ts';
import { PostgresServer } from '../../test/store/postgres-server.ts';
import { sqliteDatabase } from '../../test/store/sqlite-database.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { ChildServer } from '../demo/child-server.ts';
import { send } from '../demo/proxy.ts';

const PROGRAMS = 200;
const LIFETIME = 3600;
const HOUR = 3600;
/** As guests have it. */
const WINDOW = seconds(7 * 24 * HOUR);
const LONGEST_NAP = 12 * HOUR;

interface Server {
  readonly name: string;
  readonly first: string;
  readonly clock: TestClock;
  /** The next refresh token and what else must be the same for all; undefined if it was refused. */
  readonly refresh: (token: string) => Promise<readonly [token: string, rest: string] | undefined>;
}

interface Life {
  answered: number;
  loggedOut: number;
  forked: number;
  endedAfter?: number;
}

/** Returns how many programs Tessera logged out, and how many pairs it forked. */
export async function liveAsSiblings(hours: number, chance: Seeded): Promise<number> {
  let broken = 0;
  for (const start of [onSqlite, onPostgres, onOidcProvider]) {
    await start(async (server) => {
      const life = await live(server, hours, chance);
      const end = life.endedAfter === undefined ? '' : `, the first after ${(life.endedAfter / HOUR).toFixed(1)} h`;
      const { answered, loggedOut, forked } = life;
      console.log(
        `${server.name}: ${answered} answers in ${hours} h, ${loggedOut} of ${PROGRAMS} logged out${end}, ${forked} forks`,
      );
      if (start !== onOidcProvider) broken += loggedOut + forked;
    });
  }
  return broken;
}

/** All that is due in one minute is sent at once. */
async function live({ refresh, first, clock }: Server, hours: number, chance: Seeded): Promise<Life> {
  const begin = clock.now();
  const life: Life = { answered: 0, loggedOut: 0, forked: 0 };
  const held = Array.from({ length: PROGRAMS }, () => first);
  const due = held.map(() => begin + chance.below(LIFETIME));
  const successors = new Map<string, string>();
  let file = first;
  const wake = async (n: number) => {
    if (chance.chance(0.02)) held[n] = file;
    const answer = await refresh(held[n] ?? first);
    if (!answer) {
      life.loggedOut++;
      life.endedAfter ??= clock.now() - begin;
      due[n] = Number.POSITIVE_INFINITY;
      return;
    }
    const [token, rest] = answer;
    life.answered++;
    if ((successors.get(token) ?? rest) !== rest) life.forked++;
    successors.set(token, rest);
    const isLost = chance.chance(0.1);
    if (!isLost) [held[n], file] = [token, token];
    const nap = chance.chance(0.03) ? chance.below(LONGEST_NAP) : chance.below(60);
    due[n] = clock.now() + (isLost ? 1 + chance.below(30) : LIFETIME + nap);
  };
  for (const end = begin + hours * HOUR; clock.now() < end; clock.move(60)) {
    const awake = held.flatMap((_, n) => ((due[n] ?? 0) <= clock.now() ? n : []));
    await Promise.all(awake.map(wake));
  }
  return life;
}

/** One pair at any moment: a refresh token always comes with the same access token. And no two tokens of one generation. */
async function tesseraOn(
  name: string,
  nodes: readonly Node[],
  clock: TestClock,
  work: (server: Server) => Promise<void>,
) {
  const [node] = nodes as [Node];
  const overrides = { accessTokenLifetime: seconds(LIFETIME), refreshSiblingWindow: WINDOW };
  for (const each of nodes) await changeIntegration(each, { overrides });
  let sent = 0;
  const ofGeneration = new Map<number, string>();
  const refresh = async (refreshToken: string) => {
    const at = nodes[sent++ % nodes.length] ?? node;
    const answer = await refreshTokens({ clientId: CLIENT, refreshToken, presenter: CURL, ...NOTHING_PRESENTED }, at);
    if (!answer.ok) return undefined;
    const token = answer.value.refreshToken?.reveal() ?? '';
    const generation = parseRefreshToken(token, at.keyring)?.generation ?? -1;
    const only = ofGeneration.get(generation) ?? token;
    ofGeneration.set(generation, only);
    return [token, only === token ? answer.value.accessToken.reveal() : `another of generation ${generation}`] as const;
  };
  await work({ name, first: (await issue(node)).refreshToken?.reveal() ?? '', clock, refresh });
}

async function onSqlite(work: (server: Server) => Promise<void>): Promise<void> {
  const clock = new TestClock();
  const database = await sqliteDatabase(clock.now, () => Promise.resolve());
  const node = await aNode(storeOf(await database.open()), { clock });
  await tesseraOn('Tessera on SQLite', [node], clock, work);
  await database.remove();
}

async function onPostgres(work: (server: Server) => Promise<void>): Promise<void> {
  const server = await PostgresServer.start();
  await server.query('CREATE DATABASE tessera');
  const [clock, keyring] = [new TestClock(), new Keyring(firstKey())];
  const open = async () => atSimulatedTime(storeOf(await openAt(server.url('tessera', 'postgres'))), clock);
  const first = await aNode(await open(), { keyring, clock });
  const others = [
    await anotherNode(await open(), { keyring, clock }),
    await anotherNode(await open(), { keyring, clock }),
  ];
  const nodes = [first, ...others];
  await tesseraOn('Tessera, three nodes on PostgreSQL', nodes, clock, work);
  await Promise.all(nodes.map(({ store }) => store.close()));
  await server.remove();
}

/** PostgreSQL has its own clock: decisions get this one. */
function atSimulatedTime(store: Store, clock: TestClock): Store {
  return {
    ...store,
    now: async () => clock.now(),
    load: async (table, key) => ({ ...(await store.load(table, key)), now: clock.now() }),
    change: (table, key, decide) => store.change(table, key, (found) => decide(found, clock.now())),
    create: (table, key, decide) => store.create(table, key, () => decide(clock.now())),
  };
}

const OIDC_PROVIDER = fileURLToPath(new URL('../demo/servers/oidc-provider.ts', import.meta.url));

/** Its rule needs no clock: a spent token ends the grant. */
async function onOidcProvider(work: (server: Server) => Promise<void>): Promise<void> {
  const child = new ChildServer('oidc-provider');
  const { tokens = [] } = await child.start(OIDC_PROVIDER, [join(temporaryFolder('siblings'), 'oidc.db'), '0', '1']);
  const refresh = async (token: string) => {
    const form = { grant_type: 'refresh_token', client_id: 'bench', refresh_token: token };
    const body = new URLSearchParams(form).toString();
    const answer = await send(child.port, '/token', body, { patienceMs: 30_000 });
    if (answer.status !== 200) return undefined;
    const { refresh_token, access_token } = JSON.parse(answer.body) as Record<string, string>;
    return [refresh_token ?? '', access_token ?? ''] as const;
  };
  const clock = new TestClock(epochSeconds(0));
  await work({ name: 'oidc-provider, rotation', first: tokens[0] ?? '', clock, refresh });
  await child.stop();
}
