import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ClientUrl } from '../../src/core/client-document.ts';
import type { Grant } from '../../src/core/grant.ts';
import { accept } from '../../src/core/outcome.ts';
import { presenter } from '../../src/core/presenter.ts';
import { decideRefresh, type RefreshFacts } from '../../src/core/rules/refresh.ts';
import { marked, supersededAt, withProgram } from '../../src/core/rules/siblings.ts';
import { weakeningsOf } from '../../src/core/rules/weakening.ts';
import { DEFAULT_SETTINGS } from '../../src/core/settings.ts';
import { epochSeconds, seconds } from '../../src/core/time.ts';
import { aGrant, anIdentity, anIntegration, hexOf, NOW } from '../samples.ts';
import { Seeded } from '../seeded.ts';

const at = (moment: number) => epochSeconds(moment);
const HOUR = 3600;
const DAY = 24 * HOUR;
const { pair } = aGrant();
/** Of an hour ago, and with a token that has another hour left. */
const grant = aGrant({
  pair: { ...pair, generation: 9, issuedAt: at(NOW), expiresAt: at(NOW + 2 * HOUR) },
  refreshUntil: at(NOW + 300 * DAY),
});
const LIFETIME = { accessTokenLifetime: seconds(2 * HOUR) };
const withWindow = (window: number) =>
  anIntegration({ overrides: { ...LIFETIME, refreshSiblingWindow: seconds(window) } });

type Difference = Partial<Omit<RefreshFacts, 'now'>> & { later?: number };

function decide({ later = HOUR, ...rest }: Difference) {
  return decideRefresh({
    integration: anIntegration({ overrides: LIFETIME }),
    grant,
    standing: () => 'ancestor',
    generation: 3,
    holder: anIdentity(),
    caller: undefined,
    limit: undefined,
    settings: DEFAULT_SETTINGS,
    outages: [],
    loss: 'explained',
    now: at(NOW + later),
    ...rest,
  });
}

function what(difference: Difference): string {
  const decision = decide(difference);
  return 'spent' in decision ? `${decision.do} ${decision.spent?.sibling}` : decision.do;
}

const marks = { since: 6, at: at(NOW - 5 * HOUR), before: { since: 3, until: at(NOW - 6 * HOUR) } };
const known: Grant = { ...grant, siblings: { marks } };

test('without a window or a key, a token from before the last one is a reuse', () => {
  assert.equal(what({}), 'end');
  assert.equal(what({ generation: 8, standing: () => 'last-spent' }), 'end');
  assert.equal(what({ grant: known }), 'end');
});

test('a window counts from when the presented generation was superseded, as the marks of the row know it', () => {
  const inWindow = (generation: number, later: number) =>
    what({ grant: known, integration: withWindow(8 * HOUR), generation, later: later * HOUR });
  assert.deepEqual([inWindow(5, 1), inWindow(7, 1)], ['repeat in-window', 'repeat in-window']);
  assert.deepEqual([inWindow(5, 8), inWindow(5, 9)], ['rotate in-window', 'end']);
  assert.deepEqual([inWindow(2, 2), inWindow(2, 3)], ['rotate in-window', 'end'], 'two hours and six before');
  assert.equal(inWindow(1, 0), 'end', 'longer ago than both stretches');
});

test('a row without marks knows when its last generation was superseded, and no earlier one', () => {
  const integration = withWindow(8 * HOUR);
  assert.equal(what({ integration, generation: 8, standing: () => 'last-spent' }), 'repeat in-window');
  assert.equal(what({ integration, generation: 7 }), 'end');
});

test('a window is never shorter than the life of an access token: programs come back when theirs expires', () => {
  const integration = withWindow(60);
  assert.equal(what({ grant: known, integration, generation: 7, later: 2 * HOUR }), 'rotate in-window');
  assert.equal(what({ grant: known, integration, generation: 7, later: 2 * HOUR + 1 }), 'end');
});

test('an outage extends the window, and outages are loaded only for a token that would count as reused', () => {
  const integration = withWindow(8 * HOUR);
  const outages = [{ silentFrom: at(NOW + 7 * HOUR), answeringSince: at(NOW + 20 * HOUR) }];
  const facts = { grant: known, integration, generation: 7, later: 27 * HOUR };
  assert.deepEqual([what(facts), what({ ...facts, outages })], ['end', 'rotate in-window']);
  assert.equal(what({ ...facts, outages: 'not-loaded' }), 'load-outages');
  assert.equal(what({ ...facts, outages: 'not-loaded', later: HOUR }), 'repeat in-window');
});

