// A service with its console, people with every role, and something to look at.
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { acted } from '../../../src/core/event.ts';
import type { Grant, GrantId } from '../../../src/core/grant.ts';
import type { Identity, IdentityId } from '../../../src/core/identity.ts';
import type { ClientId, Integration } from '../../../src/core/integration.ts';
import type { Proof } from '../../../src/core/person.ts';
import { presenter } from '../../../src/core/presenter.ts';
import { after, type EpochSeconds, epochSeconds, seconds } from '../../../src/core/time.ts';
import { figures, type RefusalCount, refusalCounts } from '../../../src/store/tables/figures.ts';
import { grants } from '../../../src/store/tables/grants.ts';
import { identities } from '../../../src/store/tables/identities.ts';
import { integrations } from '../../../src/store/tables/integrations.ts';
import { sessions } from '../../../src/store/tables/sessions.ts';
import { systemRandom } from '../../../src/system.ts';
import { sha256 } from '../../../src/tokens/sha256.ts';
import { put } from '../../node.ts';
import { aGrant, anIntegration, CLIENT, hexOf, scopeOf } from '../../samples.ts';
import { openPage } from '../pages/browser.ts';
import { type RunningService, startService } from '../pages/running-service.ts';
import { SESSION_COOKIE, Visitor } from '../pages/visitor.ts';

export const EVIL = '<img src=x onerror=alert(1)>"\'&';
export const EVIL_ID = 'evil' as ClientId;

/** Of the certificate that was refused. */
export const REVOKED_SERIAL = '4f3a9c11d07be2';

export type Role = 'olga' | 'oscar' | 'vera' | 'shaun' | 'nina';

function person(userName: string, digit: string, groups: readonly string[]): Identity {
  const id = `local:{00000000-0000-4000-8000-${digit.repeat(12)}}` as IdentityId;
  return { id, enabled: true, mayUseApi: true, groups, userName, email: `${userName}@example.com` };
}

export const PEOPLE: Readonly<Record<Role, Identity>> = {
  olga: person('olga', '1', ['operators']),
  oscar: person('oscar', '2', ['operators']),
  vera: person('vera', '3', ['viewers']),
  shaun: person('shaun', '4', ['shop-team']),
  nina: person('nina', '5', []),
};

export const ORDERS_SYNC = anIntegration({ owners: ['shop-team'], scope: scopeOf('orders:read,write;stock:read') });
/** What nobody may see run: every text that others control. */
const HOSTILE = anIntegration({ clientId: EVIL_ID, name: EVIL, description: EVIL, vendor: EVIL });

const GRANT = `/grants/018f${hexOf(14, 1)}`;
const NINA = `/identities/${encodeURIComponent(PEOPLE.nina.id)}`;

/** Every page, by a name for pictures. */
export const CONSOLE_PAGES = {
  overview: '',
  day: '?span=day',
  figure: '/figures/refusals',
  grants: '/grants?identity=nina',
  grant: GRANT,
  end: `${GRANT}/end`,
  'end-all': '/grants/end?identity=nina',
  integrations: '/integrations',
  integration: `/integrations/${CLIENT}`,
  'change-integration': `/integrations/${CLIENT}/change`,
  'add-keys': `/integrations/${CLIENT}/key-add`,
  'make-secret': `/integrations/${CLIENT}/secret-make`,
  import: '/integrations/import',
  hostile: `/integrations/${EVIL_ID}`,
  change: `/integrations/${EVIL_ID}/change`,
  disable: `/integrations/${EVIL_ID}/disable`,
  issuers: '/issuers',
  'new-issuer': '/issuers/new',
  'token-issuers': '/token-issuers',
  'new-token-issuer': '/token-issuers/new',
  'resource-servers': '/resource-servers',
  identities: '/identities',
  identity: NINA,
  'remove-passkeys': `${NINA}/passkey-remove`,
  explain: '/explain',
  events: '/events',
  missing: '/grants/abcd',
};

/** The living grants that the figures end with. */
export const LIVING = 1200;

export class ConsoleScene {
  readonly service: RunningService;

  private constructor(service: RunningService) {
    this.service = service;
  }

  static async open(more: readonly Integration[] = [], at?: EpochSeconds): Promise<ConsoleScene> {
    const doors = 'listeners.0.doors=["authsvc","oauth","pages","console","ops"]';
    const service = await startService({
      sets: [doors],
      integrations: [ORDERS_SYNC, HOSTILE, ...more],
      ...(at && { at }),
    });
    for (const each of Object.values(PEOPLE)) await put(service.store, identities, each);
    return new ConsoleScene(service);
  }

  get store() {
    return this.service.store;
  }

  stop(): Promise<void> {
    return this.service.stop();
  }

  /** A session, as a sign-in with a passkey would begin it; `ago`: that many seconds ago. */
  async cookie(who: Role | Identity, by: Proof['by'] = 'passkey', ago = 0): Promise<string> {
    const secret = systemRandom(32);
    const now = await this.store.now();
    const at = epochSeconds(now - ago);
    const row = {
      id: sha256(secret),
      identityId: (typeof who === 'string' ? PEOPLE[who] : who).id,
      createdAt: at,
      seenAt: now,
    };
    await put(this.store, sessions, { ...row, endsAt: after(now, seconds(3600)), proof: { by, at } });
    return secret.toString('base64url');
  }

  async visitor(who: Role | Identity, by: Proof['by'] = 'passkey', ago = 0): Promise<Visitor> {
    const visitor = new Visitor(this.service);
    visitor.cookies.set(SESSION_COOKIE, await this.cookie(who, by, ago));
    return visitor;
  }

