// What the claims of a provider say about a person.
import { isPlainName } from '../../core/certificate.ts';
import type { Identity } from '../../core/identity.ts';
import { accept, type Outcome, refused } from '../../core/outcome.ts';
import { claimedId } from '../claimed-id.ts';
import { type GroupPowers, groupsHere } from '../groups-here.ts';
import type { Claims, OpenidAnswer } from './openid-provider.ts';

export interface ClaimSettings extends GroupPowers {
  readonly issuer: string;
  readonly idClaims: readonly string[];
  readonly claims: { readonly userName?: string | undefined; readonly groups?: string | undefined };
  readonly strong?: { readonly claim: string; readonly values: readonly string[] } | undefined;
}

const MOST_GROUPS = 1_000;

/** The id comes from the ID token alone; names and groups also from what the provider adds. */
export async function identityOf(
  answer: Pick<OpenidAnswer, 'claims' | 'userInfo'>,
  settings: ClaimSettings,
): Promise<Outcome<Identity, string>> {
  const { label, issuer, idClaims } = settings;
  const { userName = '', groups = '' } = settings.claims;
  const values = idClaims.map((name) => answer.claims[name]);
  const flawed = idClaims.find((_, at) => !isIdText(values[at]));
  if (flawed !== undefined) return refused(`the ID token has no usable claim ${flawed}`);
  const isComplete = ['email', userName, groups].every((name) => name === '' || answer.claims[name] !== undefined);
  const sources = [answer.claims, ...(isComplete ? [] : [await answer.userInfo()])];
  const from = (name: string) => sources.find((claims) => claims[name] !== undefined) ?? {};
  const listed = [from(groups)[groups] ?? []].flat();
  if (listed.length > MOST_GROUPS || (listed.length === 0 && sources.some((claims) => areElsewhere(claims, groups))))
    return refused('the person has too many groups');
  const email = from('email')['email_verified'] === true ? from('email')['email'] : undefined;
  return accept({
    id: claimedId(label, issuer, values as string[]),
    enabled: true,
    mayUseApi: true,
    groups: groupsHere(listed.filter(isName), settings),
    ...nameAs('userName', from(userName)[userName]),
    ...nameAs('email', email),
  });
}

export function isStrong({ claims }: OpenidAnswer, { strong }: ClaimSettings): boolean {
  return [claims[strong?.claim ?? '']].flat().some((value) => isName(value) && strong?.values.includes(value));
}

/** Without NUL, which separates the claims of an id. */
function isIdText(value: unknown): boolean {
  return typeof value === 'string' && value !== '' && !value.includes('\0');
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && isPlainName(value);
}

function nameAs(property: 'userName' | 'email', value: unknown): Partial<Identity> {
  return isName(value) ? { [property]: value } : {};
}

/** OpenID Connect Core 5.6.2: Entra ID does this if somebody has too many groups, which is not none. */
function areElsewhere(claims: Claims, groups: string): boolean {
  const { [CLAIM_NAMES]: elsewhere } = claims;
  return Object.hasOwn(Object(elsewhere), groups);
}

const CLAIM_NAMES = '_claim_names';
