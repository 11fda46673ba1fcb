// The demonstration in the terminal: one block per server while it runs, a table at the end.
import type { Standing } from './clients.ts';
import type { Conditions, Progress, Result } from './run.ts';
import { signedIn } from './run.ts';

const MARKS: Readonly<Record<Standing, string>> = {
  'signed in': '\x1b[32m●\x1b[0m',
  retrying: '\x1b[33m◐\x1b[0m',
  'logged out': '\x1b[31m✗\x1b[0m',
  'signed out': '·',
};
const LIVE_MS = 250;
const PLAIN_MS = 5000;

/** Redrawn in place on a terminal; elsewhere a line every few seconds. */
export function showLive({ seed, seconds }: Conditions): { follow(progress: Progress): void; stop(): void } {
  const isTerminal = process.stdout.isTTY;
  let shown: { readonly progress: Progress; readonly began: number } | undefined;
  let drawn = 0;
  const draw = () => {
    if (!shown) return;
    const elapsed = Math.min(seconds, Math.round((performance.now() - shown.began) / 1000));
    const clock = `seed ${seed}, ${elapsed} of ${seconds} s`;
    const lines = isTerminal ? [clock, ...block(shown.progress)] : [`${clock} ${line(shown.progress)}`];
    if (isTerminal && drawn > 0) process.stdout.write(`\x1b[${drawn}A\x1b[J`);
    drawn = lines.length;
    process.stdout.write(`${lines.join('\n')}\n`);
  };
  const timer = setInterval(draw, isTerminal ? LIVE_MS : PLAIN_MS);
  return {
    follow: (progress) => {
      shown = { progress, began: performance.now() };
    },
    stop: () => {
      clearInterval(timer);
      draw();
    },
  };
}

function block(progress: Progress): string[] {
  return [line(progress), `  ${progress.clients.map(({ standing }) => MARKS[standing]).join('')}`];
}

function line({ name, clients, counts, restarts }: Progress): string {
  const lost = counts.dropped + counts.cut + counts.held;
  const figures = `${lost} answers lost, ${restarts} restarts, ${clients.length - signedIn(clients)} logged out`;
  return `  ${name.padEnd(24)} ${refreshesOf(clients)} refreshes, ${figures}`;
}

export function table(results: readonly Result[], { seed, clients, seconds }: Conditions): string {
  const rows = results.map((result) => [
    result.name,
    String(refreshesOf(result.clients)),
    String(result.counts.dropped + result.counts.cut + result.counts.held),
    String(result.restarts),
    `${result.loggedOut} of ${clients}`,
    String(result.forked),
    `${result.workedAfterRevocation} of ${result.tried}`,
  ]);
  const head = ['', 'refreshes', 'answers lost', 'restarts', 'logged out', 'forked', 'worked after revocation'];
  const widths = head.map((text, column) => Math.max(text.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const text = (row: string[]) => `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const rule = `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`;
  return [`\nSeed ${seed}, ${clients} clients, ${seconds} s`, '', text(head), rule, ...rows.map(text)].join('\n');
}

function refreshesOf(clients: Progress['clients']): number {
  return clients.reduce((total, { refreshes }) => total + refreshes, 0);
}
