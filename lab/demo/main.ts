// npm run demo -- lost-answers [--seeds 1,2,3] [--seconds 60] [--clients 50] [--svg FILE]
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { chart } from './chart.ts';
import { CONTESTANTS } from './contestants.ts';
import { type Result, runOne } from './run.ts';
import { showLive, table } from './show.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    seeds: { type: 'string', default: '1' },
    seconds: { type: 'string', default: '60' },
    clients: { type: 'string', default: '50' },
    svg: { type: 'string', default: 'lost-answers.svg' },
    help: { type: 'boolean', default: false },
  },
});
const HELP = `npm run demo -- lost-answers [--seeds 1] [--seconds 60] [--clients 50] [--svg lost-answers.svg]

50 clients refresh their tokens through a proxy that loses one answer in eight, cuts connections and doubles requests, while
the server is killed every few seconds. Tessera and oidc-provider run one after the other, with the same faults.
`;

if (positionals[0] !== 'lost-answers' || values.help) {
  console.log(HELP);
  process.exitCode = values.help ? 0 : 1;
} else {
  const results: Result[][] = [];
  for (const seed of values.seeds.split(',').map(Number)) results.push(await runAll(seed));
  writeFileSync(values.svg, chart(results.at(-1) ?? [], Number(values.seconds)));
  console.log(`\nThe picture of the last run: ${values.svg}`);
  const isBroken = results.some(([tessera]) => !tessera || tessera.loggedOut + tessera.forked > 0);
  process.exitCode = isBroken || results.some(([ours]) => (ours?.workedAfterRevocation ?? 0) > 0) ? 1 : 0;
}

async function runAll(seed: number): Promise<Result[]> {
  const conditions = { seed, clients: Number(values.clients), seconds: Number(values.seconds) };
  const results: Result[] = [];
  for (const start of CONTESTANTS) {
    const live = showLive(conditions);
    results.push(await runOne(start, conditions, (progress) => live.follow(progress)));
    live.stop();
  }
  console.log(table(results, conditions));
  return results;
}
