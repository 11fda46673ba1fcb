// One request of a browser: who it is, which language it reads, and the token its forms carry.
import type { FastifyRequest } from 'fastify';
import type { Person } from '../../../core/person.ts';
import type { ReadDocument } from '../../../operations/device/ask-code.ts';
import { personOf } from '../../../operations/person/browser-session.ts';
import type { Ports } from '../../../operations/ports.ts';
import { portsOfRequest } from '../../../operations/request-ports.ts';
import type { ReadConnection } from '../../caller/connection.ts';
import type { AddressLimit } from '../../http/rate-limit.ts';
import type { OpenapiDocument } from '../../openapi-document.ts';
import type { Assets, Look } from './assets.ts';
import { readCookie, writeCookie } from './cookies.ts';
import { type FormOwner, formToken } from './form-token.ts';
import { type Language, languageFor } from './language.ts';

/** What all visits share. */
export interface Site {
  readonly ports: Ports;
  readonly readConnection: ReadConnection;
  readonly overLimit: AddressLimit;
  /** Where people reach the service: made from the configuration, never from the Host header. */
  readonly publicUrl: string;
  /** Where the oauth door is; undefined if it is off. */
  readonly oauthMount: string | undefined;
  readonly readDocument: ReadDocument;
  readonly look: Look;
  readonly assets: Assets;
  /** What /docs/api shows. */
  readonly openapi: () => OpenapiDocument;
  /** Of the admin door. */
  readonly adminOpenapi: () => Promise<OpenapiDocument>;
}

export interface Visit {
  readonly site: Site;
  readonly request: FastifyRequest;
  readonly language: Language;
  readonly person: Person | undefined;
  readonly formOwner: FormOwner;
  readonly formToken: string;
  /** Cookies to set with any answer. */
  readonly cookies: readonly string[];
}

export interface PersonVisit extends Visit {
  readonly person: Person;
}

export function isSecure({ publicUrl }: Pick<Site, 'publicUrl'>): boolean {
  return publicUrl.startsWith('https:');
}

export async function visitOf(request: FastifyRequest, shared: Site): Promise<Visit> {
  const site = { ...shared, ports: portsOfRequest(shared.ports, request.id) };
  const language = languageFor(request.headers['accept-language']);
  const cookie = readCookie(request, 'session', isSecure(site));
  // What a page fetches by itself is no sign of the person.
  const isSeen = request.headers['tessera-live'] === undefined;
  const person = cookie === undefined ? undefined : await personOf(cookie, site.ports, isSeen);
  const { formOwner, cookies } = person
    ? { formOwner: { session: person.session }, cookies: [] }
    : visitor(request, site);
  return { site, request, language, person, formOwner, formToken: formToken(formOwner, site.ports.keyring), cookies };
}

/** A visit without any lookup, for what must be shown even while the store is away. */
export function strangerVisit(request: FastifyRequest, site: Site): Visit {
  const language = languageFor(request.headers['accept-language']);
  return { site, request, language, person: undefined, formOwner: { visitor: '' }, formToken: '', cookies: [] };
}

/** The same visit after sign-in: its forms belong to the new session. */
export function signedIn(visit: Visit, person: Person): PersonVisit {
  const formOwner = { session: person.session };
  return { ...visit, person, formOwner, formToken: formToken(formOwner, visit.site.ports.keyring), cookies: [] };
}

const VISITOR_LENGTH = 16;
const VISITOR = /^[\w-]{22}$/;

function visitor(request: FastifyRequest, site: Site): { formOwner: FormOwner; cookies: string[] } {
  const known = readCookie(request, 'visitor', isSecure(site));
  if (known && VISITOR.test(known)) return { formOwner: { visitor: known }, cookies: [] };
  const drawn = site.ports.random(VISITOR_LENGTH).toString('base64url');
  return { formOwner: { visitor: drawn }, cookies: [writeCookie('visitor', drawn, isSecure(site))] };
}

/** A parameter of the path. */
export function paramOf({ request }: Visit, name: string): string {
  return (request.params as Record<string, string | undefined>)[name] ?? '';
}

/** A query parameter, if it is given exactly once. */
export function queryOf({ request }: Visit, name: string): string | undefined {
  const value = (request.query as Record<string, unknown>)[name];
  return typeof value === 'string' ? value : undefined;
}
