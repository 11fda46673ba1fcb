// The commands of docs/systemd.md, run in a machine that systemd boots.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type CallerFiles, callDuring, makeCertificates } from './calls.ts';
import { debianRoot, stagePackage } from './debian.ts';
import { Machine } from './machine.ts';
import { commandsOf, installLabNeeds, run } from './shell.ts';
import { PROMISES } from './systemd-promises.ts';

export async function underSystemd(): Promise<void> {
  installLabNeeds();
  const [install = '', units = '', init = '', start = '', addKey = '', restart = '', ...later] =
    commandsOf('systemd.md');
  const [backup = '', follow = '', rotation = ''] = later;
  const { folder, remove } = debianRoot({ packages: PACKAGES });
  try {
    stagePackage(join(folder, 'root/tessera'));
    step('install', () => inRoot(folder, install));
    const machine = await Machine.boot(folder);
    try {
      step('units', () => machine.sh(units));
      const caller = placeCertificates(join(folder, 'etc/tessera'));
      step('init', () => machine.sh(init));
      step('start', () =>
        machine.sh(`${start.trimEnd()} || { journalctl --no-pager --lines=40 --output=cat; exit 1; }`),
      );
      report(machine);
      step('credentials', () => machine.sh(PROMISES.credentials));
      step('add a key', () => machine.sh(addKey));
      await callDuring(machine.pid, caller, () => step('hand over', () => machine.sh(restart)));
      step('backup', () => machine.sh(`${backup}\nls -l /var/lib/tessera-backup`));
      step('continuous backup', () => machine.sh(`${follow}\n${UNTIL_FOLLOWED}`));
      step('rotation', () => machine.sh(rotation));
      step('timers', () => machine.sh(PROMISES.timers));
      step('readiness', () => machine.sh(PROMISES.readiness));
      step('a mistake', () => machine.sh(PROMISES.mistake));
      step('watchdog', () => machine.sh(PROMISES.watchdog));
      await callDuring(machine.pid, caller, () => undefined);
    } catch (error) {
      console.error((error as Error).message); // at once: stopping and removing the machine takes a while
      throw error;
    } finally {
      await machine.stop();
    }
  } finally {
    remove();
  }
}

const UNTIL_FOLLOWED = `
  folder=/var/lib/tessera-backup/continuous
  for try in $(seq 100); do ls $folder/*/base.json >/dev/null 2>&1 && break; sleep 0.2; done
  runuser -u tessera -- tessera backup verify $folder`;

/** What docs/systemd.md needs besides Node. */
export const PACKAGES = ['systemd', 'systemd-sysv', 'curl', 'procps', 'libatomic1'];

/** Outside of the machine that runs there, whose network has no way out. */
export function inRoot(folder: string, commands: string): string {
  return run('chroot', [folder, 'sh', '-ec', `cd /root/tessera\n${commands}`]);
}

export function step(name: string, work: () => string): void {
  const began = performance.now();
  const printed = work();
  console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  for (const line of printed.trimEnd().split('\n')) console.log(`  ${line.replace(/(shown this once: ).*/, '$1…')}`);
}

/** The server's, and the authority of the callers. Returns what a caller needs. */
export function placeCertificates(folder: string): CallerFiles {
  const { authority, server, caller } = makeCertificates();
  writeFileSync(join(folder, 'server.crt'), server.pem);
  writeFileSync(join(folder, 'server.key'), server.key, { mode: 0o600 });
  writeFileSync(join(folder, 'corp-ca.pem'), authority);
  return caller;
}

/** What the kernel says of the running process, not what the unit asks for. */
function report(machine: Machine): void {
  const facts = machine.sh(`
    pid=$(systemctl show --property=MainPID --value tessera@9101)
    grep -E '^(Uid|CapEff|CapBnd|NoNewPrivs|Seccomp):' /proc/$pid/status
    systemd-analyze security --no-pager tessera@9101.service | tail -1
    systemctl show --property=MemoryCurrent,ActiveState,NotifyAccess,WatchdogUSec tessera@9101`);
  console.log(facts.trimEnd().replace(/^/gm, '  '));
}
