// "Protect an API" of the README, executed as it is printed.
// Needs: curl
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { commandEnvironment, TESSERA } from '../cli/command.ts';
import { eventually } from '../eventually.ts';
import { freePort } from '../free-port.ts';
import { blocksOf } from '../house/mentions.ts';
import { installPacked } from '../sdk/packed.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const ROOT = join(import.meta.dirname, '../..');

function blocksIn(language: string): string[] {
  const blocks = blocksOf({ path: 'README.md', text: readFileSync('README.md', 'utf8') });
  return blocks.filter((block) => block.language === language).map(({ text }) => text);
}

test('the commands of the README protect an API, which refuses no token, a wrong one and a revoked one', async (t) => {
  const [program = ''] = blocksIn('js');
  const [register = '', startApi = '', callApi = ''] = blocksIn('sh');
  const folder = temporaryFolder('readme');
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }));
  const checkout = join(folder, 'tessera');
  const beside = join(folder, 'api');
  for (const path of [checkout, beside]) mkdirSync(path);
  const [servicePort, apiPort] = [await freePort(), await freePort()];
  const here = (text: string) =>
    text
      .replaceAll(':8443', `:${servicePort}`)
      .replaceAll('3000', `${apiPort}`)
      .replaceAll('npm run --silent tessera --', `"${process.execPath}" "${TESSERA}"`);
  const started: (() => Promise<void>)[] = [];
  t.after(async () => {
    for (const stop of started) await stop();
  });
  const start = (command: string, cwd: string) => {
    const child = spawn('sh', ['-c', `exec env ${here(command)}`], {
      cwd,
      env: commandEnvironment(),
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const ends = once(child, 'exit');
    started.unshift(async () => {
      child.kill();
      await ends;
    });
    return child;
  };
  const service = start(`npm run --silent tessera -- quickstart --set listeners.0.port=${servicePort}`, checkout);
  let printed = '';
  service.stdout?.setEncoding('utf8').on('data', (text: string) => (printed += text));
  await eventually('the quick start is ready', () => printed.includes('THIS IS FOR TRYING'));

  const run = (commands: string) =>
    execFileSync('sh', ['-e', '-c', here(commands)], { cwd: checkout, env: commandEnvironment(), encoding: 'utf8' });
  // `npm run lab -- rooms` runs the whole block, with a registry.
  const [registering = '', install] = register.split('npm pack --silent ./sdk/verify\n');
  assert.match(
    install ?? '',
    /^mkdir \.\.\/api && cd \.\.\/api && npm install \.\.\/tessera\/tessera-verify-[0-9.]+\.tgz\n$/,
  );
  run(registering);
  installPacked('verify', beside);
  symlinkSync(join(ROOT, 'node_modules/jose'), join(beside, 'node_modules/jose'));
  writeFileSync(join(beside, 'api.mjs'), here(program));
  start(startApi, beside);
  const status = async (authorization?: string) =>
    (await fetch(`http://localhost:${apiPort}/`, { headers: authorization ? { authorization } : {} })).status;
  await eventually('the API listens', () => status().then(Boolean, () => false));

  assert.match(run(callApi), /^for local:\{[0-9a-f-]+\}$/m);
  assert.equal(await status(), 401);
  assert.equal(await status('Bearer tsa_nonsense'), 401);
  run('data/try/revoke.sh');
  const [, call = ''] = callApi.split('data/try/token.sh\n');
  await eventually('a revoked token is refused', () => !run(call).startsWith('for '));
});
