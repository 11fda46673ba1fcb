// Builds the image of deploy/container with the command of docs/container.md and without a registry: the image to build on is made by
// debootstrap.
import { spawnSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { debianRoot } from './debian.ts';
import { commandsOf, installLabNeeds, ROOT, run } from './shell.ts';

export const IMAGE = 'localhost/tessera';
const BUILDER = 'localhost/tessera-builder';
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';
const CGROUPS = '/sys/fs/cgroup';

export type Shell = (commands: string, cwd?: string) => string;

/** Builds it, does the work in a folder of its own, and removes everything. `lab`: the name of the lab that needs it. */
export async function withImage(lab: string, work: (place: string, sh: Shell) => Promise<void>): Promise<void> {
  installLabNeeds();
  if (hasHybridCgroups()) return runWithPlainCgroups(lab);
  const place = temporaryFolder(`lab-${lab}`);
  const env = storageIn(place);
  const sh: Shell = (commands, cwd = place) => run('sh', ['-ec', commands], { cwd, env });
  try {
    timed('builder', () => makeBuilder(sh));
    const [build = ''] = commandsOf('container.md');
    timed('build', () =>
      sh(build.replace('buildah build', `buildah build --network=host --build-arg BUILDER=${BUILDER}`), ROOT),
    );
    console.log(`size: ${(Number(sh(`podman image inspect --format '{{.Size}}' ${IMAGE}`)) / 1e6).toFixed(0)} MB`);
    chmodSync(place, 0o755);
    await work(place, sh);
  } finally {
    sh('podman rm --force --all >/dev/null 2>&1 || true; buildah rm --all >/dev/null 2>&1 || true');
    rmSync(place, { recursive: true, force: true });
  }
}

/** Its files and its settings, for running it with bwrap. */
export function unpackedImage(sh: Shell) {
  const inspect = (field: string) => JSON.parse(sh(`podman image inspect --format '{{json .${field}}}' ${IMAGE}`));
  return { root: unpack(sh), config: inspect('Config'), healthCheck: inspect('HealthCheck')?.Test as string[] };
}

/** A copy with the places to mount on, because only root may look into the folder where buildah keeps images. */
function unpack(sh: Shell): string {
  return sh(`cp -a "$(buildah mount $(buildah from ${IMAGE}))" root
    chmod 0755 root
    mkdir -p root/proc root/dev
    touch root/etc/tessera/tessera.yaml root/etc/tessera/corp-ca.pem root/etc/hosts
    realpath root`).trim();
}

export function timed(name: string, work: () => string): void {
  const began = performance.now();
  const lines = work().trimEnd().split('\n');
  console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s; ${lines.at(-1)}`);
}

/** crun refuses to start where both versions of cgroups are mounted. */
function hasHybridCgroups(): boolean {
  return existsSync(join(CGROUPS, 'unified')) && existsSync(join(CGROUPS, 'memory'));
}

/** Runs the lab in a mount namespace of its own that has version 2 only. */
function runWithPlainCgroups(lab: string): void {
  const commands = `umount --recursive ${CGROUPS}; mount -t cgroup2 none ${CGROUPS}; exec "$0" "$@"`;
  const command = [process.execPath, join(ROOT, 'lab/main.ts'), lab];
  const { status } = spawnSync('unshare', ['--mount', 'sh', '-ec', commands, ...command], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
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
  const { folder, remove } = debianRoot({ node: 24 });
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
