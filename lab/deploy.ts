// npm run lab: drills for every promise, and one report (docs/reliability.md).
// npm run lab -- NAME: installs and runs the service as a page of docs/ says, with every command of that page. Needs root on
// Debian and the network.
import { onActiveDirectory } from './deploy/active-directory.ts';
import { asComposed } from './deploy/compose.ts';
import { inContainer } from './deploy/container.ts';
import { NoRoot } from './deploy/debian.ts';
import { withKeycloak } from './deploy/keycloak.ts';
import { inRooms } from './deploy/rooms.ts';
import { withScimTester } from './deploy/scim.ts';
import { underSystemd } from './deploy/systemd.ts';
import { throughUpgrades } from './deploy/upgrading.ts';
import { tryNewcomer } from './newcomer.ts';
import { reportAll } from './report/report.ts';

const LABS: Readonly<Record<string, readonly [run: (flags: readonly string[]) => Promise<void>, what: string]>> = {
  rooms: [
    inRooms,
    'runs the commands of the README in minimal Debian systems; --short or trixie-20-guest: in some, --tests: npm test as well',
  ],
  systemd: [underSystemd, 'boots Debian in a container with systemd and runs the commands of docs/systemd.md'],
  upgrading: [
    throughUpgrades,
    'runs the commands of docs/upgrading.md there: from the last release to this one, to one with another schema, and back',
  ],
  container: [inContainer, 'builds the image without a registry and runs the commands of docs/container.md'],
  compose: [
    asComposed,
    'runs PostgreSQL, two nodes of the image and Caddy as compose.yaml describes them, without an engine',
  ],
  'active-directory': [
    onActiveDirectory,
    'provisions a domain by Samba on loopback and shows what is seen of it; needs the ports 389 and 636',
  ],
  keycloak: [
    withKeycloak,
    'signs in at Keycloak in a browser, with the settings of docs/directories.md; needs Java 17 and Chromium',
  ],
  newcomer: [
    tryNewcomer,
    'for a person: a job fails for one of five causes, chance or --cause N; find it in the console; says when it runs again',
  ],
  scim: [withScimTester, 'runs scim2-tester, an independent client, against the scim door; needs Python'],
};

const USAGE = `npm run lab -- [--long] [--only DRILL,…] [--seed 1]
  one report of all promises, in half an hour; --long: for nights; --self-test: whether each drill notices a change of the code

npm run lab -- NAME
`;

const [name = '--'] = process.argv.slice(2);
const [run] = LABS[name] ?? [];
if (run) await run(process.argv.slice(3)).catch(skipWithoutRoot);
else if (name.startsWith('--') && name !== '--help') await reportAll(process.argv.slice(2));
else {
  console.log(USAGE);
  for (const [name, [, what]] of Object.entries(LABS)) console.log(`  ${name.padEnd(16)} ${what}`);
  process.exitCode = name === '--help' ? 0 : 1;
}

function skipWithoutRoot(fault: unknown): void {
  if (!(fault instanceof NoRoot)) throw fault;
  console.log(`SKIPPED: ${fault.message}`);
}
