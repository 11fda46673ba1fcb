// How every door of authsvc reads a body: content types, charsets, and the form of each parameter [spec-gaps: All doors].
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { given } from '../given.ts';
import { form, json, PROTOCOLS } from './caller.ts';
import { startService } from './service.ts';
import { assertRefused, CERTIFICATE, CLIENT, DEVICE, pairByCertificate, SCOPE, TOKEN } from './steps.ts';

const POSTED = [TOKEN, CERTIFICATE, DEVICE];
const PARAMETERS = { client_id: CLIENT, scope: SCOPE };

for (const protocol of PROTOCOLS) {
  suite(`parameters over ${protocol}`, () => {
    const service = given(() => startService());
    const caller = given(() => service.caller(service.ada, protocol));

    test('a missing or unsupported Content-Type is 400 [spec-gaps: All doors]', async () => {
      const body = JSON.stringify(PARAMETERS);
      for (const path of POSTED) {
        for (const type of [
          undefined,
          'text/plain',
          'application/jsonp',
          'multipart/form-data',
          '*/*',
          'json',
          ';',
          '',
        ]) {
          const headers = type === undefined ? {} : { 'content-type': type };
          const answer = await caller.ask({ method: 'POST', path, headers, body });
          assertRefused(answer, 400, 'invalid_request', /Content-Type/);
        }
      }
    });

    test('the only accepted charset is utf-8, in any spelling [spec-gaps: All doors]', async () => {
      const ask = (type: string) =>
        caller.ask({
          method: 'POST',
          path: CERTIFICATE,
          headers: { 'content-type': type },
          body: JSON.stringify(PARAMETERS),
        });
      for (const good of [
        'application/json; charset=utf-8',
        'Application/JSON;charset="UTF-8"',
        'application/json;q=1',
      ])
        assert.equal((await ask(good)).status, 200, good);
      for (const bad of [
        'application/json; charset=iso-8859-1',
        'application/json; charset=utf-16',
        'application/json; charset=',
      ])
        assertRefused(await ask(bad), 400, 'invalid_request');
    });

    test('a duplicate form parameter is refused [spec-gaps: Authorize/Token]', async () => {
      for (const path of [TOKEN, DEVICE]) {
        for (const first of [CLIENT, '']) {
          const twice = form(`client_id=${first}&client_id=${CLIENT}`);
          assertRefused(await caller.ask({ path, ...twice }), 400, 'invalid_request', /twice/);
        }
      }
    });

    test('a body that is not a JSON object is refused [spec-gaps: Authorize/Token]', async () => {
      for (const body of [
        '',
        ' ',
        '{',
        '[]',
        '"x"',
        'null',
        '1',
        '{"client_id":"x"',
        '{"a":1}{"a":1}',
        'client_id=x',
      ]) {
        for (const path of POSTED) {
          const answer = await caller.ask({
            method: 'POST',
            path,
            headers: { 'content-type': 'application/json' },
            body,
          });
          assertRefused(answer, 400, 'invalid_request', /could not be read/);
        }
      }
    });

    test('an empty parameter counts as missing, and an empty form lacks client_id [spec-gaps: Authorize/Token]', async () => {
      for (const fields of ['', 'client_id=', 'client_id=&scope=x'])
        assertRefused(
          await caller.ask({ path: DEVICE, ...form(fields) }),
          400,
          'invalid_request',
          /client_id is missing/,
        );
      const empty = { client_id: CLIENT, scope: '' };
      assertRefused(await caller.ask({ path: CERTIFICATE, ...json(empty) }), 400, 'invalid_scope', /missing/);
      assertRefused(
        await caller.ask({ path: CERTIFICATE, ...json({ client_id: '' }) }),
        400,
        'invalid_request',
        /missing/,
      );
      const { refresh_token } = await pairByCertificate(caller);
      const given = { client_id: CLIENT, grant_type: '', device_code: '', refresh_token };
      assert.equal((await caller.ask({ path: TOKEN, ...json(given) })).status, 200);
    });

    test('a body has at most 100 parameters, known and unknown [spec-gaps: All doors]', async () => {
      const unknown = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x${n}`, '1']));
      for (const body of [json, form]) {
        const ask = (count: number) => caller.ask({ path: DEVICE, ...body({ ...PARAMETERS, ...unknown(count) }) });
        assert.equal((await ask(98)).status, 200);
        assertRefused(await ask(99), 413, 'invalid_request');
      }
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      const body = `&${'x=1&'.repeat(99)}`; // empty ones count as well
      assertRefused(
        await caller.ask({ method: 'POST', path: DEVICE, headers, body: `${body}y=1` }),
        413,
        'invalid_request',
      );
    });

    test('unknown parameters are ignored, including __proto__ and constructor [spec-gaps: Authorize/Token]', async () => {
      const body = `{"__proto__":{"client_id":"x"},"constructor":{"prototype":{"scope":1}},"extra":[1],"client_id":"${CLIENT}","scope":"${SCOPE}"}`;
      const headers = { 'content-type': 'application/json' };
      assert.equal((await caller.ask({ method: 'POST', path: CERTIFICATE, headers, body })).status, 200);
      const inherited = '{"__proto__":{"client_id":"orders-sync","scope":"orders:read"}}';
      const answer = await caller.ask({ method: 'POST', path: CERTIFICATE, headers, body: inherited });
      assertRefused(answer, 400, 'invalid_request', /client_id is missing/);
      assert.equal(({} as Record<string, unknown>)['client_id'], undefined, 'no prototype was touched');
    });

    test('client_id has 1 to 128 visible characters; anything else is unknown [spec-gaps: All doors]', async () => {
      for (const strange of [
        'x'.repeat(129),
        'orders sync',
        'ordérs',
        'orders-sync\n',
        '\u0000',
        "' OR 1=1 --",
        '\ud800',
      ])
        assertRefused(
          await caller.ask({ path: DEVICE, ...json({ client_id: strange, scope: SCOPE }) }),
          400,
          'invalid_grant',
        );
    });

    test('scope has at most 4 KiB [spec-gaps: All doors]', async () => {
      const long = (length: number) => `orders:read${',read'.repeat(1000)}`.slice(0, length);
      const [most, more] = [`${long(4091)},read`, `${long(4091)},readd`];
      assert.deepEqual([most.length, more.length], [4096, 4097]);
      assert.equal((await caller.ask({ path: DEVICE, ...json({ client_id: CLIENT, scope: most }) })).status, 200);
      const answer = await caller.ask({ path: DEVICE, ...json({ client_id: CLIENT, scope: more }) });
      assertRefused(answer, 400, 'invalid_scope', /malformed/);
    });
  });
}
