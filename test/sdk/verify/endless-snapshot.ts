// A snapshot of the feed that a verifier gives up, and takes again later.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifier } from '../../../sdk/verify/src/verify.ts';
import { eventually } from '../../eventually.ts';
import { FakeService } from './fake-service.ts';

/** `pages`: how many it reads; `next`: the next page that each of them names. */
export function givenUp(name: string, pages: number, next: (count: number) => string): void {
  test(`a snapshot that ${name} is given up, and taken again later`, async (t) => {
    await using service = await FakeService.start();
    const notices: string[] = [];
    let count = 0;
    service.instead.set('/feed', (response) => {
      count += 1;
      response.writeHead(200).end(JSON.stringify({ cursor: 'c0', entries: [], next: next(count) }));
    });
    const starting = verifier({ ...service.options, onNotice: (notice) => notices.push(notice) });
    await eventually('the verifier gives up', () => /snapshot has no end/.test(notices[0] ?? ''));
    assert.equal(count, pages);
    service.instead.delete('/feed');
    const guard = await starting;
    t.after(() => guard.close());
    await eventually('the feed is read', () => guard.isFresh && service.followers === 1);
  });
}
