// Lifetimes: the usual ones, those of administration, and those of one grant.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { acted, ended } from '../../src/core/event.ts';
import {
  accessTokenExpiry,
  accessTokenIssuedAt,
  actClaim,
  bindingOf,
  boundAnew,
  grantPeriod,
  grantState,
  grantTime,
  guestOf,
  revoke,
  tokenId,
} from '../../src/core/grant.ts';
import type { Hex } from '../../src/core/hex.ts';
import { DEFAULT_SETTINGS, settingsFor } from '../../src/core/settings.ts';
import { epochSeconds, seconds } from '../../src/core/time.ts';
import { ADA, aGrant, anIntegration, CLIENT, NOW } from '../samples.ts';

const [HOUR, DAY] = [3600, 86_400];
const at = (offset: number) => epochSeconds(NOW + offset);

test('the usual settings are those of the contract and of the documentation', () => {
  assert.deepEqual(DEFAULT_SETTINGS, {
    ...{
      accessTokenLifetime: 90 * DAY,
      oauthTokenLifetime: HOUR,
      jwtLifetime: 600,
      grantLifetime: 365 * DAY,
      refresh: true,
    },
    ...{ signingKeyPublishedFor: DAY, refreshRetryWindow: 60, refreshSiblingWindow: 0, onReuse: 'revoke' },
    ...{ deviceFlow: true, deviceCodeLifetime: 300, pollInterval: 5, wrongUserCodes: 5, failedSignInsPerDeviceCode: 5 },
    ...{ passwords: true, failedSignInsPerIdentity: 10, failedSignInsPerAddress: 100, signInWindow: 900 },
    ...{ knownBrowserLifetime: 90 * DAY, sessionIdle: 900, sessionLifetime: 8 * HOUR },
    ...{ eventRetention: 400 * DAY, refreshesLogged: 'all' },
  });
});

suite('an integration overrides lifetimes', () => {
  const lifetimeOf = (format: 'opaque' | 'jwt', own?: number) => {
    const overrides = own === undefined ? {} : { accessTokenLifetime: seconds(own) };
    return settingsFor(anIntegration({ accessTokenFormat: format, overrides }), DEFAULT_SETTINGS).accessTokenLifetime;
  };

  test('of its access tokens; a JWT lives for ten minutes, and never for more than a day', () => {
    assert.equal(lifetimeOf('opaque'), 90 * DAY);
    assert.equal(lifetimeOf('opaque', 5), 5);
    assert.equal(lifetimeOf('jwt'), 600);
    assert.equal(lifetimeOf('jwt', 5), 5);
    assert.equal(lifetimeOf('jwt', 2 * DAY), DAY);
    const short = { ...DEFAULT_SETTINGS, accessTokenLifetime: seconds(60) };
    assert.equal(settingsFor(anIntegration({ accessTokenFormat: 'jwt' }), short).accessTokenLifetime, 60);
    const opaque = settingsFor(anIntegration({ accessTokenFormat: 'jwt' }), DEFAULT_SETTINGS, { format: 'opaque' });
    assert.equal(opaque.accessTokenLifetime, 90 * DAY);
  });

  test('of grants of /oauth2, which live for an hour, and not longer than others', () => {
    const ofOauth = (difference: object, own = {}) =>
      settingsFor(anIntegration({ overrides: own }), { ...DEFAULT_SETTINGS, ...difference }, { isOfOauth: true })
        .accessTokenLifetime;
    assert.equal(ofOauth({}), HOUR);
    assert.equal(ofOauth({ accessTokenLifetime: 60 }), 60);
    assert.equal(ofOauth({ oauthTokenLifetime: DAY }), DAY);
    assert.equal(ofOauth({}, { accessTokenLifetime: seconds(30 * DAY) }), 30 * DAY);
  });
});

