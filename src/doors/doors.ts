// Every door of the service. To add one: write its folder, and add its entry here.
import type { Door, DoorEntry } from './door.ts';
import { openapiDocument } from './openapi.ts';
import type { OpenapiDocument } from './openapi-document.ts';

// Loaded on demand: the configuration reads this list too, and needs no door's code.
const DOORS = [
  { name: 'authsvc', segments: [], load: async () => (await import('./authsvc/door.ts')).authsvcDoor },
  { name: 'oauth', segments: ['.well-known'], load: async () => (await import('./oauth/door.ts')).oauthDoor },
  {
    name: 'pages',
    segments: ['device', 'account', 'docs'],
    load: async () => (await import('./pages/door.ts')).pagesDoor,
  },
  {
    name: 'ops',
    segments: ['healthz', 'readyz', 'metrics'],
    load: async () => (await import('./ops/door.ts')).opsDoor,
  },
  {
    name: 'admin',
    segments: ['admin'],
    isNamedOnly: true,
    load: async () => (await import('./admin/door.ts')).adminDoor,
  },
  {
    name: 'scim',
    segments: ['scim'],
    isNamedOnly: true,
    load: async () => (await import('./scim/door.ts')).scimDoor,
  },
  {
    name: 'console',
    segments: ['console'],
    isNamedOnly: true,
    load: async () => (await import('./pages/console/door.ts')).consoleDoor,
  },
] as const satisfies readonly (DoorEntry & { readonly load: () => Promise<unknown> })[];

/** First path segments kept free: the default mount of the oauth door, and doors to come. */
const RESERVED_SEGMENTS = ['oauth2'];

export const DOOR_NAMES = DOORS.map(({ name }) => name);

/** The doors of a listener that names none. */
export const USUAL_DOORS: readonly string[] = DOORS.filter((door) => !('isNamedOnly' in door)).map(({ name }) => name);

export const OWNED_SEGMENTS: readonly string[] = [...RESERVED_SEGMENTS, ...DOORS.flatMap(({ segments }) => segments)];

type MakeDoor = Awaited<ReturnType<(typeof DOORS)[number]['load']>>;
/** What all doors together are made from. */
type AllParts = MakeDoor extends (entry: DoorEntry, parts: infer Parts) => Door ? Parts : never;
export type DoorParts = Omit<AllParts, 'openapi' | 'adminOpenapi'> & {
  readonly version: string;
  readonly servedDoors: readonly string[];
};

export async function openDoors(parts: DoorParts): Promise<readonly Door[]> {
  const doors: Door[] = [];
  let document: OpenapiDocument | undefined;
  const openapi = (): OpenapiDocument => {
    document ??= openapiDocument(parts, doors);
    return document;
  };
  let administration: Promise<OpenapiDocument> | undefined;
  const adminOpenapi = (): Promise<OpenapiDocument> => {
    administration ??= import('./admin/openapi.ts').then(({ adminDocument }) => adminDocument(parts));
    return administration;
  };
  for (const entry of DOORS) {
    if (!parts.servedDoors.includes(entry.name)) continue; // loading all takes a tenth of a start
    const makeDoor = await entry.load();
    doors.push(makeDoor(entry, { ...parts, openapi, adminOpenapi }));
  }
  return doors;
}
