// deploy/container: the compose file, and what it shares with pages that tests run. `npm run lab -- container` builds the image.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite, test } from 'node:test';
import { parse } from 'yaml';
import { buildProgram } from '../../src/cli/program.ts';
import { loadConfig } from '../../src/config/load.ts';
import { shippedRoles } from '../store/documented-sql.ts';

const FOLDER = join(import.meta.dirname, '../../deploy/container');
const file = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const lines = (text: string) => text.split('\n').map((line) => line.trim());

interface ComposedService {
  readonly image: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly networks: readonly string[] | Readonly<Record<string, { readonly ipv4_address?: string }>>;
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly command?: readonly string[];
}

const { services } = parse(file('compose.yaml'), { merge: true }) as {
  services: Readonly<Record<string, ComposedService>>;
};

test('nodes, migration and init have a read-only root and no capability, and only the proxy has a port', () => {
  const ours = Object.values(services).filter(({ image }) => image === 'localhost/tessera');
  assert.equal(ours.length, 4);
  for (const { read_only, cap_drop, networks } of ours)
    assert.deepEqual([read_only, cap_drop, networks], [true, ['ALL'], ['inside']]);
  const open = Object.entries(services).filter(([, { ports }]) => ports);
  assert.deepEqual(
    open.map(([name]) => name),
    ['proxy'],
  );
});

test('mounts, variables and commands of the nodes are those that the image and its configuration know', async () => {
  const image = file('Containerfile');
  const [, configFile = ''] = /TESSERA_CONFIG=(\S+)/.exec(image) ?? [];
  const [, volume = ''] = /^VOLUME (\S+)$/m.exec(image) ?? [];
  assert.ok(image.includes(`TESSERA_DATA_FOLDER=${volume}`));
  const { keyring } = loadConfig({ file: join(FOLDER, 'config/tessera.yaml'), env: {}, sets: [] });
  assert.deepEqual(keyring, { from: 'variable', name: 'TESSERA_KEYRING' });
  const commands = new Set((await buildProgram()).commands.map((command) => command.name()));
  for (const name of ['init', 'node-1', 'node-2']) {
    const { volumes, tmpfs, environment = {}, command = [] } = services[name] ?? assert.fail(name);
    assert.deepEqual([volumes, tmpfs], [[`./config:${dirname(configFile)}:ro`], [volume]], name);
    assert.deepEqual(Object.keys(environment).sort(), ['PGPASSWORD', 'TESSERA_KEYRING', 'TESSERA_PUBLIC_URL'], name);
    assert.ok(commands.has(command[0] ?? ''), name);
  }
});

test('nodes accept certificate headers from the address of the proxy, and from no other', () => {
  const { proxies, listeners } = loadConfig({ file: join(FOLDER, 'config/tessera.yaml'), env: {}, sets: [] });
  const { networks, environment } = services['proxy'] ?? assert.fail();
  const addresses = networks as Readonly<Record<string, { readonly ipv4_address?: string }>>;
  assert.deepEqual(proxies.addresses, [addresses['inside']?.ipv4_address]);
  assert.equal(proxies.clientCertificateHeader, 'rfc9440');
  assert.equal(environment?.['NODES'], `node-1:${listeners[0]?.port} node-2:${listeners[0]?.port}`);
});

test('Caddy gets the file of deploy/proxies, every variable that it reads, and the ports that certificates need', () => {
  const { environment = {}, volumes = [], ports } = services['proxy'] ?? assert.fail();
  const [mounted = '', inside] = volumes[0]?.split(':') ?? [];
  assert.equal(inside, '/etc/caddy/Caddyfile');
  const read = [...file(mounted).matchAll(/\{\$(\w+)/g)].map(([, name = '']) => name);
  assert.deepEqual([...new Set(read)].toSorted(), Object.keys(environment).toSorted());
  assert.deepEqual(ports, ['80:80', '443:443']);
});

test('the roles of the database are those of deploy/postgres/roles.sql, with passwords', () => {
  const documented = shippedRoles();
  const own = lines(file('roles.sh'));
  const missing = lines(documented).filter((line) => line !== '' && !line.startsWith('--') && !own.includes(line));
  assert.deepEqual(
    missing.map((line) => line.split(/ {2,}/)[0]),
    ['CREATE ROLE tessera_owner LOGIN;', 'CREATE ROLE tessera_node LOGIN;', '\\c tessera'],
  );
});

test('the configuration for one container loads: its health check finds the operations listener', () => {
  const { listeners } = loadConfig({ file: join(FOLDER, 'tessera.yaml'), env: {}, sets: [] });
  const ops = listeners.find(({ doors }) => doors?.includes('ops'));
  assert.ok(file('collect.mjs').includes(`http://${ops?.host}:${ops?.port}/healthz`));
});

test('no password and no key is in the files', () => {
  for (const name of ['compose.yaml', 'roles.sh', 'config/tessera.yaml'])
    assert.doesNotMatch(file(name), /PASSWORD: (?!\$\{)|PASSWORD '|postgres:\/\/[^@/]*:[^@/]*@/, name);
});

suite('the image', () => {
  const containerfile = file('Containerfile');
  const copied = [...containerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, sources = '']) =>
    sources.split(' '),
  );
  const admitted = lines(readFileSync(join(FOLDER, '../../.containerignore'), 'utf8'))
    .filter((line) => line.startsWith('!'))
    .map((line) => line.slice(1));

  test('is built from files that the build may see', () => {
    assert.deepEqual(copied.toSorted(), admitted.toSorted());
  });

  test('has every folder that the build reads, and the documentation', () => {
    const outside = globSync('src/**/*.ts', { cwd: join(FOLDER, '../..') })
      .flatMap((path) => [...readFileSync(join(FOLDER, '../..', path), 'utf8').matchAll(/from '(?:\.\.\/)+(sdk)\//g)])
      .map(([, folder = '']) => folder);
    for (const folder of new Set([...outside, 'src', 'docs', '*.md'])) assert.ok(copied.includes(folder), folder);
  });
});
