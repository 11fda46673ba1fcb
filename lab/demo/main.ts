// npm run demo -- lost-answers|agents [--seeds 1,2,3] [--seconds 60] [--clients 50] [--real 5] [--svg FILE]
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PROCESSES } from './agents.ts';
import { chart } from './chart.ts';
import { CONTESTANTS } from './contestants.ts';
import { type Conditions, type Result, runOne } from './run.ts';
import { showLive, table } from './show.ts';

const HELP = `npm run demo -- lost-answers|agents [--seeds 1] [--seconds 60] [--clients 50] [--real 5] [--svg lost-answers.svg]

50 clients refresh their tokens through a proxy that loses one answer in eight, cuts connections and doubles requests, while
the server is killed every few seconds. Tessera and oidc-provider run one after the other, with the same faults.

agents: each client is a coding agent with ${PROCESSES} processes that share one login. They refresh at the same moment, and some are killed
before they read the answer. The first 5 agents (--real) have processes of the system, with a token file and SIGKILL; those of the others are
simulated in this process.
`;

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`\nThe demonstration failed: ${(error as Error).message}`);
  process.exit(1);
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      seeds: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '60' },
      clients: { type: 'string', default: '50' },
      real: { type: 'string', default: '5' },
      svg: { type: 'string', default: 'lost-answers.svg' },
      help: { type: 'boolean', default: false },
    },
  });
  const [what = ''] = positionals;
  if (!['lost-answers', 'agents'].includes(what) || values.help) {
    console.log(HELP);
    return values.help ? 0 : 1;
  }
  const [seconds, clients] = [countOf('--seconds', values.seconds), countOf('--clients', values.clients)];
  const real = countOf('--real', values.real);
  const results: Result[][] = [];
  for (const seed of values.seeds.split(',').map((text) => countOf('--seeds', text)))
    results.push(await runAll({ seed, clients, seconds, areAgents: what === 'agents', real }));
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
