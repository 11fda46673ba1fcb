// An independent SCIM client against the scim door: scim2-tester, installed into a virtual environment of its own.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { secretFor, startPushed } from '../../test/doors/scim/pushing-service.ts';
import { temporaryFolder } from '../../test/temporary-folder.ts';

const PACKAGES = ['scim2-tester==0.5.2', 'scim2-client[httpx2]==0.13.2'];

export async function withScimTester(): Promise<void> {
  const folder = temporaryFolder('scim');
  const python = environment(folder);
  if (!python) return console.log('SKIPPED: scim2-tester needs python3 with venv, and a package index');
  const service = await startPushed();
  try {
    const secret = await secretFor(service, 'tested-scim');
    const authority = join(folder, 'authority.pem');
    writeFileSync(authority, service.authority.pem);
    const script = new URL('./scim-tester.py', import.meta.url).pathname;
    const address = `https://localhost:${service.port}/scim/v2/tested`;
    const env = { ...process.env, SCIM_SECRET: secret };
    // Not by spawnSync: the service runs in this process.
    const [code] = await once(spawn(python, [script, address, authority], { env, stdio: 'inherit' }), 'exit');
    process.exitCode = Number(code);
  } finally {
    await service.stop();
  }
}

function environment(folder: string): string | undefined {
  const made = spawnSync('python3', ['-m', 'venv', join(folder, 'venv')], { stdio: 'ignore' });
  if (made.status !== 0) return undefined;
  const python = join(folder, 'venv', 'bin', 'python');
  const installed = spawnSync(python, ['-m', 'pip', 'install', '--quiet', ...PACKAGES], { stdio: 'ignore' });
  return installed.status === 0 ? python : undefined;
}
