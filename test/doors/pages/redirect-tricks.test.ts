// Redirect URIs that look like a registered one (RFC 9700 4.1): each is shown to the person, and nothing is sent there.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { AGENT, Program } from './asking-program.ts';
import { type RunningService, startService } from './running-service.ts';
import { type Seen, signedIn, Visitor } from './visitor.ts';

let service: RunningService;
let ada: Visitor;
before(async () => {
  service = await startService({ integrations: [AGENT] });
  ada = await signedIn(service);
});
after(() => service?.stop());

const shown = (seen: Seen) => `${seen.status} ${seen.headers.location ?? 'shown'}`;

suite('redirect tricks', () => {
  for (const uri of [
    'http://127.0.0.1:80@evil.example/callback',
    'http://ada@127.0.0.1/callback',
    'http://127.0.0.1.evil.example/callback',
    'http://127.0.0.1:43210/callback#',
    'http://127.0.0.1:43210/callback#x',
    'http://127.0.0.1:43210/callback/',
    'http://127.0.0.1:43210/callback/../evil',
    'http://127.0.0.1:43210/callback?code=x',
    'http://127.0.0.1:43210/Callback',
    'http://127.0.0.1:43210\\@evil.example/callback',
    'http://127.0.0.1:99999/callback',
    'http://127.0.0.1:/callback',
    'http://127.1:43210/callback',
    'http://localhost:43210/callback',
    'http://2130706433/callback',
    'https://127.0.0.1/callback',
    'https://app.example:443/back?from=tessera',
    'https://app.example/back',
    'https://app.example/back?from=tessera&',
    'https://APP.example/back?from=tessera',
    'https://app.example@evil.example/back?from=tessera',
    'https://аpp.example/back?from=tessera', // a Cyrillic а
    'https://app.example.evil.example/back?from=tessera',
    'javascript:alert(1)',
    '//evil.example/callback',
    '',
  ]) {
    test(`redirect trick: ${JSON.stringify(uri)} is shown to the person, never redirected [RFC 9700 4.1]`, async () => {
      for (const visitor of [ada, new Visitor(service)])
        assert.equal(shown(await visitor.get(new Program(service, uri).path())), '400 shown');
    });
  }
});
