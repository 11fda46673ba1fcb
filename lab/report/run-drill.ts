// One drill in a process of its own, with a time limit, and what it showed.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export type Result = 'kept' | 'BROKEN' | 'not shown';

export interface Outcome {
  readonly result: Result;
  /** What it tried, in its own words, or why nothing was shown. */
  readonly tried: string;
  readonly seconds: number;
}

const KEPT_LINES = 5_000;
const NOISE = /Warning: |trace-warnings|npm warn/;
const WORDS = 300;

/** Output of a drill that could not do its work. */
const IMPOSSIBLE =
  /^SKIPPED|needs root|there is no C compiler|is missing \(|command not found|ERR_MODULE_NOT_FOUND|cannot be compiled/m;

export async function runDrill(args: string, folder: string, minutes: number): Promise<Outcome> {
  const began = performance.now();
  const env = { ...process.env, NODE_ENV: '' };
  const options = { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] as const, detached: true };
  const child = spawn('npm', ['run', '--silent', 'lab', '--', ...args.split(' ')], {
    ...options,
    stdio: [...options.stdio],
  });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said.push(...text.split('\n').filter((line) => line.trim() !== '' && !NOISE.test(line)));
      said.splice(0, said.length - KEPT_LINES);
    });
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    endGroup(child.pid as number);
  }, minutes * 60_000);
  const endWithUs = () => endGroup(child.pid as number);
  process.once('exit', endWithUs);
  const [code] = (await once(child, 'close')) as [number | null];
  process.off('exit', endWithUs);
  clearTimeout(timer);
  const seconds = Math.round((performance.now() - began) / 1000);
  if (code !== 0) keep(said, join(folder, 'out/lab'), args);
  if (isLate) return { result: 'not shown', tried: `stopped after ${minutes} minutes`, seconds };
  const why = said.find((line) => IMPOSSIBLE.test(line));
  if (why !== undefined) return { result: 'not shown', tried: why.slice(0, WORDS), seconds };
  const thrown = /^Node\.js v/.test(said.at(-1) ?? '')
    ? said.findLast((line) => /^(<ref \*\d+> )?\S*Error/.test(line))
    : undefined;
  const broken = code === 0 ? undefined : said.find((line) => line.startsWith('BROKEN'));
  const tried = (thrown ?? broken ?? said.at(-1) ?? '').slice(0, WORDS);
  return { result: code === 0 ? 'kept' : 'BROKEN', tried, seconds };
}

/** The whole end of its output, since a line of the report may not say why. */
function keep(said: readonly string[], folder: string, args: string): void {
  const file = join(folder, `${args.replace(/\W+/g, '-')}.log`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, said.join('\n'));
  console.log(`  what it printed last: ${file}`);
}

function endGroup(leader: number): void {
  try {
    process.kill(-leader, 'SIGKILL');
  } catch {
    // All have ended.
  }
}
