// The commands of docs/container.md, with buildah and podman and without a registry: the image to build on is made by debootstrap.
import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callDuring, makeCertificates } from './calls.ts';
import { debianRoot } from './debian.ts';
import { commandsOf, installLabNeeds, ROOT, run } from './shell.ts';
import { ownVolume, runUnpacked, startUnpacked } from './unpacked.ts';

const [IMAGE, BUILDER] = ['localhost/tessera', 'localhost/tessera-builder'];
/** podman would raise these, which not every root may. */
const LIMITS = '--ulimit nofile=4096:4096 --ulimit nproc=4096:4096';
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

export async function inContainer(): Promise<void> {
  installLabNeeds();
  if (hasHybridCgroups()) return runWithPlainCgroups();
  const place = mkdtempSync(join(tmpdir(), 'tessera-lab-container-'));
  const env = storageIn(place);
  const sh: Shell = (commands, cwd = place) => run('sh', ['-ec', commands], { cwd, env });
  try {
    const [build = '', init = '', serve = '', stop = ''] = commandsOf('container.md');
    timed('builder', () => makeBuilder(sh));
    timed('build', () =>
      sh(build.replace('buildah build', `buildah build --network=host --build-arg BUILDER=${BUILDER}`), ROOT),
    );
    console.log(`size: ${(Number(sh(`podman image inspect --format '{{.Size}}' ${IMAGE}`)) / 1e6).toFixed(0)} MB`);
    const why = whyNoContainers(sh);
    if (why === undefined) await runWithPodman(place, sh, { init, serve, stop });
    else {
      console.log(`podman starts no container here (${why}): bwrap runs the image with the same restrictions`);
      await runWithBwrap(place, sh);
    }
  } finally {
    sh('podman rm --force --all >/dev/null 2>&1 || true; buildah rm --all >/dev/null 2>&1 || true');
    rmSync(place, { recursive: true, force: true });
  }
}

const CGROUPS = '/sys/fs/cgroup';

/** crun refuses to start where both versions of cgroups are mounted. */
function hasHybridCgroups(): boolean {
  return existsSync(join(CGROUPS, 'unified')) && existsSync(join(CGROUPS, 'memory'));
}

/** Runs this lab in a mount namespace of its own that has version 2 only. */
function runWithPlainCgroups(): void {
  const commands = `umount --recursive ${CGROUPS}; mount -t cgroup2 none ${CGROUPS}; exec "$0" "$@"`;
  const lab = [process.execPath, join(ROOT, 'lab/deploy.ts'), 'container'];
  const { status } = spawnSync('unshare', ['--mount', 'sh', '-ec', commands, ...lab], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
}

type Shell = (commands: string, cwd?: string) => string;

/** The last line of what podman says when it cannot start a container; undefined if it can. */
function whyNoContainers(sh: Shell): string | undefined {
  try {
    sh(`podman run --rm --network=none ${IMAGE} --version`);
    return undefined;
  } catch (error) {
    return (error as Error).message.trimEnd().split('\n').at(-1);
  }
}

async function runWithPodman(place: string, sh: Shell, commands: Readonly<Record<'init' | 'serve' | 'stop', string>>) {
  const { init, serve, stop } = commands;
  const volume = join(place, 'data');
  const caller = placeFiles(place, volume);
  ownVolume(volume);
  timed('init', () => sh(init));
  // One limit on the command line drops those of containers.conf.
  const here = serve.replace('--publish 8443:8443', '--network=none').replace('--ulimit ', `${LIMITS} --ulimit `);
  timed('start', () => sh(`${here}${UNTIL_READY}`));
  const pid = Number(sh(`podman inspect --format '{{.State.Pid}}' tessera`));
  report(pid);
  console.log(sh('podman healthcheck run tessera').trimEnd());
  await callDuring(pid, caller, () => undefined);
  timed('stop', () => sh(`${stop}\npodman inspect --format 'exit code {{.State.ExitCode}}' tessera`));
}

async function runWithBwrap(place: string, sh: Shell): Promise<void> {
  const volume = join(place, 'data');
  const caller = placeFiles(place, volume);
  ownVolume(volume);
  const image = {
    root: unpack(sh),
    config: JSON.parse(sh(`podman image inspect --format '{{json .Config}}' ${IMAGE}`)),
    volume,
    files: {
      '/etc/tessera/tessera.yaml': join(place, 'tessera.yaml'),
      '/etc/tessera/corp-ca.pem': join(place, 'corp-ca.pem'),
    },
  };
  chmodSync(place, 0o755);
  timed('init', () => runUnpacked(image, INIT));
  timed('issuer', () => runUnpacked(image, ISSUER));
  const { pid, child, startedMs } = await startUnpacked(image);
  console.log(`start: ${(startedMs / 1000).toFixed(1)} s until ready`);
  report(pid);
  await callDuring(pid, caller, () => undefined);
  const ended = once(child, 'exit');
  process.kill(pid, 'SIGTERM');
  console.log(`stop: exit code ${(await ended)[0]}`);
}

/** A copy with the places to mount on, because only root may look into the folder where buildah keeps images. */
function unpack(sh: Shell): string {
  return sh(`cp -a "$(buildah mount $(buildah from ${IMAGE}))" root
    chmod 0755 root
    mkdir -p root/proc root/dev
    touch root/etc/tessera/tessera.yaml root/etc/tessera/corp-ca.pem
    realpath root`).trim();
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
  for try in $(seq 200); do
    podman logs tessera 2>&1 | grep --quiet '"msg":"ready"' && exit 0
    sleep 0.05
  done
  podman logs tessera; exit 1`;

function timed(name: string, work: () => string): void {
  const began = performance.now();
  const lines = work().trimEnd().split('\n');
  console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s; ${lines.at(-1)}`);
}

/** Images and containers of the lab stay in its folder; nothing of the machine's own is touched. */
function storageIn(place: string): Record<string, string> {
  const file = join(place, 'storage.conf');
  const [graph, state] = [join(place, 'storage'), join(place, 'state')];
  writeFileSync(file, `[storage]\ndriver = "overlay"\ngraphroot = "${graph}"\nrunroot = "${state}"\n`);
  const settings = join(place, 'containers.conf');
  writeFileSync(
    settings,
    `[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
[containers]
cgroups = "disabled"
default_ulimits = ["nofile=4096:4096", "nproc=4096:4096"]
`,
  );
  return { CONTAINERS_STORAGE_CONF: file, CONTAINERS_CONF: settings, BUILDAH_ISOLATION: 'chroot' };
}

/** Debian with Node and npm, which trusts the authorities that this machine trusts. */
function makeBuilder(sh: Shell): string {
  const { folder, remove } = debianRoot([]);
  try {
    return sh(`container=$(buildah from scratch)
      buildah add --quiet $container ${folder} /
      buildah config --env NODE_EXTRA_CA_CERTS=${AUTHORITIES} $container
      buildah commit --quiet $container ${BUILDER}
      buildah rm $container`);
  } finally {
    remove();
  }
}

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
