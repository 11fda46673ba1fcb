// What each door answers when the service cannot do its work: its own format, 503 with Retry-After, and no details.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { Overloaded } from '../../src/core/faults.ts';
import { OutcomeUnknown, type Store, StoreUnavailable } from '../../src/store/store.ts';
import { identities } from '../../src/store/tables/identities.ts';
import { secretFor } from '../doors/scim/pushing-service.ts';
import { anIdentity, anIntegration, scopeOf } from '../samples.ts';
import { type Answer, bearer, type Caller, form, json, type Question } from './caller.ts';
import { postForm } from './oauth-steps.ts';
import { clientId, startService, type TestService } from './service.ts';
import { CLIENT, pairByCertificate, TOKEN } from './steps.ts';

let trouble: Error | undefined;

/** Every query of the doors fails while there is trouble. */
function troubled(real: Store): Store {
  const queries = ['load', 'find', 'page', 'change', 'changeAll', 'create', 'now'];
  const failing = <F extends (...given: never[]) => Promise<unknown>>(query: F) =>
    ((...given) => (trouble ? Promise.reject(trouble) : query(...given))) as F;
  const all = Object.entries(real).map(([name, value]) => [name, queries.includes(name) ? failing(value) : value]);
  return Object.fromEntries(all) as Store;
}

/** By door: the type of its refusals, and where their words are. */
const DOORS = {
  authsvc: ['application/json', ({ json }) => `${json['Error']}: ${json['Error_description']}`],
  oauth: ['application/json', ({ json }) => `${json['error']}: ${json['error_description']}`],
  admin: ['application/problem+json', ({ json }) => `${json['status']} ${json['reason']}: ${json['detail']}`],
  scim: ['application/scim+json', ({ text }) => text],
  pages: ['text/html', headingOf],
  console: ['text/html', headingOf],
} as const satisfies Readonly<Record<string, readonly [type: string, words: (answer: Answer) => string]>>;
type DoorName = keyof typeof DOORS;

function headingOf({ text }: Answer): string {
  return /<h1[^>]*>([^<]*)/.exec(text)?.[1] ?? '';
}

interface Expected {
  readonly status: number;
  /** What programs read, at every door for them. */
  readonly text: string;
  /** Of `/oauth2` (RFC 6749 5.2), and of the admin door. */
  readonly error: string;
  readonly reason: string;
  /** What people read. */
  readonly heading: string;
}

/** RFC 7644 3.12: the status is a text. */
const scimError = (status: number, detail: string) =>
  `{"schemas":["urn:ietf:params:scim:api:messages:2.0:Error"],"status":"${status}","detail":"${detail}"}`;

function assertAnswered(door: DoorName, answer: Answer, { status, text, error, reason, heading }: Expected): void {
  const inWords: Readonly<Record<DoorName, string>> = {
    authsvc: `invalid_request: ${text}`,
    oauth: `${error}: ${text}`,
    admin: `${status} ${reason}: ${text}`,
    scim: scimError(status, text),
    ...{ pages: heading, console: heading },
  };
  const [type, wordsOf] = DOORS[door];
  const words = wordsOf(answer).replace(/ Request [0-9a-f]{16}\.$/, '');
  assert.deepEqual(
    [answer.status, answer.headers['content-type'], words],
    [status === 500 && door === 'authsvc' ? 400 : status, `${type}; charset=utf-8`, inWords[door]],
  );
  assert.match(String(answer.headers['request-id']), /^[0-9a-f]{16}$/);
  assert.doesNotMatch(answer.text, /injected/);
}

const UNAVAILABLE = 'The service is not available right now';
const AGAIN: Readonly<Record<string, readonly [error: Error, text: string, reason: string, heading: string]>> = {
  'an overload': [
    new Overloaded('injected'),
    'The service is overloaded. Nothing was changed. Ask again.',
    'overloaded',
    UNAVAILABLE,
  ],
  'a store that is away': [
    new StoreUnavailable('injected'),
    'The service cannot reach its store. This request changed nothing. Ask again.',
    'store-unavailable',
    UNAVAILABLE,
  ],
  'a commit that may have happened': [
    new OutcomeUnknown('injected'),
    'The store failed while changes were being written: they may have been made or not. Ask exactly the same again.',
    'outcome-unknown',
    'It is not known whether this worked',
  ],
};

