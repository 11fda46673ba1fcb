// Distribution point names: a certificate says where its CRL is, and the CRL repeats it.
import { contextTag, type Element, expectTag, unwrap } from '../der/der.ts';
import { comparableOf, type DistinguishedName, readRelativeName } from './distinguished-name.ts';
import { type GeneralName, readGeneralNames } from './general-name.ts';

export type PointName = GeneralName | { readonly kind: 'relative'; readonly comparable: string };

/** DistributionPointName (RFC 5280 4.2.1.13): full names, or a suffix to the issuer's name. */
export function readPointName(element: Element): PointName[] {
  const [full, relative] = [contextTag(0, 'constructed'), contextTag(1, 'constructed')];
  const choice = unwrap(element);
  if (choice.tag !== relative) return readGeneralNames(expectTag(choice, full), full);
  return [{ kind: 'relative', comparable: comparableOf(readRelativeName(choice, relative)) }];
}

/** Equal texts mean equal places. URIs compare exactly, directory names as names do. Other kinds cannot locate a CRL. */
export function placesOf(names: readonly PointName[], issuer: DistinguishedName): string[] {
  return names.flatMap((name) => placeOf(name, issuer) ?? []);
}

function placeOf(name: PointName, issuer: DistinguishedName): string | undefined {
  if (name.kind === 'uri') return `uri ${name.value}`;
  if (name.kind === 'directory') return `name ${name.name.comparable.join('\u0002')}`;
  return name.kind === 'relative' ? `name ${[...issuer.comparable, name.comparable].join('\u0002')}` : undefined;
}