test('guests by their document have a week, unless the integration sets a window; the setting of the server can be longer', () => {
  const origin = { kind: 'code', guest: 'https://agents.example/client.json' as ClientUrl } as const;
  const guest = { grant: { ...known, origin }, guest: origin.guest, generation: 7 };
  assert.deepEqual(
    [what({ ...guest, later: 7 * DAY }), what({ ...guest, later: 7 * DAY + 1 })],
    ['rotate in-window', 'end'],
  );
  assert.equal(what({ ...guest, integration: withWindow(0) }), 'end');
  assert.equal(what({ ...guest, integration: withWindow(HOUR), later: DAY }), 'end');
  const settings = { ...DEFAULT_SETTINGS, refreshSiblingWindow: seconds(8 * DAY) };
  assert.equal(what({ ...guest, settings, later: 8 * DAY }), 'rotate in-window');
  assert.equal(what({ grant: known, generation: 7, settings, later: 8 * DAY }), 'rotate in-window');
});

suite('without a window, whoever proves a key with the refresh is answered, however old the token', () => {
  const mark = { certificate: hexOf(16, 1), issuerKey: hexOf(16, 2), key: hexOf(32, 3) };
  const certified = { ...grant, origin: { kind: 'certificate', certificate: mark } } as const;
  const caller = accept({ identity: anIdentity(), mark, thumbprint: hexOf(32, 7) });
  const bound = (binding: 'certificate' | 'identity') => anIntegration({ binding, overrides: LIFETIME });
  const later = 100 * DAY;

  test('a certificate', () => {
    const bindings = [{ since: 0, thumbprint: hexOf(32, 7) }];
    const own = { ...certified, bindings };
    assert.equal(what({ grant: own, caller, integration: bound('certificate') }), 'repeat by-key');
    assert.equal(what({ grant: own, caller, integration: bound('certificate'), later }), 'rotate by-key');
    assert.equal(what({ grant: certified, caller, integration: bound('identity') }), 'repeat by-key');
  });

  test('with another certificate than today’s pair is bound to, it gets a pair of its own certificate', () => {
    const others = { ...certified, bindings: [{ since: 0, thumbprint: hexOf(32, 9) }] };
    const decision = decide({ grant: others, caller, integration: bound('identity') });
    assert.equal(decision.do === 'rotate' && decision.bindTo, hexOf(32, 7));
  });

  test('DPoP', () => {
    const terms = { jkt: 'key' };
    const proven = { isAuthenticated: false, jkt: 'key' };
    assert.equal(what({ grant: { ...grant, terms }, proven, later }), 'rotate by-key');
    assert.equal(what({ grant: { ...grant, terms }, proven: { ...proven, jkt: 'other' } }), 'refuse');
  });

  test('client authentication, but not an integration that merely is confidential', () => {
    const integration = anIntegration({ confidential: true, overrides: LIFETIME });
    assert.equal(what({ integration, proven: { isAuthenticated: true, jkt: undefined }, later }), 'rotate by-key');
    assert.equal(what({ integration, proven: undefined }), 'end', 'at /authsvc, where nobody authenticates');
  });

  test('but a token from which the pair of the row cannot be derived stays a reuse', () => {
    const proven = { isAuthenticated: true, jkt: undefined };
    assert.equal(what({ proven, standing: () => 'spent' }), 'end');
  });
});

test('with less than a quarter of a life left, the pair is renewed, unless a new one would not live longer', () => {
  const integration = withWindow(8 * HOUR);
  const facts = { grant: known, integration, generation: 7 };
  assert.equal(what({ ...facts, later: 1.5 * HOUR }), 'repeat in-window');
  assert.equal(what({ ...facts, later: 1.5 * HOUR + 1 }), 'rotate in-window');
  const ending = { ...known, refreshUntil: known.pair.expiresAt };
  assert.equal(what({ ...facts, grant: ending, later: 1.9 * HOUR }), 'repeat in-window');
});

test('a retry in its own window gets the same pair, however little is left of it', () => {
  const brief = { ...known, pair: { ...known.pair, expiresAt: at(NOW + 61) } };
  const facts = {
    grant: brief,
    integration: withWindow(8 * HOUR),
    generation: 8,
    standing: () => 'last-spent' as const,
  };
  assert.deepEqual(
    [what({ ...facts, later: 60 }), what({ ...facts, later: 61 })],
    ['repeat in-window', 'rotate in-window'],
  );
});

