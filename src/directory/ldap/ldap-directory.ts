// An LDAP directory or Active Directory: identities `LABEL:{guid}`, sign-in by search and bind.
import { isPlainName } from '../../core/certificate.ts';
import { EntryUnreadable } from '../../core/faults.ts';
import { firstHalf } from '../../core/hex.ts';
import { foldCase, type Identity, type IdentityId } from '../../core/identity.ts';
import { escapeControls, escapeText } from '../../core/quote.ts';
import type { RecheckTimes } from '../../core/rules/directory.ts';
import type { EpochSeconds } from '../../core/time.ts';
import { Secret } from '../../tokens/secret.ts';
import { sha256 } from '../../tokens/sha256.ts';
import type { Directory, DirectoryStep, PasswordHolder, SignedIn } from '../directory.ts';
import { type GroupPowers, groupsHere } from '../names-here.ts';
import { LdapConnections, type LdapEntry, type LdapServers } from './ldap-connections.ts';
import {
  firstValueOf,
  guidOf,
  guidValue,
  isBelow,
  KINDS,
  type LdapAttributes,
  type LdapKind,
  namesOf,
  stateOf,
} from './ldap-entry.ts';

export interface LdapSettings extends LdapServers, RecheckTimes, GroupPowers {
  readonly kind: LdapKind;
  readonly base: string;
  readonly filter?: string | undefined;
  readonly attributes: Readonly<Partial<LdapAttributes>>;
  readonly groups?: LdapGroups | undefined;
}

export interface LdapGroups {
  /** `token-groups`: of Active Directory, with the groups of groups. */
  readonly from: 'member-of' | 'search' | 'token-groups';
  readonly base: string;
  readonly filter?: string | undefined;
  readonly nameAttribute: string;
  readonly memberAttribute: string;
}

export function ldapDirectory(settings: LdapSettings, now: () => EpochSeconds): Directory {
  const directory = new LdapDirectory(settings, now);
  return {
    label: settings.label,
    byUserName: (name) => directory.find('userName', name),
    byEmail: (address) => directory.find('email', address),
    byUpn: (name) => directory.find('upn', name),
    passwords: {
      isBusy: () => false,
      check: (name, password) => directory.signIn(name, password),
      holderOf: (name) => directory.holderOf(name),
    },
    elsewhere: {
      times: settings,
      isWalked: true,
      again: ({ id }) => directory.byId(id),
      examine: (name) => directory.examine(name),
    },
  };
}

class LdapDirectory {
  readonly #settings: LdapSettings;
  readonly #connections: LdapConnections;
  readonly #names: LdapAttributes;
  readonly #attributes: readonly string[];
  readonly #now: () => EpochSeconds;

