// The commands of docs/container.md, with buildah and podman and without a registry: the image to build on is made by debootstrap.
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { callDuring, makeCertificates } from './calls.ts';
import { debianRoot } from './debian.ts';
import { commandsOf, installLabNeeds, ROOT, run } from './shell.ts';

const [IMAGE, BUILDER] = ['localhost/tessera:0.2.0', 'localhost/tessera-builder'];
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt';

export async function inContainer(): Promise<void> {
  installLabNeeds();
  const place = mkdtempSync(join(tmpdir(), 'tessera-lab-container-'));
  const env = storageIn(place);
  const sh = (commands: string, cwd = place) => run('sh', ['-ec', commands], { cwd, env });
  try {
    const [build = '', init = '', serve = '', stop = ''] = commandsOf('container.md');
    timed('builder', () => makeBuilder(sh));
    timed('build', () =>
      sh(build.replace('buildah build', `buildah build --network=host --build-arg BUILDER=${BUILDER}`), ROOT),
    );
    console.log(`size: ${(Number(sh(`podman image inspect --format '{{.Size}}' ${IMAGE}`)) / 1e6).toFixed(0)} MB`);
    const caller = placeFiles(place, sh);
    timed('init', () => sh(init));
    timed('start', () => sh(`${serve.replace('--publish 8443:8443', '--network=none')}${UNTIL_READY}`));
    const pid = Number(sh(`podman inspect --format '{{.State.Pid}}' tessera`));
    console.log(
      sh(
        `grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/${pid}/status; podman healthcheck run tessera`,
      ).trimEnd(),
    );
    await callDuring(pid, caller, () => undefined);
    timed('stop', () => sh(`${stop}\npodman inspect --format 'exit code {{.State.ExitCode}}' tessera`));
  } finally {
    sh('podman rm --force --all >/dev/null 2>&1 || true; buildah rm --all >/dev/null 2>&1 || true');
    rmSync(place, { recursive: true, force: true });
  }
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
    '[engine]\ncgroup_manager = "cgroupfs"\nevents_logger = "file"\n[containers]\ncgroups = "disabled"\n',
  );
  return { CONTAINERS_STORAGE_CONF: file, CONTAINERS_CONF: settings, BUILDAH_ISOLATION: 'chroot' };
}

/** Debian with Node and npm, which trusts the authorities that this machine trusts. */
function makeBuilder(sh: (commands: string) => string): string {
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

function placeFiles(place: string, sh: (commands: string) => string) {
  const { authority, server, caller } = makeCertificates();
  cpSync(join(ROOT, 'deploy/container/tessera.yaml'), join(place, 'tessera.yaml'));
  writeFileSync(join(place, 'corp-ca.pem'), authority);
  const volume = sh(
    "podman volume create tessera-data >&2; podman volume inspect --format '{{.Mountpoint}}' tessera-data",
  );
  mkdirSync(volume.trim(), { recursive: true });
  writeFileSync(join(volume.trim(), 'server.crt'), server.pem);
  writeFileSync(join(volume.trim(), 'server.key'), server.key, { mode: 0o600 });
  return caller;
}
