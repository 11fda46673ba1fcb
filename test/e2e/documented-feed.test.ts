// The session in docs/revocation-feed.md is one that happened. UPDATE_TRANSCRIPT=1 writes it anew.
// Only in test:all: documents as printed
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '../eventually.ts';
import { given } from '../given.ts';
import { reachOf } from './caller.ts';
import { type Follower, followFeed } from './feed-follower.ts';
import { AUTH, FEED, startFeed } from './feed-scene.ts';

const PAGE = join(import.meta.dirname, '../../docs/revocation-feed.md');
const SESSION = /(?<=## A recorded session\n[^`]*```\n)[^`]*(?=```)/;

const feed = given(() => startFeed());

test('the recorded session of the page is what a follower sends and receives', async () => {
  const lines: string[] = [];
  const send = (...sent: readonly string[]) => lines.push(...sent.map((line) => `> ${line}`), '');
  const receive = (text: string) => lines.push(...withoutRepeats(text).trimEnd().split('\n'), '');
  const open = async (cursor: string): Promise<Follower> => {
    const follower = await followFeed(reachOf(feed), { ...AUTH, 'last-event-id': cursor });
    send(`GET ${FEED}`, 'Accept: text/event-stream', `Last-Event-ID: ${cursor}`);
    return follower;
  };
  const { cursor, audience, entries } = await feed.snapshot();
  send(`GET ${FEED}`);
  const [integration] = entries.filter((entry) => entry['client_id'] === 'orders-sync');
  assert.ok(integration);
  receive(`${JSON.stringify({ cursor, audience, entries: [integration, '…'] }).replace('"…"', '…')}`);
  const first = await open(cursor);
  await eventually('it has caught up', () => first.text.includes('caught-up'));
  await feed.endedGrant();
  await eventually('the grant is in it', () => first.entries.some((entry) => entry['type'] === 'grant'));
  receive(/^.*"grant".*?\n/s.exec(first.text)?.[0] ?? '');
  first.close();
  await feed.endedGrant();
  const second = await open(first.cursor ?? '');
  await eventually('it has caught up', () => second.text.includes('caught-up'));
  receive(second.text);
  second.close();
  const recorded = readable(lines.join('\n'));
  const page = readFileSync(PAGE, 'utf8');
  if (process.env['UPDATE_TRANSCRIPT'] === '1')
    writeFileSync(
      PAGE,
      page.replace(SESSION, () => recorded),
    );
  else assert.equal(SESSION.exec(page)?.[0], recorded);
});

/** `caught-up` is sent every half second: the page shows it once. */
function withoutRepeats(text: string): string {
  return text.replace(/(event: caught-up\n.*\n\n)+/g, '$1');
}

/** What differs from run to run, by the order of its first use. */
function readable(text: string): string {
  const named = (pattern: RegExp, name: (n: number) => string) => {
    const seen: string[] = [];
    return (from: string) =>
      from.replace(pattern, (found) => {
        if (!seen.includes(found)) seen.push(found);
        return name(seen.indexOf(found) + 1);
      });
  };
  const cursors = named(/1\.\d+-[0-9a-f]{16}-[0-9a-f]{16}/g, (n) => `1.${1040 + n}-${String(n).repeat(4)}…-77aa…`);
  const grants = named(/(?<="grant":")[0-9a-f]{32}/g, (n) => `018f…${n}`);
  const times = named(/(?<="keep_until":)\d+/g, () => '1800086700');
  const ends = named(/(?<="until":)-?\d+/g, () => '12');
  return [cursors, grants, times, ends].reduce((from, change) => change(from), text);
}
