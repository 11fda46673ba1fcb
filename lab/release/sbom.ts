// A software bill of materials: CycloneDX 1.6, https://cyclonedx.org/docs/1.6/json/. Without a time and a serial number, so that the
// same release has the same bytes.
import type { Shipped } from './shipped.ts';

export interface Product {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly description: string;
}

export function sbomOf(product: Product, shipped: readonly Shipped[], direct: readonly string[]): object {
  const refs = new Map(shipped.map((each) => [each.path, purlOf(each)]));
  const refOf = (path: string) => refs.get(path) ?? '';
  const root = purlOf(product);
  const needs = shipped.map((each) => ({ ref: purlOf(each), dependsOn: sortedRefs(each.needs.map(refOf)) }));
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { ...componentOf(product), 'bom-ref': root, type: 'application' } },
    components: shipped.map((each) => ({
      type: 'library',
      'bom-ref': purlOf(each),
      ...componentOf(each),
      scope: each.isOptional ? 'optional' : 'required',
      hashes: [{ alg: 'SHA-512', content: hexOf(each.integrity) }],
    })),
    dependencies: [{ ref: root, dependsOn: sortedRefs(direct.map(refOf)) }, ...needs],
  };
}

function componentOf({ name, version, license }: Omit<Product, 'description'>) {
  const purl = purlOf({ name, version });
  return { name, version, purl, licenses: [licenceOf(license)] };
}

/** An SPDX id, or an expression of several. */
function licenceOf(license: string): object {
  return /[ ()]/.test(license) ? { expression: license } : { license: { id: license } };
}

/** https://github.com/package-url/purl-spec: the @ of a scope is encoded. */
function purlOf({ name, version }: Pick<Product, 'name' | 'version'>): string {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`;
}

function sortedRefs(refs: readonly string[]): string[] {
  return [...new Set(refs)].toSorted();
}

function hexOf(integrity: string): string {
  const [, base64] = /^sha512-(\S+)$/.exec(integrity) ?? [];
  if (!base64) throw new Error(`${integrity} is not a SHA-512`);
  return Buffer.from(base64, 'base64').toString('hex');
}
