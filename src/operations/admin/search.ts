// One text, whatever it is: an identity, an e-mail address, an integration, a grant, a certificate, an address, a request, a token.
import { foldName } from '../../core/certificate.ts';
import type { Grant } from '../../core/grant.ts';
import type { Identity } from '../../core/identity.ts';
import type { Integration } from '../../core/integration.ts';
import { after, seconds } from '../../core/time.ts';
import { readPem } from '../../pki/der/pem.ts';
import { type Certificate, certificateMark, readCertificate } from '../../pki/x509/certificate.ts';
import { rows } from '../../store/pages.ts';
import type { LoggedEvent, Store } from '../../store/store.ts';
import { grants, grantsOf } from '../../store/tables/grants.ts';
import { byEmail, byUpn, identities } from '../../store/tables/identities.ts';
import { type RefusalRow, refusals } from '../../store/tables/refusals.ts';
import type { CallerPorts } from '../ports.ts';
import { explainToken, type TokenExplanation } from './explain-token.ts';
import { findGrantId } from './find-grants.ts';
import { findIdentity } from './find-identity.ts';
import { type ShownGrant, shownGrants } from './show-grant.ts';

export interface Findings {
  /** Of a token. The token itself is in nothing that is returned. */
  readonly token?: TokenExplanation;
  readonly identities: readonly Identity[];
  readonly integrations: readonly Integration[];
  readonly grants: readonly ShownGrant[];
  readonly events: readonly LoggedEvent[];
  /** Whose last request this was. */
  readonly refusals: readonly RefusalRow[];
}

const NOTHING: Findings = { identities: [], integrations: [], grants: [], events: [], refusals: [] };
/** Addresses and fingerprints have no index: the newest grants are read, and the events of this time. */
const NEWEST = 20_000;
const RECENTLY = seconds(86_400);
const MOST = 50;

/** A token of ours, or a JWT: by its form, so that one that was altered is not taken for a name. */
export function isToken(text: string): boolean {
  return /^ts[a-z]_/.test(text) || /^[\w-]{10,}\.[\w-]{10,}\.[\w-]*$/.test(text);
}

export async function search(text: string, ports: CallerPorts): Promise<Findings> {
  const wanted = text.trim();
  if (wanted === '') return NOTHING;
  if (isToken(wanted)) return searchToken(wanted, ports);
  const { store, registry } = ports;
  const [found, people, events, kept] = await Promise.all([
    findGrantsBy(wanted, ports),
    peopleCalled(wanted, store),
    eventsAbout(wanted, store),
    REQUEST_ID.test(wanted) ? Array.fromAsync(rows(store, refusals)) : [],
  ]);
  const lower = wanted.toLowerCase();
  const named = registry.integrations.filter(
    ({ clientId, name }) => clientId === wanted || name.toLowerCase() === lower,
  );
  const now = await store.now();
  return {
    identities: people,
    integrations: named,
    grants: await shownGrants({ grants: found, now }, ports),
    events,
    refusals: kept.filter(({ requestId }) => requestId === wanted),
  };
}

async function searchToken(text: string, ports: CallerPorts): Promise<Findings> {
  const token = await explainToken(text, ports);
  const { grant } = token.facts;
  const found = grant === undefined ? undefined : (await ports.store.load(grants, String(grant))).found?.row;
  const now = await ports.store.now();
  return { ...NOTHING, token, grants: found ? await shownGrants({ grants: [found], now }, ports) : [] };
}

async function peopleCalled(text: string, store: Store): Promise<Identity[]> {
  if (text.includes('@')) {
    const [mail, upn] = await Promise.all([
      store.find(identities, byEmail(foldName('email-san', text)), MOST),
      store.find(identities, byUpn(foldName('upn-san', text)), MOST),
    ]);
    return [...new Map([...mail, ...upn].map((each) => [each.id, each])).values()];
  }
  const one = await findIdentity(text, { store });
  return one.ok ? [one.value] : [];
}

async function findGrantsBy(text: string, ports: CallerPorts): Promise<readonly Grant[]> {
  const { store } = ports;
  if (text.includes('-----BEGIN CERTIFICATE-----')) return byCertificate(text, ports);
  const digits = text.toLowerCase().replaceAll(/[:\s]/g, '');
  if (!/^[0-9a-f]+$/.test(digits)) return isAddress(text) ? newestWhere(store, byAddress(text)) : [];
  if (digits.length === FINGERPRINT) return newestWhere(store, byFingerprint(digits));
  const id = await findGrantId(digits, ports);
  const named = id.ok ? (await store.load(grants, id.value)).found?.row : undefined;
  return named ? [named] : bySerial(digits, ports);
}

const FINGERPRINT = 64;

function isAddress(text: string): boolean {
  return /^[0-9a-f]*[.:][0-9a-f.:]+$/i.test(text);
}

function byAddress(text: string): (grant: Grant) => boolean {
  return ({ pair }) => pair.presenter.address === text;
}

/** SHA-256 of the certificate, of grants whose tokens are bound to it, or of its key. */
function byFingerprint(digits: string): (grant: Grant) => boolean {
  return ({ origin, bindings = [] }) =>
    (origin.kind === 'certificate' && origin.certificate.key === digits) ||
    bindings.some(({ thumbprint }) => thumbprint === digits);
}

async function newestWhere(store: Store, matches: (grant: Grant) => boolean): Promise<Grant[]> {
  const found: Grant[] = [];
  let read = 0;
  for await (const grant of rows(store, grants, { isDescending: true })) {
    if (matches(grant)) found.push(grant);
    if (++read >= NEWEST || found.length >= MOST) break;
  }
  return found;
}

/** Grants store issuer and serial number together, so every authority that may have issued it is tried. */
async function bySerial(digits: string, { store, registry }: CallerPorts): Promise<Grant[]> {
  const even = digits.length % 2 === 0 ? digits : `0${digits}`;
  const serials = [even, `00${even}`].map((hex) => Buffer.from(hex, 'hex'));
  const authorities = registry.issuers.flatMap(({ certificate, intermediates }) => [certificate, ...intermediates]);
  const marks = readable(authorities).flatMap((authority) => serials.map((each) => certificateMark(authority, each)));
  const found = await Promise.all(marks.map((mark) => store.find(grants, grantsOf.certificate(mark), MOST)));
  return found.flat();
}

async function byCertificate(pem: string, ports: CallerPorts): Promise<Grant[]> {
  const [leaf] = readable(readPem(pem, 'CERTIFICATE'));
  return leaf ? bySerial(Buffer.from(leaf.serial).toString('hex'), ports) : [];
}

function readable(certificates: readonly Uint8Array[]): Certificate[] {
  return certificates.flatMap((der) => {
    const read = readCertificate(der);
    return read.ok ? [read.value] : [];
  });
}

/** The newest events of a request, or from an address. */
async function eventsAbout(text: string, store: Store): Promise<readonly LoggedEvent[]> {
  if (!REQUEST_ID.test(text) && !isAddress(text)) return [];
  const since = after(await store.now(), seconds(0 - RECENTLY));
  const found: LoggedEvent[] = [];
  for (let [before, read] = [Number.MAX_SAFE_INTEGER, 0]; read < NEWEST && found.length < MOST; read += STEP) {
    const page = await store.newestEvents({ count: STEP, before });
    found.unshift(...page.filter(({ requestId, presenter }) => requestId === text || presenter?.address === text));
    const [oldest] = page;
    if (!oldest || oldest.at < since) break;
    before = oldest.sequence;
  }
  return found.slice(-MOST);
}

const STEP = 1000;
const REQUEST_ID = /^[0-9a-f]{16}$/;