test('onReuse: report and a retry window of 0 change nothing inside the window for siblings; outside, reuse is reported', () => {
  const overrides = { ...withWindow(8 * HOUR).overrides, onReuse: 'report', refreshRetryWindow: seconds(0) } as const;
  const facts = { grant: known, integration: anIntegration({ overrides }) };
  assert.equal(what({ ...facts, generation: 8, standing: () => 'last-spent' }), 'repeat in-window');
  assert.equal(what({ ...facts, generation: 1 }), 'report-reuse');
});

test('a longer window is named as a weakening, with its price', () => {
  const overrides = (window?: number, life?: number) => ({
    ...(window !== undefined && { refreshSiblingWindow: seconds(window) }),
    ...(life !== undefined && { accessTokenLifetime: seconds(life) }),
  });
  const warning = (before: object, after: object) => weakeningsOf([['overrides', { before, after }]]).join();
  const says = (before?: number, after?: number) => warning(overrides(before), overrides(after));
  assert.match(says(undefined, 60), /^Earlier refresh tokens .* a thief .* will share the login, undetected\.$/);
  assert.match(says(60, 61), /a thief/);
  assert.deepEqual([says(61, 60), says(undefined, 0), says()], ['', '', '']);
  assert.match(says(0, undefined), /a thief/, 'guests get their week back');
  assert.match(says(7 * DAY - 1, undefined), /a thief/);
  assert.equal(says(7 * DAY, undefined), '');
  assert.match(warning(overrides(60, HOUR), overrides(60, DAY)), /a thief/, 'at least the life of an access token');
  assert.equal(warning(overrides(60, HOUR), overrides(120, HOUR)), '');
  assert.equal(warning(overrides(0, HOUR), overrides(0, DAY)), '');
  assert.equal(warning(overrides(undefined, HOUR), overrides(undefined, 30 * DAY)), '', 'no window is set');
});

test('every other check of a refresh holds for siblings', () => {
  const integration = withWindow(8 * HOUR);
  const refused = (difference: Difference) => {
    const decision = decide({ grant: known, integration, generation: 7, ...difference });
    return decision.do === 'refuse' && decision.refusal.reason;
  };
  assert.equal(refused({ holder: anIdentity({ enabled: false }) }), 'identity-disabled');
  assert.equal(refused({ limit: { reason: 'rate-limited' } }), 'rate-limited');
  assert.equal(refused({ wantedScope: 'orders:write' }), 'scope-exceeds-grant');
});

test('over any history of refreshes, the marks refuse nothing within the window, and nothing is answered after twice its time', () => {
  const chance = new Seeded(68);
  const window = seconds(1000);
  for (let history = 0; history < 300; history++) {
    const pace = chance.pick([3, 100, 900, 3000]);
    const superseded: number[] = [];
    let row = { ...grant, pair: { ...pair, generation: 0, issuedAt: at(NOW) } };
    for (let n = 0; n < 60; n++) {
      const now = at(row.pair.issuedAt + 1 + chance.below(pace));
      superseded.push(now);
      row = marked({ ...row, pair: { ...row.pair, generation: n + 1, issuedAt: now } }, row, window, now);
      const moment = now + chance.below(2 * pace);
      for (const [generation, since] of superseded.entries()) {
        const latest = supersededAt(generation, row);
        const isAnswered = latest !== undefined && moment - latest <= window;
        assert.ok(isAnswered || moment - since > window, `refused ${moment - since} s after it was superseded`);
        assert.ok(!isAnswered || moment - since < 2 * window, `answered ${moment - since} s after it was superseded`);
      }
    }
  }
});

test('the marks go when the window is turned off, and nothing is noted without one', () => {
  assert.equal('siblings' in marked(grant, grant, seconds(0), at(NOW + 9)), false);
  assert.equal('siblings' in marked(known, known, seconds(0), at(NOW + 9)), false);
  const used = withProgram(known, presenter('203.0.113.9', 'other'), at(NOW + 8));
  assert.deepEqual(Object.keys(marked(used, used, seconds(0), at(NOW + 9)).siblings ?? {}), ['programs']);
});

test('a row remembers at most eight programs, each once, and who had the pair when the second one came', () => {
  const agents = ['a', 'b', 'b', 'a', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
  let row: Grant = known;
  for (const [n, agent] of agents.entries()) row = withProgram(row, presenter('203.0.113.9', agent), at(NOW + n));
  const programs = row.siblings?.programs?.map(({ presenter: { agent }, since }) => `${agent} ${since - NOW}`);
  assert.deepEqual(programs, ['curl/8 0', 'a 0', 'b 1', 'c 4', 'd 5', 'e 6', 'f 7', 'g 8']);
  assert.equal(withProgram(row, row.pair.presenter, at(NOW + 99)), row);
});