  async page(browser: Browser, role: Role, options: BrowserContextOptions = {}): Promise<Page> {
    const page = await openPage(browser, options);
    const cookie = { name: SESSION_COOKIE, value: await this.cookie(role), url: this.service.url };
    await page.context().addCookies([{ ...cookie, httpOnly: true, secure: true, sameSite: 'Lax' }]);
    return page;
  }

  /** A living grant with its event. */
  async grant(index: number, of: Role = 'nina', difference: Partial<Grant> = {}): Promise<Grant> {
    const now = await this.store.now();
    const id = `018f${index < 256 ? hexOf(14, index) : index.toString(16).padStart(28, '0')}` as GrantId;
    const made = aGrant({
      id,
      identityId: PEOPLE[of].id,
      clientId: CLIENT,
      createdAt: epochSeconds(now - 7200),
      refreshUntil: after(now, seconds(86_400 * 30)),
      ...difference,
    });
    const grant = {
      ...made,
      pair: {
        ...{ ...made.pair, issuedAt: epochSeconds(now - 600), presenter: presenter('192.0.2.7', 'curl/8') },
        ...difference.pair,
      },
    };
    const { scope, clientId, identityId, refreshUntil: until, createdAt: at } = grant;
    await this.store.change(grants, id, () => ({
      outcome: undefined,
      next: grant,
      events: [
        {
          type: 'issued',
          at,
          clientId,
          identityId,
          subjectId: id,
          presenter: presenter('192.0.2.7', EVIL),
          requestId: hexOf(8, index),
          detail: { by: 'device', scope, until },
        },
      ],
    }));
    return grant;
  }

  /** An hour of figures, with refusals. */
  async furnish(): Promise<void> {
    const now = await this.store.now();
    for (let minute = 1; minute < 60; minute++) {
      const at = epochSeconds(now - (now % 60) - minute * 60);
      const busy = 100 + Math.round(40 * Math.sin(minute / 6));
      const counts = {
        accepted: busy,
        refused: minute % 7,
        'refused grant-revoked': minute % 5,
        'refused rate-limited': (minute % 7) - (minute % 5) > 0 ? 2 : 0,
        refreshes: busy - 20,
        issued: 3,
        timed: busy,
        'within 0.001': busy - 30,
        'within 0.005': 25,
        'within 0.05': 5,
      };
      const living = { all: LIVING - minute, endingByDay: Array.from({ length: 30 }, (_, day) => (day * 7) % 23) };
      await put(this.store, figures, {
        step: 60,
        at,
        node: 'ash:1:aa',
        version: '0.3.0',
        lag: 0,
        counts,
        living,
        endsAt: after(at, seconds(86_400)),
      });
    }
    const first = epochSeconds(now - 200_000);
    const scope = { before: 'orders:read,write,delete;stock:read', after: 'orders:read,write;stock:read' };
    const act = { kind: 'integration', id: CLIENT, did: 'changed', changed: { scope } } as const;
    await this.store.change(integrations, CLIENT, () => ({
      outcome: undefined,
      events: [acted(act, { at: first, by: { as: 'identity', id: PEOPLE.oscar.id, proof: 'passkey' } })],
    }));
    const claimed = { subject: 'O=Shop, CN=nina', issuer: 'CN=Corp CA', serial: REVOKED_SERIAL, label: 'corp' };
    await this.refusal({ reason: 'certificate-revoked', count: 9, claimed });
    await this.refusal({ reason: 'scope-no-longer-allowed', count: 8, identityId: PEOPLE.nina.id });
  }

  /** For two days, until a minute ago. */
  async refusal(row: Pick<RefusalCount, 'reason' | 'count'> & Partial<RefusalCount>): Promise<void> {
    const now = await this.store.now();
    const times = {
      first: epochSeconds(now - 200_000),
      last: epochSeconds(now - 60),
      lastRequestId: hexOf(8, row.count),
    };
    await put(this.store, refusalCounts, { key: row.reason, clientId: CLIENT, identityId: '', ...times, ...row });
  }

  async change(clientId: string, difference: Partial<Integration>): Promise<void> {
    await this.store.change(integrations, clientId, (found) => ({
      outcome: undefined,
      ...(found && { next: { ...found.row, ...difference } }),
    }));
  }
}

/** The fields of the form on a page, as a browser would send them. */
export function fieldsOf(text: string): Record<string, string> {
  const unescaped = (value = '') =>
    value
      .replaceAll('&quot;', '"')
      .replaceAll('&#39;', "'")
      .replaceAll('&lt;', '<')
      .replaceAll('&gt;', '>')
      .replaceAll('&amp;', '&');
  const fields: Record<string, string> = {};
  const main = text.slice(text.indexOf('<h1>'));
  for (const [, attributes = ''] of main.matchAll(/<input ([^>]*)>/g)) {
    const [, name] = /name="([^"]*)"/.exec(attributes) ?? [];
    const [, value] = /value="([^"]*)"/.exec(attributes) ?? [];
    const isOff = /type="(?:checkbox|radio)"/.test(attributes) && !/ checked$/.test(attributes);
    if (name && !isOff) fields[name] = unescaped(value);
  }
  for (const [, name = '', value] of main.matchAll(/<textarea [^>]*name="([^"]*)"[^>]*>([^<]*)</g))
    fields[name] = unescaped(value);
  for (const [, name = '', options = ''] of main.matchAll(/<select [^>]*name="([^"]*)"[^>]*>(.*?)<\/select>/g))
    fields[name] = unescaped(/value="([^"]*)" selected/.exec(options)?.[1] ?? /value="([^"]*)"/.exec(options)?.[1]);
  return fields;
}
