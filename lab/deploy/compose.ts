// deploy/container/compose.yaml without an engine and without a registry: each service in a network namespace of its own, with the
// addresses, variables, mounts and commands of the file. Migration and nodes are the image, run by bwrap.
import { type ChildProcess, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { parse } from 'yaml';
import { firstKey } from '../../src/tokens/keyring.ts';
import { formatKeyring } from '../../src/tokens/keyring-text.ts';
import { callDuring, makeCertificates, makePlatform, passwordIn, takeTour } from './calls.ts';
import { startCaddy, startPostgres } from './compose-peers.ts';
import { type Shell, timed, unpackedImage, withImage } from './image.ts';
import { InsideNetwork } from './network.ts';
import { ROOT, run } from './shell.ts';
import { type RunningBox, runUnpacked, startUnpacked, type Unpacked } from './unpacked.ts';

const FILES = join(ROOT, 'deploy/container');
const NODES = ['node-1', 'node-2'] as const;

interface Service {
  readonly environment?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
  readonly networks: { readonly inside?: { readonly ipv4_address?: string } };
  readonly healthcheck?: { readonly test: readonly string[] };
}
type Services = Readonly<Record<string, Service>>;

export function asComposed(): Promise<void> {
  return withImage('compose', compose);
}

async function compose(place: string, sh: Shell): Promise<void> {
  const services = readServices({
    ...{ ADMIN_PASSWORD: 'a', OWNER_PASSWORD: 'o', NODE_PASSWORD: 'n' },
    TESSERA_KEYRING: formatKeyring(firstKey()),
    SITE: 'tokens.example.com',
    CERTIFICATE: '/etc/proxy/server.crt /etc/proxy/server.key',
  });
  const network = new InsideNetwork(addressesOf(services));
  const running: ChildProcess[] = [];
  let proxy: ChildProcess | undefined;
  try {
    const names = join(place, 'hosts');
    writeFileSync(names, `127.0.0.1 localhost\n${network.hosts()}`);
    const certificates = placeFiles(place);
    const image = unpackedImage(sh);
    const boxOf = (name: string): Unpacked => ({
      ...image,
      config: { ...image.config, Cmd: services[name]?.command ?? image.config.Cmd },
      files: { '/etc/tessera': join(place, 'config'), '/etc/hosts': names },
      variables: services[name]?.environment ?? {},
      network: network.nameOf(name),
    });
    const at = (name: string) => ({ place, network: network.nameOf(name) });
    const { environment = {}, healthcheck } = services['postgres'] as Service;
    running.push(await startPostgres(at('postgres'), environment, healthcheck?.test[1] ?? 'false'));
    for (const name of ['migration', 'init'])
      timed(name, () => runUnpacked(boxOf(name), services[name]?.command ?? []));
    const platform = await makePlatform();
    writeFileSync(join(place, 'config/jwks.json'), platform.keys);
    const password = passwordIn(runUnpacked(boxOf('init'), FIRST_ONES));
    for (const command of [ISSUER, ...platform.register('/etc/tessera/jwks.json')]) runUnpacked(boxOf('init'), command);
    const nodes = await Promise.all(NODES.map((name) => startUnpacked(boxOf(name))));
    for (const [index, name] of NODES.entries()) checkHealth(name, nodes[index] as RunningBox, image.healthCheck);
    proxy = startCaddy(at('proxy'), names, join(place, 'proxy'), proxyEnvironment(services));
    running.push(...nodes.map(({ child }) => child));
    await answers(network.nameOf('proxy'));
    takeTour(proxy.pid ?? 0, { ...certificates.caller, port: 443, password, assertion: platform.assertion });
    await callDuring(proxy.pid ?? 0, { ...certificates.caller, port: 443 }, async () => {
      process.kill((nodes[0] as RunningBox).pid, 'SIGTERM');
      await pause(2000);
      running.push((await startUnpacked(boxOf('node-1'))).child);
      await pause(1000);
    });
    claimDirectly(network, certificates.caller.certificate);
  } finally {
    proxy?.kill('SIGTERM');
    for (const child of running) child.kill('SIGKILL');
    network.remove();
  }
}

const FIRST_ONES = ['init', '--integration', 'orders-sync', '--scope', 'orders:read', '--identity', 'ada'];
const ISSUER = ['issuer', 'add', 'corp', '/etc/tessera/corp-ca.pem', '--identity-from', 'common-name'];

/** The callers here also use the name `localhost`. */
function proxyEnvironment({ proxy }: Services): Readonly<Record<string, string>> {
  const { environment = {} } = proxy ?? {};
  return { ...environment, SITE: `${environment['SITE']}, localhost` };
}

/** As an engine reads it: variables first. */
function readServices(variables: Readonly<Record<string, string>>): Services {
  const text = readFileSync(join(FILES, 'compose.yaml'), 'utf8');
  const filled = text.replaceAll(
    /(: )?(https:\/\/)?\$\{(\w+):[?-][^}]*\}/g,
    (_, key = '', scheme = '', name: string) => `${key}${JSON.stringify(scheme + variables[name])}`,
  );
  return (parse(filled, { merge: true }) as { services: Services }).services;
}

/** Those of the file; the engine chooses the others. */
function addressesOf(services: Services): Map<string, string> {
  return new Map(
    Object.entries(services).map(([name, { networks }], index) => [
      name,
      networks.inside?.ipv4_address ?? `172.30.20.${10 + index}`,
    ]),
  );
}

function placeFiles(place: string) {
  const certificates = makeCertificates();
  cpSync(join(FILES, 'config'), join(place, 'config'), { recursive: true });
  writeFileSync(join(place, 'config/corp-ca.pem'), certificates.authority);
  mkdirSync(join(place, 'proxy'));
  writeFileSync(join(place, 'proxy/server.crt'), certificates.server.pem);
  writeFileSync(join(place, 'proxy/server.key'), certificates.server.key);
  return certificates;
}

/** The image's own health check, inside the running box. */
function checkHealth(name: string, { pid }: RunningBox, [, ...command]: readonly string[]): void {
  run('nsenter', ['--target', String(pid), '--all', '--root', '--preserve-credentials', '--', ...command]);
  console.log(`${name} is healthy`);
}

async function answers(network: string): Promise<void> {
  const check = ['curl', '--silent', '--insecure', '--output', '/dev/null', 'https://localhost/'];
  for (let tries = 0; ; tries++) {
    try {
      return void run('ip', ['netns', 'exec', network, ...check]);
    } catch (error) {
      if (tries === 100) throw error;
      await pause(100);
    }
  }
}

/** A neighbour of the nodes that is not the proxy cannot claim a certificate: nodes close its connection unread. */
function claimDirectly(network: InsideNetwork, certificate: string): void {
  const url = `http://${network.addresses.get('node-2')}:8080/authsvc/Authorize/Certificate`;
  const headers = [
    ...['--header', 'content-type: application/json'],
    ...['--header', `Client-Cert: :${new X509Certificate(certificate).raw.toString('base64')}:`],
  ];
  const body = JSON.stringify({ client_id: 'orders-sync', scope: 'orders:read' });
  const command = ['curl', '--silent', '--show-error', ...headers, '--data', body, url];
  const from = ['netns', 'exec', network.nameOf('postgres')];
  const { status, stdout, stderr } = spawnSync('ip', [...from, ...command], { encoding: 'utf8' });
  console.log(`a certificate header that is not from the proxy: ${stdout}${stderr.trimEnd()}`);
  if (status !== CLOSED && status !== RESET) throw new Error('somebody else than the proxy was believed');
}

/** Exit codes of curl. */
const [CLOSED, RESET] = [52, 56];
