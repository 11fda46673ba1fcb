// What `kubectl kustomize` makes of an overlay of deploy/kubernetes, for the features used there: resources, and patches by
// strategic merge. A test compares it with kubectl where that is installed.
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

export const MANIFESTS = join(import.meta.dirname, '../../deploy/kubernetes');

export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
  readonly [field: string]: unknown;
}

interface Kustomization {
  readonly resources: readonly string[];
  readonly patches?: readonly { readonly path: string }[];
}

export function render(overlay: string, folder = join(MANIFESTS, overlay)): Manifest[] {
  const { resources, patches = [] } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as Kustomization;
  const found = resources.flatMap((resource) => {
    const path = join(folder, resource);
    return statSync(path).isDirectory() ? render(resource, path) : documents(path);
  });
  return patches.flatMap(({ path }) => documents(join(folder, path))).reduce(applied, found);
}

function documents(path: string): Manifest[] {
  return parseAllDocuments(readFileSync(path, 'utf8')).map((document) => document.toJS() as Manifest);
}

function applied(manifests: Manifest[], patch: Manifest): Manifest[] {
  const isMeant = ({ kind, metadata }: Manifest) => kind === patch.kind && metadata.name === patch.metadata.name;
  if (!manifests.some(isMeant)) throw new Error(`${patch.kind} ${patch.metadata.name} patches nothing`);
  return manifests.map((manifest) => (isMeant(manifest) ? (merged(manifest, patch) as Manifest) : manifest));
}

/** Maps are merged; anything else replaces what was there. Patches here hold no list that Kubernetes would merge by key. */
function merged(base: unknown, patch: unknown): unknown {
  if (!isMap(base) || !isMap(patch)) return patch;
  const changed = Object.entries(patch).map(([key, value]) => [key, merged(base[key], value)]);
  return { ...base, ...Object.fromEntries(changed) };
}

function isMap(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
