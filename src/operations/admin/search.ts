// One text, whatever it is: an identity, an e-mail address, something registered, a grant, a certificate, an address, a request, a token.
import { foldName } from '../../core/certificate.ts';
import type { Grant } from '../../core/grant.ts';
import type { Identity } from '../../core/identity.ts';
import { requestedAt } from '../../core/request-id.ts';
import { after, seconds } from '../../core/time.ts';
import { readPem } from '../../pki/der/pem.ts';
import { readCertificate } from '../../pki/x509/certificate.ts';
import { pages, rows } from '../../store/pages.ts';
import type { LoggedEvent, Store } from '../../store/store.ts';
import type { RefusalCount } from '../../store/tables/figures.ts';
import { grants } from '../../store/tables/grants.ts';
import { byEmail, byUpn, identities } from '../../store/tables/identities.ts';
import type { CallerPorts } from '../ports.ts';
import { readRefusals } from '../upkeep/count-refusals.ts';
import { eventsOfRequest, readOlderEvents, shownRefusal } from './acts/work/event.ts';
import { explainToken, type TokenExplanation } from './explain.ts';
import { grantsBeginning, pageOfGrants, type ShownGrant, shownGrants } from './find-grants.ts';
import { findIdentity } from './find-identity.ts';
import type { Section } from './objects.ts';

export interface Findings {
  /** Of a token. The token itself is in nothing that is returned. */
  readonly token?: TokenExplanation;
  readonly identities: readonly Identity[];
  readonly things: readonly FoundThing[];
  readonly grants: readonly ShownGrant[];
  readonly events: readonly LoggedEvent[];
  /** Whose last request or certificate this was. */
  readonly refusals: readonly ReturnType<typeof shownRefusal>[];
}

/** Something registered. */
export interface FoundThing {
  readonly section: Section;
  readonly id: string;
  readonly name: string;
}

const NOTHING: Findings = { identities: [], things: [], grants: [], events: [], refusals: [] };
/** Addresses, fingerprints and parts of names have no index: at most this many rows are read; of events, those of the last day. */
const NEWEST = 20_000;
const RECENTLY = seconds(86_400);
const MOST = 50;

/** A token of ours, or a JWT: by its form, so that one that was altered is not taken for a name. */
export function isToken(text: string): boolean {
  return /^ts[a-z]_/.test(text) || /^[\w-]{10,}\.[\w-]{10,}\.[\w-]*$/.test(text);
}

export async function search(text: string, ports: CallerPorts): Promise<Findings> {
  // `CN=nick`, as certificates have it; `01a1ed36…`, as the console shows grants.
  const wanted = text.trim().replace(/^(?:cn|email|uid)=|…$/gi, '');
  if (wanted === '') return NOTHING;
  if (isToken(wanted)) return searchToken(wanted, ports);
  const { store, registry } = ports;
  const isRequest = requestedAt(wanted) !== undefined;
  const digits = digitsIn(wanted);
  const [found, people, things, events, kept] = await Promise.all([
    findGrantsBy(wanted, digits, ports),
    peopleCalled(wanted, store),
    thingsCalled(wanted, digits, registry),
    isRequest ? eventsOfRequest(wanted, ports) : isAddress(wanted) ? eventsFrom(wanted, store) : [],
    digits === undefined ? [] : readRefusals(ports),
  ]);
  return {
    identities: people,
    things,
    grants: await shownGrants({ grants: found, now: await store.now() }, ports),
    events,
    refusals: kept.filter(isOf(wanted, digits)).map(shownRefusal),
  };
}

async function searchToken(text: string, ports: CallerPorts): Promise<Findings> {
  const token = await explainToken(text, ports);
  const { grant } = token.facts;
  const { found, now } = await ports.store.load(grants, String(grant ?? ''));
  return { ...NOTHING, token, grants: found ? await shownGrants({ grants: [found.row], now }, ports) : [] };
}

/** Those with exactly this name; if there are none, those with a name that contains it. Case does not count. */
function called<T>(all: readonly T[], lower: string, namesOf: (each: T) => readonly (string | undefined)[]): T[] {
  const having = (matches: (name: string) => boolean) =>
    all.filter((each) => namesOf(each).some((name) => name !== undefined && matches(name.toLowerCase())));
  const exact = having((name) => name === lower);
  return exact.length > 0 ? exact : having((name) => name.includes(lower)).slice(0, MOST);
}

