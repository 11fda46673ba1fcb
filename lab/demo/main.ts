// Clients refresh through a network that loses answers, with Tessera and with oidc-provider.
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chart } from './chart.ts';
import { CONTESTANTS } from './contestants.ts';
import { type Conditions, type Result, runOne } from './run.ts';
import { showLive, table } from './show.ts';

const HELP = `npm run lab -- demo [--seeds 1,2,3] [--seconds 60] [--clients 50] [--svg lost-answers.svg]

50 clients refresh their tokens through a proxy that loses one answer in eight, cuts connections and doubles requests, while
the server is killed every few seconds. Tessera and oidc-provider run one after the other, with the same faults.`;

/** Exit code: 0 if Tessera kept what it promises. */
export async function demonstrate(args: readonly string[]): Promise<number> {
  try {
    return await runSeeds(args);
  } catch (error) {
    console.error(`\nThe demonstration failed: ${(error as Error).message}`);
    return 1;
  }
}

async function runSeeds(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seeds: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '60' },
      clients: { type: 'string', default: '50' },
      svg: { type: 'string', default: 'lost-answers.svg' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const [seconds, clients] = [countOf('--seconds', values.seconds), countOf('--clients', values.clients)];
  const results: Result[][] = [];
  for (const seed of values.seeds.split(',').map((text) => countOf('--seeds', text)))
    results.push(await runAll({ seed, clients, seconds }));
  writeFileSync(values.svg, chart(results.at(-1) ?? [], seconds));
  console.log(`\nThe picture of the last run: ${values.svg}`);
  const isBroken = results.some(([tessera]) => !tessera || tessera.loggedOut + tessera.forked > 0);
  return isBroken || results.some(([ours]) => (ours?.workedAfterRevocation ?? 0) > 0) ? 1 : 0;
}

function countOf(option: string, text: string): number {
  if (!/^[1-9][0-9]{0,5}$/.test(text)) throw new Error(`${option} needs a whole number from 1 on, not "${text}"`);
  return Number(text);
}

async function runAll(conditions: Conditions): Promise<Result[]> {
  const results: Result[] = [];
  for (const start of CONTESTANTS) {
    const live = showLive(conditions);
    try {
      results.push(await runOne(start, conditions, (progress) => live.follow(progress)));
    } finally {
      live.stop();
    }
  }
  console.log(table(results, conditions));
  return results;
}