  constructor(settings: LdapSettings, now: () => EpochSeconds) {
    const { names, id, passwordSetAt, state } = KINDS[settings.kind];
    const given = Object.entries(settings.attributes).filter(([, name]) => name !== undefined);
    this.#settings = settings;
    this.#connections = new LdapConnections(settings);
    this.#names = { ...names, ...Object.fromEntries(given) };
    const groups = settings.groups?.from === 'member-of' ? ['memberOf'] : [];
    const named = Object.values(this.#names).filter((name): name is string => name !== undefined);
    this.#attributes = [...named, id, passwordSetAt, ...state, ...groups];
    this.#now = now;
  }

  async find(by: keyof LdapAttributes, name: string): Promise<readonly Identity[]> {
    const entries = await this.#entries(by, name);
    return Promise.all(entries.map((entry) => this.#identityOf(entry)));
  }

  async byId(id: IdentityId): Promise<Identity | undefined> {
    const { kind } = this.#settings;
    const [entry] = await this.#search([[KINDS[kind].id, guidValue(id, kind)]]);
    return entry && this.#identityOf(entry);
  }

  async signIn(name: string, password: Secret): Promise<SignedIn | undefined> {
    const entry = await this.#only(name);
    // RFC 4513 5.1.2: an empty password is a bind as nobody, which succeeds.
    const found = password.reveal() === '' ? undefined : entry;
    // A name that does not exist costs the same work. Its password is not sent: it may be that of a local name, mistyped.
    const isRight = found
      ? await this.#connections.canBind(found.dn, password)
      : await this.#connections.canBind(`cn=nobody,${this.#settings.base}`, NOBODYS_PASSWORD);
    return isRight && found ? this.#signedIn(name, found) : undefined;
  }

  async #signedIn(name: string, found: LdapEntry): Promise<SignedIn | undefined> {
    // OpenLDAP notes with the next bind that a lockout is over.
    const entry = this.#stateOf(found).isLocked ? await this.#only(name) : found;
    if (!entry || entry.dn !== found.dn || this.#stateOf(entry).isLocked) return undefined;
    const { passwordMark } = this.#holderOf(entry);
    return {
      identity: await this.#identityOf(entry),
      passwordMark,
      stillHolds: async () => (await this.holderOf(name))?.passwordMark === passwordMark,
      changePassword: async () => false,
    };
  }

  async holderOf(name: string): Promise<PasswordHolder | undefined> {
    const entry = await this.#only(name);
    return entry && this.#holderOf(entry);
  }

  async *examine(name?: string): AsyncGenerator<DirectoryStep> {
    const { servers, bindDn, base, filter } = this.#settings;
    const problems: (string | undefined)[] = [];
    for (const url of servers) {
      const problem = await this.#connections.problemOf(url);
      problems.push(problem);
      yield {
        passed: !problem,
        words: `${url}: ${problem ? withRemedy(problem) : `TLS and the bind as ${bindDn} work`}`,
      };
    }
    if (problems.every(Boolean)) return;
    const entries = this.#connections.search({ base, scope: 'sub', filter, attributes: this.#attributes, most: 1 });
    yield await entries.then(([entry]) => this.#seen(base, entry)).catch(failedStep(base));
    if (name === undefined) return;
    const found = await this.#examineName(name).catch((fault: unknown) => [failedStep(escapeText(name))(fault)]);
    yield* found;
  }

  async #seen(base: string, entry: LdapEntry | undefined): Promise<DirectoryStep> {
    if (!entry) return { passed: false, words: `${base}: no entry can be seen: look at base, filter and permissions` };
    await this.#identityOf(entry);
    return { passed: true, words: `${base}: entries can be seen, with id, state and groups` };
  }

  async #examineName(name: string): Promise<readonly DirectoryStep[]> {
    const steps: DirectoryStep[] = [];
    let most = 0;
    for (const by of ['userName', 'email', 'upn'] as const) {
      const entries = await this.#entries(by, name);
      most = Math.max(most, entries.length);
      for (const entry of entries) steps.push(await this.#examineEntry(entry, this.#names[by] ?? ''));
    }
    if (most === 0) steps.push({ passed: false, words: `no entry has the name ${escapeText(name)}` });
    const words = `${most} entries have the name ${escapeText(name)}: none of them is used`;
    return most > 1 ? [...steps, { passed: false, words }] : steps;
  }

  async #examineEntry(entry: LdapEntry, attribute: string): Promise<DirectoryStep> {
    const about = `${attribute}: ${escapeControls(entry.dn)}`;
    return this.#identityOf(entry).then(({ id, enabled, groups }) => {
      const state = enabled ? (this.#stateOf(entry).isLocked ? 'locked' : 'enabled') : 'ended';
      return { passed: enabled, words: `${about} is ${id}, ${state}, groups: ${groups.join(', ') || 'none'}` };
    }, failedStep(about));
  }

  /** Undefined also if two entries have this name. */
  async #only(userName: string): Promise<LdapEntry | undefined> {
    const [entry, ...others] = await this.#entries('userName', userName);
    return others.length === 0 ? entry : undefined;
  }

