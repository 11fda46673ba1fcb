// One node of the service without its doors: the real operations over a store, with an integration and people in it.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { ClientDocument, ClientUrl } from '../src/core/client-document.ts';
import type { IdentityId } from '../src/core/identity.ts';
import type { Integration } from '../src/core/integration.ts';
import type { ApprovedIssuer } from '../src/core/issuer.ts';
import { accept, type Outcome, refuse } from '../src/core/outcome.ts';
import type { Person } from '../src/core/person.ts';
import { type Presenter, presenter } from '../src/core/presenter.ts';
import type { Refusal } from '../src/core/refusal.ts';
import { DEFAULT_SETTINGS } from '../src/core/settings.ts';
import { type EpochSeconds, epochSeconds } from '../src/core/time.ts';
import type { Directory } from '../src/directory/directory.ts';
import { sideBySide } from '../src/directory/side-by-side.ts';
import { confirmCode } from '../src/operations/device/ask-code.ts';
import { confirmDevice, enterUserCode } from '../src/operations/device/decide-device.ts';
import { type CodeRedemption, type RedeemRequest, redeemDevice } from '../src/operations/device/redeem-device.ts';
import { type StartedDevice, startDevice } from '../src/operations/device/start-device.ts';
import { authorizeCertificate } from '../src/operations/grant/authorize-certificate.ts';
import { checkToken } from '../src/operations/grant/check-token.ts';
import type { Presentation } from '../src/operations/grant/identify-caller.ts';
import { refreshTokens } from '../src/operations/grant/refresh-tokens.ts';
import { revokeByToken } from '../src/operations/grant/revoke-grant.ts';
import type { TokenPair } from '../src/operations/grant/token-pair.ts';
import type { CallerPorts, Clock, Ports, TokenPorts } from '../src/operations/ports.ts';
import { FollowedRegistry } from '../src/store/registry.ts';
import type { Store } from '../src/store/store.ts';
import type { Table } from '../src/store/table.ts';
import { identities } from '../src/store/tables/identities.ts';
import { integrations } from '../src/store/tables/integrations.ts';
import { systemRandom } from '../src/system.ts';
import { firstKey, Keyring } from '../src/tokens/keyring.ts';
import { anIdentity, anIntegration, CLIENT, hexOf, NOW, PASSWORD_PROOF, scopeOf } from './samples.ts';

export const BOB = 'local:{0a1b2c3d-0000-4000-8000-00000000b0b0}' as IdentityId;
export const CURL = presenter('192.0.2.7', 'curl/8');
/** Ada at her browser. */
export const ada: Person = { identity: anIdentity(), session: 'the session of Ada', proof: PASSWORD_PROOF };

/** A clock that a test moves. */
export class TestClock implements Clock {
  #now: number;
  #jumped = 0;

  constructor(now: number = NOW) {
    this.#now = now;
  }

