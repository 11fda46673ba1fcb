import assert from 'node:assert/strict';
import { test } from 'node:test';
import { verifier } from '../../../sdk/verify/src/verify.ts';
import { eventually } from '../../eventually.ts';
import { FakeService } from './fake-service.ts';

test('an operator is notified once that the feed is away, and once that it is back', async (t) => {
  await using service = await FakeService.start();
  const notices: string[] = [];
  const guard = await verifier({ ...service.options, onNotice: (notice) => notices.push(notice) });
  t.after(() => guard.close());
  assert.deepEqual(notices, []);
  let attempts = 0;
  service.instead.set('/feed', (response) => {
    attempts += 1;
    response.writeHead(503).end();
  });
  const timers = () => process.getActiveResourcesInfo().filter((each) => each === 'Timeout').length;
  const before = timers();
  service.cutStreams();
  await eventually('it says so', () => notices.length > 0);
  assert.ok(timers() <= before, 'the pause keeps no program alive');
  await eventually('it has tried again', () => attempts >= 3);
  service.instead.delete('/feed');
  await eventually('it is fresh', () => guard.isFresh);
  assert.equal(service.snapshots, 1, 'it resumed where it was');
  assert.equal(notices.length, 2, notices.join('\n'));
  assert.match(notices[0] ?? '', /the revocation feed is away: /);
  assert.equal(notices[1], 'the revocation feed is back');
});

test('without a function for notices, they are warnings of the process', async (t) => {
  await using service = await FakeService.start();
  const warned: string[] = [];
  const note = ({ name, message }: Error) => void (name === 'TesseraWarning' && warned.push(message));
  process.on('warning', note);
  t.after(() => process.off('warning', note));
  const guard = await verifier(service.options);
  t.after(() => guard.close());
  service.instead.set('/feed', (response) => response.writeHead(503).end());
  service.cutStreams();
  await eventually('it says so', () => warned.some((text) => text.startsWith('the revocation feed is away: ')));
});
