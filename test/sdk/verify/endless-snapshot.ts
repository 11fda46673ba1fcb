// A snapshot of the feed that a verifier gives up, and takes again later.
import { test } from 'node:test';
import { verifier } from '../../../sdk/verify/src/verify.ts';
import { eventually } from '../../eventually.ts';
import { FakeService } from './fake-service.ts';

/** `next`: the next page that each of them names. */
export function givenUp(name: string, next: (count: number) => string): void {
  test(`a snapshot that ${name} is given up, and taken again later`, async (t) => {
    const service = await FakeService.start();
    t.after(() => service.leave());
    const notices: string[] = [];
    let count = 0;
    service.instead.set('/feed', (response) => {
      count += 1;
      response.writeHead(200).end(JSON.stringify({ cursor: 'c0', entries: [], next: next(count) }));
    });
    const starting = verifier({ ...service.options, onNotice: (notice) => notices.push(notice) });
    await eventually('the verifier gives up', () => /snapshot has no end/.test(notices[0] ?? ''));
    service.instead.delete('/feed');
    const guard = await starting;
    t.after(() => guard.close());
    await eventually('the feed is read', () => guard.isFresh && service.followers === 1);
  });
}