  readonly now = (): EpochSeconds => epochSeconds(this.#now);
  readonly milliseconds = (): number => this.#now * 1000;
  readonly running = (): number => this.#now - this.#jumped;

  move(by: number): void {
    this.#now += by;
  }

  /** Sets the clock without time passing. */
  jump(by: number): void {
    this.#now += by;
    this.#jumped += by;
  }

  set(to: number): void {
    this.#now = to;
  }
}

export interface Node extends TokenPorts {
  readonly registry: FollowedRegistry;
}

/** Stores what every test needs, and opens a node. */
export async function aNode(store: Store, difference: Partial<TokenPorts> = {}): Promise<Node> {
  await put(store, identities, anIdentity());
  await put(store, identities, anIdentity({ id: BOB, userName: 'bob' }));
  await put(store, integrations, anIntegration());
  return anotherNode(store, difference);
}

/** A node on a store that is already filled. */
export async function anotherNode(store: Store, difference: Partial<TokenPorts> = {}): Promise<Node> {
  const registry = new FollowedRegistry(store);
  await registry.refresh();
  return {
    store,
    keyring: new Keyring(firstKey()),
    directories: sideBySide(NO_DIRECTORY),
    settings: DEFAULT_SETTINGS,
    issuer: 'https://tokens.example',
    clock: new TestClock(),
    random: systemRandom,
    derivation: () => 'root',
    countSibling: () => undefined,
    admitClock: () => undefined,
    judge: async () => ({ outcome: refuse('certificate-missing'), steps: [] }),
    logRefused: () => undefined,
    countIgnoredHeader: () => undefined,
    judgeAssertion: async () => ({ outcome: refuse('assertion-issuer-unknown'), steps: [] }),
    judgeGuest: async () => refuse('client-unproven'),
    logRefusedAssertion: () => undefined,
    ...difference,
    registry,
  };
}

export const NO_DIRECTORY: Directory = {
  label: 'local',
  byUserName: async () => [],
  byEmail: async () => [],
  byUpn: async () => [],
  passwords: { isBusy: () => false, check: async () => undefined, holderOf: async () => undefined },
};

export function put<Row, Companion>(store: Store, table: Table<Row, Companion>, row: Row): Promise<void> {
  return store.change(table, table.keyOf(row), () => ({ outcome: undefined, next: row }));
}

/** Changes the integration as an operator would, and refreshes the node's registry. */
export async function changeIntegration(node: Node, difference: Partial<Integration>): Promise<void> {
  await put(node.store, integrations, anIntegration(difference));
  await node.registry.refresh();
}

export async function changeAda(node: Node, difference: Parameters<typeof anIdentity>[0]): Promise<void> {
  await put(node.store, identities, anIdentity(difference));
}

// Actions of callers and people, one function each.

export const MARK = { certificate: hexOf(16), issuerKey: hexOf(16), key: hexOf(32) };

/** Of the certificate that is presented. */
export const THUMBPRINT = hexOf(32, 7);

/** A connection without a certificate. */
export const NOTHING_PRESENTED: Presentation = { presented: { by: 'nothing' }, requestId: 'a request' };

/** Its certificates name identities of the directory. */
export const ISSUER: ApprovedIssuer = {
  label: 'corp',
  certificate: new Uint8Array(),
  intermediates: [],
  identitySources: ['common-name'],
  identities: 'directory',
  profile: 'rfc5280',
  revocation: { crl: 'off', ocsp: 'off', crlFiles: [], endGrants: false },
  enabled: true,
};

const SOME_CERTIFICATE: Presentation = {
  presented: { by: 'handshake', chain: [new Uint8Array(1)], hasIgnoredHeader: false },
  requestId: 'a request',
};

/** Every certificate is accepted, and is that of Ada. */
const ADA_PRESENTED: Omit<CallerPorts, Exclude<keyof Ports, 'directories'> | 'derivation' | 'countSibling'> = {
  admitClock: () => undefined,
  countIgnoredHeader: () => undefined,
  judge: async () => {
    const name = { source: 'common-name', name: 'ada' } as const;
    return {
      outcome: accept({ issuer: ISSUER, name, mark: MARK, thumbprint: THUMBPRINT, until: epochSeconds(NOW) }),
      steps: [],
    };
  },
  directories: sideBySide({ ...NO_DIRECTORY, byUserName: async () => [anIdentity()] }),
  logRefused: () => undefined,
};

export async function issue(node: Ports, scope = 'orders:read', clientId: string = CLIENT): Promise<TokenPair> {
  const request = { clientId, scope, presenter: CURL, ...SOME_CERTIFICATE };
  return accepted(
    await authorizeCertificate(request, {
      derivation: () => 'root',
      countSibling: () => undefined,
      ...node,
      ...ADA_PRESENTED,
    }),
  );
}

export async function start(node: Ports): Promise<StartedDevice> {
  return accepted(await startDevice({ clientId: CLIENT, scope: 'orders:read', presenter: CURL }, node));
}

/** A device authorization that Ada, or somebody else, has confirmed. */
export async function confirmed(node: Ports, person: Person = ada): Promise<StartedDevice> {
  const started = await start(node);
  const { device } = accepted(await enterUserCode(started.userCode, person, node));
  accepted(await confirmDevice(device.id, person, node));
  return started;
}

const URI = 'https://app.example/callback';
const VERIFIER = 'v'.repeat(43);
/** The flows of an integration that has authorization codes too. */
export const WITH_CODE = { device: true, certificate: true, code: { redirectUris: [URI] } };

/** The redemption of a new authorization code, which Ada has confirmed. */
export async function confirmedCode(
  node: Node,
  { person = ada, guest }: { person?: Person; guest?: ClientUrl } = {},
): Promise<CodeRedemption> {
  const integration = node.registry.integration(CLIENT);
  assert.ok(integration);
  const document = { url: guest, mayComeWithout: true } as ClientDocument;
  const client = { integration, redirectUri: URI, ...(guest && { document }) };
  const challenge = hash('sha256', VERIFIER, 'base64url');
  const target = { scope: scopeOf('orders:read'), resource: undefined, challenge };
  const code = accepted(await confirmCode(client, target, person, CURL, node)).reveal();
  const redemption = { clientId: CLIENT, code, redirectUri: URI, verifier: VERIFIER, presenter: CURL };
  return { ...redemption, proven: { isAuthenticated: false, jkt: undefined }, ...(guest && { guest }) };
}

/** `proven`: at the door of OAuth. */
export function redeem(
  node: CallerPorts,
  started: StartedDevice,
  clientId: string = CLIENT,
  proven?: RedeemRequest['proven'],
): Promise<Outcome<TokenPair>> {
  const deviceCode = started.deviceCode.reveal();
  return redeemDevice({ clientId, deviceCode, presenter: CURL, requestId: 'r1', proven }, node);
}

export function refresh(
  node: CallerPorts,
  pair: TokenPair,
  { clientId = CLIENT, by = CURL }: { clientId?: string; by?: Presenter } = {},
): Promise<Outcome<TokenPair>> {
  const refreshToken = pair.refreshToken?.reveal() ?? '';
  return refreshTokens({ clientId, refreshToken, presenter: by, ...NOTHING_PRESENTED }, node);
}

export function revoke(node: Ports, pair: TokenPair): ReturnType<typeof revokeByToken> {
  return revokeByToken(pair.accessToken.reveal(), CURL, node);
}

export function check(node: Ports, pair: TokenPair): ReturnType<typeof checkToken> {
  return checkToken(pair.accessToken.reveal(), node);
}

// Their answers.

export function accepted<T>(outcome: Outcome<T, Refusal<string>>): T {
  assert.ok(outcome.ok, outcome.ok ? '' : outcome.refusal.reason);
  return outcome.value;
}

/** The reason of a refusal, or `accepted`. */
export async function answer(
  outcome: Outcome<unknown, Refusal<string>> | Promise<Outcome<unknown, Refusal<string>>>,
): Promise<string> {
  const settled = await outcome;
  return settled.ok ? 'accepted' : settled.refusal.reason;
}

export function textOf({ accessToken, refreshToken, expiresAt, refreshUntil }: TokenPair): string {
  return [accessToken.reveal(), refreshToken?.reveal(), expiresAt, refreshUntil].join(' ');
}
