// What the claims of a provider say about a person.
import { isPlainName } from '../../core/certificate.ts';
import type { Identity } from '../../core/identity.ts';
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import { claimedId } from '../claimed-id.ts';
import type { Claims, OpenidAnswer } from './openid-provider.ts';

export interface ClaimSettings {
  readonly label: string;
  readonly issuer: string;
  readonly idClaims: readonly string[];
  readonly claims: {
    readonly userName?: string | undefined;
    readonly email: string;
    readonly groups?: string | undefined;
  };
  readonly strong?: { readonly claim: string; readonly values: readonly string[] } | undefined;
}

const MOST_GROUPS = 1_000;

/** The id and the proof come from the ID token alone; names and groups also from what the provider adds. */
export async function identityOf(answer: OpenidAnswer, settings: ClaimSettings): Promise<Outcome<Identity, string>> {
  const { label, issuer, idClaims, claims: names } = settings;
  const values = idClaims.map((name) => answer.claims[name]);
  const flawed = idClaims.find((_, at) => !isIdText(values[at]));
  if (flawed !== undefined) return refused(`the ID token has no usable claim ${flawed}`);
  const wanted = Object.values(names).filter((name) => name !== undefined);
  const isComplete = wanted.every((name) => answer.claims[name] !== undefined);
  const userInfo = isComplete ? {} : await answer.userInfo();
  const from = (name: string) => (answer.claims[name] === undefined ? userInfo : answer.claims);
  if (names.groups !== undefined && isElsewhere(from(names.groups), names.groups))
    return refused(`the person has more groups than the claim ${names.groups} can have`);
  const userName = names.userName === undefined ? undefined : nameIn(from(names.userName), names.userName);
  const email = from(names.email)['email_verified'] === true ? nameIn(from(names.email), names.email) : undefined;
  return accept({
    id: claimedId(label, issuer, values as string[]),
    enabled: true,
    mayUseApi: true,
    groups: names.groups === undefined ? [] : groupsIn(from(names.groups), names.groups, label),
    ...(userName !== undefined && { userName }),
    ...(email?.includes('@') && { email }),
  });
}

export function isStrong({ claims }: OpenidAnswer, { strong }: ClaimSettings): boolean {
  return [claims[strong?.claim ?? '']].flat().some((value) => strong?.values.includes(String(value)));
}

/** Without NUL, which separates the claims of an id. */
function isIdText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

function nameIn(claims: Claims, name: string): string | undefined {
  const value = claims[name];
  return typeof value === 'string' && isPlainName(value) ? value : undefined;
}

/** `LABEL/name`: a group of one directory is never taken for one of another. */
function groupsIn(claims: Claims, name: string, label: string): readonly string[] {
  const listed = [claims[name] ?? []].flat().filter((group) => typeof group === 'string');
  const plain = [...new Set(listed)].filter(isPlainName).sort();
  return plain.slice(0, MOST_GROUPS).map((group) => `${label}/${group}`);
}

/** OpenID Connect Core 5.6.2: Entra ID does this if somebody has too many groups. They are not none. */
function isElsewhere(claims: Claims, name: string): boolean {
  return Object.hasOwn(Object(claims['_claim_names']), name);
}