/** By its id or name, what its authority or platform is called, or the fingerprint of its certificate. Removed issuers too. */
async function thingsCalled(text: string, digits: string | undefined, registry: CallerPorts['registry']) {
  const { integrations, allIssuers, allTokenIssuers, allResourceServers } = registry;
  const { written } = (await import('./acts/work/issuer.ts')).KIND;
  const all: readonly (readonly CalledThing[])[] = [
    integrations.map(({ clientId: id, name }) => ({ section: 'integrations', id, name })),
    allIssuers.map(written).map(({ label: id = '', subject: name = '', fingerprint }) => {
      const isMeant = fingerprint !== undefined && digitsIn(fingerprint) === digits;
      return { section: 'issuers', id, name, also: isMeant ? text : undefined };
    }),
    allTokenIssuers.map(({ label: id, issuer: name }) => ({ section: 'tokenIssuers', id, name })),
    allResourceServers
      .filter(({ removed }) => !removed)
      .map(({ id, name, audience: also }) => ({ section: 'resourceServers', id, name, also })),
  ];
  const found = all.flatMap((things) => called(things, text.toLowerCase(), ({ id, name, also }) => [id, name, also]));
  return found.map(({ section, id, name }) => ({ section, id, name }));
}

interface CalledThing extends FoundThing {
  /** It is found by this too. */
  readonly also?: string | undefined;
}

async function peopleCalled(text: string, store: Store): Promise<readonly Identity[]> {
  const exact = await peopleExactly(text, store);
  if (exact.length > 0) return exact;
  const found: Identity[] = [];
  let read = 0;
  for await (const page of pages(store, identities, { limit: STEP })) {
    found.push(...called(page, text.toLowerCase(), ({ userName, email, upn }) => [userName, email, upn]));
    read += page.length;
    if (read >= NEWEST || found.length >= MOST) break;
  }
  return found.slice(0, MOST);
}

async function peopleExactly(text: string, store: Store): Promise<Identity[]> {
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

/** The hex digits of an id, a serial number or a fingerprint, or the serial number of a certificate in PEM. */
function digitsIn(text: string): string | undefined {
  const digits = serialIn(text) ?? text.toLowerCase().replaceAll(/[:\s]/g, '');
  return /^[0-9a-f]+$/.test(digits) ? digits : undefined;
}

function isOf(text: string, digits: string | undefined): (refusal: RefusalCount) => boolean {
  const serial = digits?.replace(/^00(?=..)/, '');
  return ({ lastRequestId, claimed }) => lastRequestId === text || claimed?.serial === serial;
}

/** Serial numbers may look like addresses (IPv6). */
async function findGrantsBy(text: string, digits: string | undefined, ports: CallerPorts): Promise<readonly Grant[]> {
  const found = digits === undefined ? [] : await findGrantsByDigits(digits, ports);
  return found.length === 0 && isAddress(text)
    ? newestWhere(ports.store, ({ pair }) => pair.presenter.address === text)
    : found;
}

async function findGrantsByDigits(digits: string, ports: CallerPorts): Promise<readonly Grant[]> {
  const { store } = ports;
  if (digits.length === FINGERPRINT) return newestWhere(store, byFingerprint(digits));
  const begun = digits.length < 4 ? [] : await grantsBeginning(digits, MOST, store);
  if (begun.length > 0) return begun;
  const page = await pageOfGrants({ certificate: digits, all: true }, { limit: MOST }, ports);
  return page.ok ? page.value.grants : [];
}

const FINGERPRINT = 64;

/** Of a certificate in PEM. */
function serialIn(text: string): string | undefined {
  const [der] = text.includes('-----BEGIN CERTIFICATE-----') ? readPem(text, 'CERTIFICATE') : [];
  const certificate = der && readCertificate(der);
  return certificate?.ok ? Buffer.from(certificate.value.serial).toString('hex') : undefined;
}

function isAddress(text: string): boolean {
  return /^[0-9a-f]*[.:][0-9a-f.:]+$/i.test(text);
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

async function eventsFrom(address: string, store: Store): Promise<readonly LoggedEvent[]> {
  const since = after(await store.now(), seconds(0 - RECENTLY));
  return (await readOlderEvents({ limit: MOST, filter: { address, since } }, { store })).items;
}

const STEP = 1000;