  async #entries(by: keyof LdapAttributes, name: string): Promise<readonly LdapEntry[]> {
    const attribute = this.#names[by];
    if (attribute === undefined || !isPlainName(name)) return [];
    const found = await this.#search([[attribute, name]]);
    // Servers may ignore more than case: accents, spaces. Here a name may differ only in case.
    return found.filter((entry) => entry.texts(attribute).some((value) => foldCase(value) === foldCase(name)));
  }

  #search(anyOf: readonly (readonly [string, string | Buffer])[]): Promise<readonly LdapEntry[]> {
    const { base, filter } = this.#settings;
    return this.#connections.search({ base, scope: 'sub', anyOf, filter, attributes: this.#attributes });
  }

  async #identityOf(entry: LdapEntry): Promise<Identity> {
    return {
      id: this.#idOf(entry),
      enabled: !this.#stateOf(entry).hasEnded,
      mayUseApi: true,
      groups: await this.#groupsOf(entry),
      ...namesOf(entry, this.#names),
    };
  }

  #stateOf(entry: LdapEntry) {
    return stateOf(entry, this.#settings.kind, this.#now());
  }

  #idOf(entry: LdapEntry): IdentityId {
    const { label, kind } = this.#settings;
    return `${label}:${guidOf(entry, kind)}` as IdentityId;
  }

  #holderOf(entry: LdapEntry): PasswordHolder {
    const id = this.#idOf(entry);
    const [setAt = ''] = entry.texts(KINDS[this.#settings.kind].passwordSetAt);
    return { id, passwordMark: firstHalf(sha256(`${id}\0${setAt}`)) };
  }

  async #groupsOf(entry: LdapEntry): Promise<readonly string[]> {
    const { groups } = this.#settings;
    if (!groups) return [];
    const names = await this.#groupNames(entry, groups);
    return groupsHere(names.filter(isPlainName), this.#settings);
  }

  async #groupNames(entry: LdapEntry, groups: LdapGroups): Promise<readonly string[]> {
    const { base, filter, nameAttribute, memberAttribute } = groups;
    const attributes = [nameAttribute];
    const search = async (anyOf: readonly (readonly [string, string | Buffer])[]) =>
      (await this.#connections.search({ base, scope: 'sub', anyOf, filter, attributes })).flatMap((group) =>
        group.texts(nameAttribute).slice(0, 1),
      );
    switch (groups.from) {
      case 'member-of':
        return entry.texts('memberOf').flatMap((dn) => (isBelow(dn, base) ? (firstValueOf(dn) ?? []) : []));
      case 'search':
        return search([[memberAttribute, entry.dn]]);
      case 'token-groups': {
        const sids = await this.#tokenGroups(entry.dn);
        const names: string[] = [];
        for (let at = 0; at < sids.length; at += SIDS_AT_ONCE)
          names.push(...(await search(sids.slice(at, at + SIDS_AT_ONCE).map((sid) => ['objectSid', sid] as const))));
        return names;
      }
    }
  }

  /** Every account has a primary group: none at all means that they cannot be read. */
  async #tokenGroups(dn: string): Promise<readonly Buffer[]> {
    const [entry] = await this.#connections.search({ base: dn, scope: 'base', attributes: ['tokenGroups'] });
    const sids = entry?.bytes('tokenGroups') ?? [];
    if (sids.length === 0)
      throw new EntryUnreadable(`${dn} has no readable tokenGroups: the service account needs them`);
    return sids;
  }
}

const SIDS_AT_ONCE = 50;
const NOBODYS_PASSWORD = new Secret('nobody');

function failedStep(about: string): (fault: unknown) => DirectoryStep {
  return (fault) => ({ passed: false, words: `${about}: ${withRemedy((fault as Error).message)}` });
}

/** By what servers and TLS say. */
const REMEDIES: readonly (readonly [RegExp, string])[] = [
  [/^invalid credentials/, 'look at bindDn and its password'],
  [/certificate|altnames/, 'look at authorities, and at the name in servers'],
  [/^no such object/, 'look at base'],
];

function withRemedy(problem: string): string {
  const [, remedy] = REMEDIES.find(([said]) => said.test(problem)) ?? [];
  return remedy ? `${problem}: ${remedy}` : problem;
}
