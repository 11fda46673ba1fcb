// The commands of docs/upgrading.md, in a machine that systemd boots: from the last release to this one, from there to one with another
// schema, and back. While a release serves, a killed worker comes back as the same release.
import { copyFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { lastRelease, releaseAt } from '../chaos/handover/release.ts';
import { type CallerFiles, callDuring } from './calls.ts';
import { debianRoot, stagePackage } from './debian.ts';
import { Machine } from './machine.ts';
import { commandsOf, installLabNeeds, run } from './shell.ts';
import { inRoot, PACKAGES, placeCertificates, step } from './systemd.ts';

/** Two releases may have one version. The page names folders by the file of the package, so it has one of these names. */
type Name = 'last' | 'this' | 'next';

const [INSTALL = '', UNITS = '', INIT = '', START = ''] = commandsOf('systemd.md');
const [PLACE = '', STOP = '', SWITCH = '', POINT_BACK = '', RESTORE = '', START_AGAIN = ''] =
  commandsOf('upgrading.md');

export async function throughUpgrades(): Promise<void> {
  installLabNeeds();
  const { folder, remove } = debianRoot({ packages: PACKAGES });
  const packages = temporaryFolder('packages');
  try {
    stageLast(placeIn(folder));
    stageThisAndNext(packages);
    step('install the last release', () => inRoot(folder, INSTALL));
    const machine = await Machine.boot(folder);
    try {
      await walk(machine, folder, packages);
    } finally {
      await machine.stop();
    }
    console.log('two upgrades and the way back, with a killed worker before and after each');
  } finally {
    rmSync(packages, { recursive: true });
    remove();
  }
}

async function walk(machine: Machine, root: string, packages: string): Promise<void> {
  const caller = start(machine, root);
  await serves(machine, caller, 'last');
  for (const [old, next] of [['last', 'this'] as const, ['this', 'next'] as const]) {
    run('sh', ['-c', `rm ${placeIn(root)}/*.tgz`]);
    copyFileSync(fileOf(packages, next), fileOf(placeIn(root), next));
    step(`install ${next}`, () => inRoot(root, PLACE));
    await serves(machine, caller, old);
    step('stop and copy', () => machine.sh(STOP));
    step(`start ${next}`, () => machine.sh(SWITCH));
    await serves(machine, caller, next);
  }
  step('point back', () => machine.sh(POINT_BACK));
  step('the newer schema is named', () => machine.sh(NAMES_SCHEMA));
  step('restore', () => machine.sh(`{ ${RESTORE}} >/tmp/restored 2>&1\n${SAYS_WHAT_IS_LOST}`));
  step('start again', () => machine.sh(START_AGAIN));
  await serves(machine, caller, 'this');
}

/** Where the operator works in the machine. */
function placeIn(root: string): string {
  return join(root, 'root/tessera');
}

function fileOf(folder: string, name: Name): string {
  return join(folder, `tessera-server-${name}.tgz`);
}

function stageLast(folder: string): void {
  const last = releaseAt(lastRelease());
  renameSync(stagePackage(folder, last.folder), fileOf(folder, 'last'));
  last.remove();
}

/** The next one is this one with a migration more. */
function stageThisAndNext(folder: string): void {
  renameSync(stagePackage(folder), fileOf(folder, 'this'));
  run('tar', ['--extract', `--file=${fileOf(folder, 'this')}`, `--directory=${folder}`]);
  const migrations = join(folder, 'package/dist/store/sqlite/migrations.js');
  const code = readFileSync(migrations, 'utf8');
  const [known = '', ...others] = code.match(/upgradesOf\(DIALECT\)/g) ?? [];
  if (known === '' || others.length > 0) throw new Error('the list of migrations is written otherwise');
  writeFileSync(
    migrations,
    code.replace(known, `${known}.concat({ version: 999, steps: ['CREATE TABLE next (id INTEGER)'] })`),
  );
  run('tar', ['--create', '--gzip', `--file=${fileOf(folder, 'next')}`, `--directory=${folder}`, 'package']);
}

function start(machine: Machine, root: string): CallerFiles {
  step('units', () => machine.sh(UNITS));
  const caller = placeCertificates(join(root, 'etc/tessera'));
  step('init', () => machine.sh(INIT));
  step('start', () => machine.sh(START));
  return caller;
}

/** It gives tokens, and a killed worker of it comes back from its own folder. */
async function serves(machine: Machine, caller: CallerFiles, name: Name): Promise<void> {
  step(`${name} serves`, () => machine.sh(`name=${name}\n${REPLACES_ITS_WORKERS}`));
  await callDuring(machine.pid, caller, () => undefined);
}

const REPLACES_ITS_WORKERS = `
  main=$(systemctl show --property=MainPID --value tessera@9101)
  workers() { pgrep --parent "$main" --full "/opt/tessera-server-$name/.*/main.js" | sort; }
  test "$(workers | wc --lines)" = 2
  before=$(workers)
  kill -KILL $(workers | head -1)
  for try in $(seq 300); do
    test "$(workers | wc --lines)" = 2 && test "$(workers)" != "$before" && break
    sleep 0.2
  done
  test "$(pgrep --parent "$main" --full main.js | wc --lines)" = 2
  test "$(workers | wc --lines)" = 2
  curl --silent --show-error --fail --retry 30 --retry-delay 1 --retry-all-errors http://127.0.0.1:9101/readyz`;

const NAMES_SCHEMA = `
  tessera --config /etc/tessera/tessera.yaml --set keyring=/etc/tessera/keyring.json doctor >/tmp/doctor || true
  grep 'newer than this release knows' /tmp/doctor`;

const SAYS_WHAT_IS_LOST = `
  cat /tmp/restored
  grep --quiet 'could not be carried over: the database has schema' /tmp/restored`;
