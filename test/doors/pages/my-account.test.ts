// What a person can see and revoke under /account.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { poll, startCode } from './calling-device.ts';
import { type RunningService, startService } from './running-service.ts';
import { signedIn } from './visitor.ts';

let service: RunningService;
before(async () => {
  service = await startService();
});
after(() => service.stop());

suite('my grants', () => {
  test('two grants of one integration, obtained in the same minute, can be told apart', async () => {
    const ada = await signedIn(service);
    const confirm = async () => {
      const code = await startCode(service);
      await ada.post(`${await ada.enterCode(code.userCode)}/confirm`);
      await poll(service, code);
    };
    await confirm();
    await confirm();
    const { text } = await ada.get('/account');
    const cards = text.split('class="card grant"').slice(1);
    assert.ok(cards.length >= 2);
    const ids = cards.map((card) => /<dt>Id, [^<]*<\/dt><dd[^>]*>([0-9a-f]{32})<\/dd>/.exec(card)?.[1]);
    assert.equal(new Set(ids).size, cards.length);
    for (const [at, card] of cards.entries()) {
      assert.ok(card.includes(`/account/grants/${ids[at]}/revoke`), 'the button ends the grant of this id');
      assert.match(card, /aria-label="Revoke: the grant of [^"]+, obtained \d+ \w+ \d+, [0-9:]+ UTC"/);
    }
  });

  test('twenty-five grants make two pages, and revoking all ends them all', async () => {
    const ada = await signedIn(service);
    await ada.get('/account');
    await ada.post('/account/grants/revoke');
    for (let count = 0; count < 25; count++) {
      const code = await startCode(service);
      await ada.post(`${await ada.enterCode(code.userCode)}/confirm`);
      await poll(service, code);
    }
    const page = async (query: string) => {
      const { text } = await ada.get(`/account${query}`);
      const links = [...text.matchAll(/href="\/account(\?page=\d+)"/g)].map(([, link]) => link);
      return [text.split('class="card grant"').length - 1, ...links];
    };
    for (const first of ['', '?page=1', '?page=0', '?page=-1', '?page=1.5', '?page=x'])
      assert.deepEqual(await page(first), [20, '?page=2'], first);
    assert.deepEqual(await page('?page=2'), [5, '?page=1']);
    assert.match((await ada.get('/account')).text, /25 grants act in your name/);
    assert.equal((await ada.post('/account/grants/revoke')).headers.location, '/account?done=revoked-all');
    assert.match((await ada.get('/account')).text, /Nothing acts in your name/);
  });

  test('recent events are the person’s own, newest first', async () => {
    const ada = await signedIn(service);
    const { text } = await ada.get('/account');
    const [atOnce, older] = text.split(/<details class="older"><summary>[^<]* \(15\)<\/summary>/);
    assert.deepEqual(
      [atOnce, older].map((part) => part?.match(/class="event-what"/g)?.length),
      [5, 15],
    );
    assert.match(text, /Grant revoked<\/span> <span class="small">by you/);
    const bob = await signedIn(service, 'bob');
    assert.match((await bob.get('/account')).text, /Nothing has happened yet/);
  });
});
