// The first minute of a new user: runs it for real, in a temporary folder, and draws the terminal.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { temporaryFolder } from '../../test/temporary-folder.ts';
import { freePorts } from '../bench/ready.ts';

const MAIN = fileURLToPath(new URL('../../src/cli/main.ts', import.meta.url));
const READY = 'THIS IS FOR TRYING';
const FLOWS = ['token', 'verify', 'refresh', 'revoke', 'verify'] as const;

const [WIDTH, LINE, LEFT, TOP] = [720, 17, 16, 40];
const READING_SECONDS = 1.2;

interface Scene {
  readonly command: string;
  readonly output: readonly string[];
  /** When its output was complete, since the beginning. */
  readonly seconds: number;
}

export async function drawFirstMinute(target = 'docs/images/first-minute.svg'): Promise<void> {
  const folder = temporaryFolder('first-minute');
  const [port = 0] = await freePorts(1);
  const began = performance.now();
  const elapsed = () => (performance.now() - began) / 1000;
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
    const scenes: Scene[] = [{ command: 'npm start', output: startOf(printed, port), seconds: elapsed() }];
    for (const flow of FLOWS) scenes.push({ ...run(flow, folder), seconds: elapsed() });
    writeFileSync(target, terminal(scenes));
    console.log(`${target}: ${scenes.length} commands in ${elapsed().toFixed(1)} s`);
  } finally {
    if (service.kill('SIGTERM')) await once(service, 'exit');
    rmSync(folder, { recursive: true, force: true });
  }
}

function run(flow: string, folder: string): Omit<Scene, 'seconds'> {
  const { stdout, stderr } = spawnSync('sh', [join(folder, 'data', 'try', `${flow}.sh`)], { encoding: 'utf8' });
  const answer = `${stdout}${stderr}`.trim();
  if (!answer.startsWith('{')) throw new Error(`${flow} did not answer: ${answer}`);
  return { command: `data/try/${flow}.sh`, output: linesOf(answer) };
}

/** The lines that a person looks for: where it is ready, and what to run. */
function startOf(text: string, port: number): string[] {
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

/** A terminal in which the commands appear one after the other. Still pictures show all of it. */
function terminal(scenes: readonly Scene[]): string {
  let row = 0;
  const lines = scenes.flatMap(({ command, output, seconds }, scene) => {
    const at = scene * READING_SECONDS;
    const shown = [
      text(row++, at, 'command', `$ ${command}`, `${seconds.toFixed(1)} s`),
      ...output.map((line) => text(row++, at + 0.5, 'output', line)),
    ];
    row += 0.4;
    return shown;
  });
  const height = TOP + row * LINE + 8;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12.5" role="img">
<title>The first minute: start, get a token, verify, refresh and revoke it</title>
<style>
text { white-space: pre; animation: appear 0.3s backwards; fill: #c9d1d9 }
.command { fill: #7ee787 }
.time { fill: #6e7681 }
@keyframes appear { from { opacity: 0 } }
@media (prefers-reduced-motion: reduce) { text { animation: none } }
</style>
<rect width="${WIDTH}" height="${height}" rx="8" fill="#0d1117"/>
<circle cx="18" cy="16" r="5" fill="#ff5f56"/><circle cx="36" cy="16" r="5" fill="#ffbd2e"/><circle cx="54" cy="16" r="5" fill="#27c93f"/>
${lines.join('\n')}
</svg>
`;
}

function text(row: number, at: number, kind: string, words: string, time?: string): string {
  const y = (TOP + row * LINE).toFixed(0);
  const delay = `style="animation-delay:${at.toFixed(1)}s"`;
  const own = `<text class="${kind}" x="${LEFT}" y="${y}" ${delay} xml:space="preserve">${escaped(words)}</text>`;
  if (time === undefined) return own;
  return `${own}<text class="time" x="${WIDTH - LEFT}" y="${y}" text-anchor="end" ${delay}>${time}</text>`;
}

function escaped(words: string): string {
  return words.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
}
