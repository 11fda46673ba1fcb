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

export function samePoint(a: PointName, b: PointName, issuer: DistinguishedName): boolean {
  const place = placeOf(a, issuer);
  return place !== undefined && place === placeOf(b, issuer);
}

/** URIs compare exactly, directory names as names do. Other kinds cannot locate a CRL. */
function placeOf(name: PointName, issuer: DistinguishedName): string | undefined {
  if (name.kind === 'uri') return name.value;
  if (name.kind === 'directory') return name.name.comparable.join('\u0002');
  return name.kind === 'relative' ? [...issuer.comparable, name.comparable].join('\u0002') : undefined;
}
