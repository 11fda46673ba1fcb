// The commands of docs/container.md, with buildah and podman and without a registry.
import { once } from 'node:events';
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { callDuring, makeCertificates, makePlatform, passwordIn, takeTour } from './calls.ts';
import { IMAGE, type Shell, timed, unpackedImage, withImage } from './image.ts';
import { commandsOf, ROOT, run } from './shell.ts';
import { ownVolume, runUnpacked, startUnpacked } from './unpacked.ts';

/** podman would raise these, which not every root may. */
const LIMITS = '--ulimit nofile=4096:4096 --ulimit nproc=4096:4096';

export function inContainer(): Promise<void> {
  return withImage('container', async (place, sh) => {
    const [, init = '', serve = '', stop = '', upgrade = '', secrets = ''] = commandsOf('container.md');
    const why = whyNoContainers(sh);
    if (why === undefined) return runWithPodman(place, sh, { init, serve, stop, upgrade, secrets });
    console.log(`podman starts no container here (${why}): bwrap runs the image with the same restrictions`);
    return runWithBwrap(place, sh);
  });
}

/** The last line of what podman says when it cannot start a container; undefined if it can. */
function whyNoContainers(sh: Shell): string | undefined {
  try {
    sh(`podman run --rm --network=none ${IMAGE} --version`);
    return undefined;
  } catch (error) {
    return (error as Error).message.trimEnd().split('\n').at(-1);
  }
}

type Commands = Readonly<Record<'init' | 'serve' | 'stop' | 'upgrade' | 'secrets', string>>;

async function runWithPodman(place: string, sh: Shell, commands: Commands): Promise<void> {
  const { init, serve, stop, upgrade, secrets } = commands;
  const volume = join(place, 'data');
  const caller = placeFiles(place, volume);
  const platform = await makePlatform();
  writeFileSync(join(volume, 'jwks.json'), platform.keys);
  ownVolume(volume);
  let password = '';
  timed('init', () => {
    const printed = sh(init);
    password = passwordIn(printed);
    return printed;
  });
  // One limit on the command line drops those of containers.conf.
  const here = serve.replace('--publish 8443:8443', '--network=none').replace('--ulimit ', `${LIMITS} --ulimit `);
  timed('start', () => sh(`${here}${UNTIL_READY}`));
  const pid = Number(sh(`podman inspect --format '{{.State.Pid}}' tessera`));
  report(pid);
  console.log(sh('podman healthcheck run tessera').trimEnd());
  for (const command of platform.register('/var/lib/tessera/jwks.json'))
    sh(`podman exec tessera tessera ${command.join(' ')}`);
  takeTour(pid, { ...caller, password, assertion: platform.assertion });
  await callDuring(pid, caller, () => undefined);
  timed('stop', () => sh(`${stop}\npodman inspect --format 'exit code {{.State.ExitCode}}' tessera`));
  sh(`podman logs tessera 2>stderr >stdout; test -s stdout; test ! -s stderr || { cat stderr; exit 1; }`);
  timed('upgrade', () => sh(`${upgrade}`));
  timed('start by variables only, without /tmp, in another time zone', () =>
    sh(`${here.replace(CONFIG_MOUNT, BY_VARIABLES)}${UNTIL_READY}`),
  );
  console.log(sh(LATER).trimEnd());
  timed('secrets', () => sh(secrets));
}

const CONFIG_MOUNT = '--volume ./tessera.yaml:/etc/tessera/tessera.yaml:ro';
const BY_VARIABLES =
  '--read-only-tmpfs=false --env TZ=America/New_York --env TESSERA_PUBLIC_URL=https://tokens.example.com';

/** What the container before it did is there, and times are in UTC. */
const LATER = `
  podman exec tessera tessera grant list | grep orders-sync | tail -1
  podman logs tessera | grep --quiet '"time":"[^"]*Z"'
  podman healthcheck run tessera
  podman stop --time 30 tessera
  podman inspect --format 'exit code {{.State.ExitCode}}' tessera`;

async function runWithBwrap(place: string, sh: Shell): Promise<void> {
  const volume = join(place, 'data');
  const caller = placeFiles(place, volume);
  const platform = await makePlatform();
  writeFileSync(join(volume, 'jwks.json'), platform.keys);
  ownVolume(volume);
  const image = {
    ...unpackedImage(sh),
    volume,
    files: {
      '/etc/tessera/tessera.yaml': join(place, 'tessera.yaml'),
      '/etc/tessera/corp-ca.pem': join(place, 'corp-ca.pem'),
    },
  };
  const password = passwordIn(runUnpacked(image, INIT));
  for (const command of [ISSUER, ...platform.register('/var/lib/tessera/jwks.json')]) runUnpacked(image, command);
  const { pid, child, startedMs } = await startUnpacked(image);
  console.log(`start: ${(startedMs / 1000).toFixed(1)} s until ready`);
  report(pid);
  takeTour(pid, { ...caller, password, assertion: platform.assertion });
  await callDuring(pid, caller, () => undefined);
  const ended = once(child, 'exit');
  process.kill(pid, 'SIGTERM');
  console.log(`stop: exit code ${(await ended)[0]}`);
}

const INIT = ['init', '--integration', 'orders-sync', '--scope', 'orders:read', '--identity', 'ada'];
const ISSUER = ['issuer', 'add', 'corp', '/etc/tessera/corp-ca.pem', '--identity-from', 'common-name'];

/** What the kernel says of the running process, and whether it can write to its root. */
function report(pid: number): void {
  const facts = `
    grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/${pid}/status
    echo "root: $(awk '$5 == "/" { print $6 }' /proc/${pid}/mountinfo | tail -1)"
    echo "memory: $(awk '/^VmRSS/ { print int($2 / 1024) " MB" }' /proc/${pid}/status)"`;
  console.log(run('sh', ['-ec', facts]).trimEnd());
}

const UNTIL_READY = `
  for try in $(seq 1200); do
    podman logs tessera 2>&1 | grep --quiet '"msg":"ready"' && exit 0
    sleep 0.05
  done
  podman logs tessera; exit 1`;

/** The configuration, and the certificates: the server's in the volume. Returns what a caller needs. */
function placeFiles(place: string, volume: string) {
  const { authority, server, caller } = makeCertificates();
  cpSync(join(ROOT, 'deploy/container/tessera.yaml'), join(place, 'tessera.yaml'));
  writeFileSync(join(place, 'corp-ca.pem'), authority);
  mkdirSync(volume, { recursive: true });
  writeFileSync(join(volume, 'server.crt'), server.pem);
  writeFileSync(join(volume, 'server.key'), server.key, { mode: 0o600 });
  return caller;
}
