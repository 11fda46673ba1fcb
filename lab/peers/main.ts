// Other products and Tessera under the same load, in turns.
import { mkdirSync, rmSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { Generator } from '../bench/generator/generator.ts';
import { CORES } from '../bench/pinned.ts';
import type { Pace } from '../bench/race.ts';
import { run } from '../deploy/shell.ts';
import { circumstances, writeFigures } from '../figures/data.ts';
import { generatorCheck } from './checked-generator.ts';
import type { Missing, PeerFigures } from './data.ts';
import { hydra } from './hydra.ts';
import { keycloak } from './keycloak.ts';
import { oidcProviders } from './oidc-provider.ts';
import { type Peer, TOKEN_KINDS } from './peer.ts';
import { raceAll } from './race-all.ts';
import { peerTable } from './table.ts';
import { tesseras } from './tessera.ts';

const USAGE = `npm run lab -- peers [OPTION …]

  --quick             one short round, to see that everything starts; its figures go to out/figures
  --only hydra,…      only these: oidc-provider, hydra, keycloak
  --tokens ES256,…    only these kinds: opaque, ES256, RS256; its figures go to out/figures
  --rounds N          of two slices for each product (3)
  --seconds N         of a slice (2)
  --minutes N         races that would begin later are left out, and named (30)

Hydra needs Go and cc, Keycloak Java 17 or newer. They are built or fetched once, into node_modules/.cache/peers.`;

const FIND: Readonly<Record<string, () => Promise<Peer[]>>> = { 'oidc-provider': oidcProviders, hydra, keycloak };

export async function runPeers(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: 'oidc-provider,hydra,keycloak' },
      tokens: { type: 'string', default: TOKEN_KINDS.join() },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      minutes: { type: 'string', default: '30' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const { quick } = values;
  const tokens = TOKEN_KINDS.filter((kind) => values.tokens.split(',').includes(kind));
  const pace: Pace = {
    rounds: Number(values.rounds ?? (quick ? 1 : 3)),
    seconds: Number(values.seconds ?? (quick ? 1 : 2)),
    warmUpSeconds: 0.3,
    coldSeconds: quick ? 2 : 4,
    connections: 64,
  };
  const missing: Missing[] = [];
  run(process.execPath, ['runtime/needs.mjs', 'peers']);
  const peers = await installedPeers(values.only.split(','), missing);
  const about = circumstances('npm run lab -- peers');
  mkdirSync('out', { recursive: true });
  const folder = temporaryFolder('peers', resolve('out'));
  const generator = new Generator(CORES.generator);
  try {
    const check = await generatorCheck(generator, folder, pace);
    const all = [...tesseras(folder), ...peers];
    const ends = Date.now() + Number(values.minutes) * 60_000;
    const lanes = await raceAll(all, { folder, generator, pace, ends, missing, tokens, isQuick: quick });
    const versions = Object.fromEntries(all.map(({ product, version }) => [product, version]));
    const { connections, seconds, rounds } = pace;
    const figures: PeerFigures = {
      ...about,
      ...{ versions, connections, slices: 2 * rounds, seconds, generator: check, lanes, missing },
    };
    console.log(peerTable(figures));
    writeFigures('peers', figures, quick || tokens.length < TOKEN_KINDS.length);
    for (const { what, why } of missing) console.log(`MISSING: ${what}: ${why}`);
    console.log(`${lanes.length} results, ${missing.length} missing`);
  } finally {
    generator.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function installedPeers(wanted: readonly string[], missing: Missing[]): Promise<Peer[]> {
  const found: Peer[] = [];
  for (const name of wanted) {
    console.log(`installing ${name}, if it is not there yet`);
    try {
      found.push(...((await FIND[name]?.()) ?? []));
    } catch (error) {
      missing.push({ what: name, why: `could not be installed: ${(error as Error).message}` });
    }
  }
  return found;
}