suite('each door', () => {
  let service: TestService;
  let caller: Caller;
  let asked: Readonly<Record<DoorName, Question>>;
  let large: Readonly<Record<DoorName, Question>>;

  before(async () => {
    const directory = { label: 'corp', kind: 'oidc', issuer: 'https://login.example', clientId: 'tessera' };
    service = await startService({
      settings: { directories: [{ ...directory, scim: { integration: 'corp-scim' } }] },
      issuers: [{ directories: ['local'] }],
      store: troubled,
    });
    caller = service.caller(service.ada);
    await service.put(identities, anIdentity({ groups: ['operators'] }));
    const { access_token, refresh_token } = await pairByCertificate(caller);
    const flows = { device: false, certificate: true };
    await service.register(anIntegration({ clientId: clientId('operators'), scope: scopeOf('tessera:manage'), flows }));
    const operator = { client_id: 'operators', scope: 'tessera:manage', grant_type: 'client_credentials' };
    const { json: granted } = await postForm(caller, '/oauth2/token', operator);
    const byOperator = bearer(String(granted['access_token']));
    const byDirectory = bearer(await secretFor(service, 'corp-scim'));
    const inBrowser = { headers: { accept: 'text/html', cookie: `__Host-tessera=${'A'.repeat(43)}=` } };
    const refresh = form({ client_id: CLIENT, grant_type: 'refresh_token', refresh_token });
    asked = {
      authsvc: { path: '/authsvc/Authorize/Verify', ...bearer(access_token), method: 'GET' },
      oauth: { path: '/oauth2/token', ...refresh },
      admin: { path: '/admin/v1/integrations', ...byOperator, method: 'GET' },
      scim: { path: '/scim/v2/corp/Users', ...byDirectory, method: 'GET' },
      pages: { path: '/account', ...inBrowser },
      console: { path: '/console', ...inBrowser },
    };
    const sent = (path: string, { headers }: Partial<Question> = {}, method = 'POST') => {
      return { method, path, body: ' ', headers: { ...headers, 'content-length': '9000000' } };
    };
    large = {
      authsvc: sent(TOKEN, json({})),
      oauth: sent('/oauth2/token', form({})),
      admin: sent('/admin/v1/integrations/new', byOperator, 'PUT'),
      scim: sent('/scim/v2/corp/Users', byDirectory),
      pages: sent('/device', inBrowser),
      console: sent('/console/sign-in', inBrowser),
    };
  });
  after(async () => {
    caller.close();
    await service.stop();
  });

  const answers = async (questions: typeof asked, expected: Expected, error?: Error) => {
    const answered = new Map<DoorName, Answer>();
    trouble = error;
    for (const door of Object.keys(DOORS) as DoorName[]) answered.set(door, await caller.ask(questions[door]));
    trouble = undefined;
    for (const [door, answer] of answered) assertAnswered(door, answer, expected);
    return answered;
  };

  for (const [what, [error, text, reason, heading]] of Object.entries(AGAIN))
    test(`answers ${what} with 503 and Retry-After, in its own words [spec-gaps: Departures]`, async () => {
      const expected = { status: 503, text, error: 'temporarily_unavailable', reason, heading };
      for (const { headers } of (await answers(asked, expected, error)).values())
        assert.equal(headers['retry-after'], '1');
    });

  test('answers a fault without its details: 500, at authsvc 400 [contract 7.1]', async () => {
    const text = 'An internal error occurred.';
    const expected = { status: 500, text, error: 'server_error', reason: 'fault', heading: 'Something broke' };
    await answers(asked, expected, new TypeError('injected'));
  });

  test('answers a body that is too large with 413, in its own words', async () => {
    const text = 'The body is too large, or in too many parts.';
    const heading = 'The form could not be read';
    await answers(large, { status: 413, text, error: 'invalid_request', reason: 'body-too-large', heading });
  });
});
