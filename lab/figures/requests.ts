// What it costs to count a request and to write its log line: our own parts beside the simplest alternative, in turns in
// one process. In microseconds of processor time per request.
import { Counter, Histogram, Registry } from 'prom-client';
import type { RequestRecord } from '../../src/doors/http/request-record.ts';
import { RequestTally } from '../../src/doors/ops/request-tally.ts';
import { makeLog } from '../../src/log/log.ts';
import { requestLines } from '../../src/log/request-line.ts';
import { median } from '../quantiles.ts';
import { table } from './measure.ts';

const ROUNDS = 15;
const REQUESTS = 100_000;

const RECORD: RequestRecord = {
  operation: 'token',
  outcome: 'accepted',
  reason: undefined,
  rule: undefined,
  clientId: 'orders-reader',
  identityId: 'local:{0a1b2c3d-0000-4000-8000-00000000ada0}',
  grantId: '00112233445566778899aabbccddeeff',
};

export async function requestFigures(): Promise<void> {
  table([...compared('counted by', counting()), ...compared('log line by', logging())]);
}

type Work = (n: number) => void;

function counting(): Record<string, Work> {
  const tally = new RequestTally();
  const registers = [new Registry()];
  const labelNames = ['operation', 'outcome', 'reason'];
  const total = new Counter({ name: 'total', help: 'x', labelNames, registers });
  const duration = new Histogram({ name: 'duration', help: 'x', labelNames: ['operation'], registers });
  return {
    'request-tally': (n) => tally.add(RECORD, n % 20),
    'prom-client': (n) => {
      total.inc({ operation: RECORD.operation, outcome: RECORD.outcome, reason: RECORD.reason ?? 'none' });
      duration.observe({ operation: RECORD.operation }, (n % 20) / 1000);
    },
  };
}

function logging(): Record<string, Work> {
  const destination = { write: (line: string) => void Buffer.from(line) };
  const milliseconds = () => 1_800_000_000_000;
  const log = makeLog({ level: 'info', format: 'json', milliseconds, destination });
  const own = requestLines(log, milliseconds);
  const time = new Date(milliseconds()).toISOString();
  const request = { id: '0011223344556677', status: 200, ms: 1.234, address: '192.0.2.1' };
  const { id, status, ms, address } = request;
  return {
    'own text': () => own('info', request, RECORD),
    'JSON.stringify': () =>
      destination.write(
        `${JSON.stringify({ level: 'info', time, id, ...RECORD, status, ms, address, msg: 'request' })}\n`,
      ),
    'log.info': () => log.info({ id, ...RECORD, status, ms, address }, 'request'),
  };
}

function compared(what: string, works: Record<string, Work>): Record<string, string | number>[] {
  const took = Object.entries(works).map(([name, work]) => ({ name, work, each: [] as number[] }));
  for (const { work } of took) microseconds(work);
  for (let round = 0; round < ROUNDS; round++) for (const { work, each } of took) each.push(microseconds(work));
  return took.map(({ name, each }) => ({
    what: `${what} ${name}`,
    'median µs': median(each),
    'least µs': Math.min(...each),
  }));
}

function microseconds(work: Work): number {
  const before = process.cpuUsage();
  for (let n = 0; n < REQUESTS; n++) work(n);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / REQUESTS;
}