suite('a grant', () => {
  const period = (scope: string, difference: object = {}) => {
    const { expiresAt, refreshUntil } = grantPeriod(NOW, scope, { ...DEFAULT_SETTINGS, ...difference });
    return [expiresAt - NOW, refreshUntil - NOW];
  };

  test('lives as the settings say; without refresh, as long as its access token', () => {
    assert.deepEqual(period('orders:read'), [90 * DAY, 365 * DAY]);
    assert.deepEqual(period('orders:read', { grantLifetime: 10 }), [10, 10]);
    assert.deepEqual(period('orders:read', { refresh: false }), [90 * DAY, 90 * DAY]);
  });

  test('for administration lives for hours, whatever the settings say', () => {
    assert.deepEqual(period('tessera:read'), [HOUR, 12 * HOUR]);
    assert.deepEqual(period('tessera:read', { accessTokenLifetime: 5, grantLifetime: 9 }), [5, 9]);
  });

  test('is live until refreshUntil, and revoked for ever', () => {
    const { refreshUntil } = aGrant();
    assert.equal(grantState(aGrant(), epochSeconds(refreshUntil - 1)), 'live');
    assert.equal(grantState(aGrant(), refreshUntil), 'expired');
    const revoked = revoke(aGrant(), NOW, 'reuse');
    assert.deepEqual(revoked.revoked, { at: NOW, reason: 'reuse' });
    assert.equal(grantState(revoked, at(10_000)), 'revoked');
    assert.deepEqual(revoke(revoked, at(5), 'by-caller').revoked, { at: NOW, reason: 'reuse' }, 'the first one counts');
    assert.equal(revoke(aGrant(), at(-5), 'reuse').revoked.at, NOW, 'time never runs backwards');
  });

  test('has a time of its own', () => {
    assert.equal(grantTime(aGrant(), at(5)), at(5));
    assert.equal(grantTime(aGrant(), at(-5)), NOW);
  });

  test('gives access tokens that expire with it at the latest', () => {
    const settings = { ...DEFAULT_SETTINGS, accessTokenLifetime: seconds(100) };
    assert.equal(accessTokenExpiry(aGrant(), NOW, settings), at(100));
    assert.equal(accessTokenExpiry(aGrant(), at(950), settings), at(1000));
  });

  test('gives access tokens that expire by 2106, which is the last moment that an opaque token can say', () => {
    const century = seconds(36_525 * DAY);
    const settings = { ...DEFAULT_SETTINGS, accessTokenLifetime: century, grantLifetime: century };
    const refreshUntil = at(century);
    assert.deepEqual(grantPeriod(NOW, 'orders:read', settings), { expiresAt: 2 ** 32 - 1, refreshUntil });
    assert.equal(accessTokenExpiry(aGrant({ refreshUntil }), NOW, settings), 2 ** 32 - 1);
  });

  test('knows when each access token was issued', () => {
    const settings = { ...DEFAULT_SETTINGS, accessTokenLifetime: seconds(100) };
    const issued = (token: object) =>
      accessTokenIssuedAt({ generation: 2, expiresAt: at(150), ...token }, aGrant({ createdAt: at(20) }), settings);
    assert.equal(issued({ issuedAt: at(7) }), at(7));
    assert.equal(issued({ generation: 3 }), NOW);
    assert.equal(issued({}), at(50));
    assert.equal(issued({ expiresAt: at(110) }), at(20), 'not before the grant');
  });

  test('knows what the access token of each generation is bound to', () => {
    const [a, b] = ['aa', 'bb'] as Hex[];
    assert.deepEqual(bindingOf({}, 7), { since: 0 });
    const bound = aGrant({ bindings: boundAnew(aGrant(), a) });
    assert.deepEqual(bound.bindings, [{ since: 4, thumbprint: a }, { since: 0 }]);
    assert.deepEqual(bindingOf(bound, 4), { since: 4, thumbprint: a });
    assert.deepEqual(bindingOf(bound, 3), { since: 0 });
    assert.equal(boundAnew(bound, a), bound.bindings);
    assert.deepEqual(boundAnew(bound, undefined)[0], { since: 4 });
    assert.equal(boundAnew(bound, b).length, 3);
    assert.equal(bindingOf({ bindings: [{ since: 5 }] }, 4), undefined, 'forgotten');
  });

  test('names its guest, its tokens and who acts', () => {
    const guest = 'https://client.example/x' as never;
    assert.equal(guestOf({ origin: { kind: 'code', guest } }), guest);
    assert.equal(guestOf(aGrant()), undefined);
    assert.equal(tokenId(aGrant(), 2), `${aGrant().id}.2`);
    const actor = { identityId: ADA, clientId: CLIENT };
    assert.deepEqual(actClaim({ ...actor, actor }), {
      ...{ sub: ADA, client_id: CLIENT },
      act: { sub: ADA, client_id: CLIENT },
    });
  });
});

suite('an event', () => {
  test('of an ended grant says what it was for', () => {
    assert.deepEqual(ended(aGrant(), 'reuse'), { reason: 'reuse', scope: 'orders:read' });
    const by = { as: 'command' } as const;
    const limited = aGrant({ resource: ['urn:a' as never] });
    assert.deepEqual(ended(limited, 'by-operator', by), {
      ...{ reason: 'by-operator', by, scope: 'orders:read', resource: ['urn:a'] },
    });
  });

  test('of an act is found by the identity or the integration that it concerns', () => {
    const by = { as: 'command' } as const;
    const of = (kind: string) => {
      const { identityId, clientId } = acted({ kind, id: 'x', did: 'y' } as never, { at: NOW, by });
      return [identityId, clientId];
    };
    assert.deepEqual(
      [of('identity'), of('passkey'), of('integration'), of('issuer')],
      [
        ...[
          ['x', undefined],
          ['x', undefined],
          [undefined, 'x'],
          [undefined, undefined],
        ],
      ],
    );
  });
});
