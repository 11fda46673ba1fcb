// npm run recording: runs the first minute of a new user for real, in a temporary folder, and draws it as an SVG.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { freePorts } from '../bench/ready.ts';
import { drawTerminal, type Scene } from './draw.ts';

const TARGET = process.argv[2] ?? 'docs/images/first-minute.svg';
const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const READY = 'THIS IS FOR TRYING';
const FLOWS = ['token', 'verify', 'refresh', 'revoke', 'verify'] as const;

const folder = temporaryFolder('recording');
const [port = 0] = await freePorts(1);
const began = performance.now();
const service = spawn(process.execPath, [MAIN, '--set', `listeners.0.port=${port}`, 'quickstart'], {
  cwd: folder,
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  let printed = '';
  service.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  while (!printed.includes(READY)) {
    if (service.exitCode !== null) throw new Error(`the service ended with code ${service.exitCode}: ${printed}`);
    await pause(20);
  }
  const scenes: Scene[] = [{ command: 'npm start', output: startOf(printed), seconds: elapsed() }];
  for (const flow of FLOWS) scenes.push(run(flow));
  writeFileSync(TARGET, drawTerminal(scenes));
  console.log(`${TARGET}: ${scenes.length} commands in ${elapsed().toFixed(1)} s`);
} finally {
  if (service.kill('SIGTERM')) await once(service, 'exit');
  rmSync(folder, { recursive: true, force: true });
}

function elapsed(): number {
  return (performance.now() - began) / 1000;
}

function run(flow: string): Scene {
  const { stdout, stderr } = spawnSync('sh', [join(folder, 'data', 'try', `${flow}.sh`)], { encoding: 'utf8' });
  const answer = `${stdout}${stderr}`.trim();
  if (!answer.startsWith('{')) throw new Error(`${flow} did not answer: ${answer}`);
  return { command: `data/try/${flow}.sh`, output: linesOf(answer), seconds: elapsed() };
}

/** The lines that a person looks for: where it is ready, and what to run. */
function startOf(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /Tessera is ready|try\/\w+\.sh/.test(line))
    .map((line) => line.replace(String(port), '8443'));
}

/** JSON with one field per line, with tokens shortened; long answers to their first fields. */
function linesOf(answer: string): string[] {
  const fields = Object.entries(JSON.parse(answer) as Record<string, unknown>).filter(
    ([name]) => !/ISO|_on$/.test(name),
  );
  if (fields.length === 0) return ['{}'];
  return fields.slice(0, 7).map(([name, value]) => `  ${name}: ${shortened(String(value))}`);
}

function shortened(value: string): string {
  return /^ts[ard]_/.test(value) ? `${value.slice(0, 8)}…${value.slice(-8)}` : value;
}
