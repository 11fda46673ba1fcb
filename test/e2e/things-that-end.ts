// Something of every kind that can end: how it is made, ended and opened again.
import type { Ending, EndingKind } from '../../src/core/act.ts';
import type { Installation } from './installation.ts';
import {
  addIntegration,
  addIssuer,
  addKey,
  addResourceServer,
  addTokenIssuer,
  aGrant,
  aKey,
  anIdentity,
  anIntegration,
  anIssuer,
  aPasskey,
  aResourceServer,
  aSigningKey,
  aTokenIssuer,
  type Thing,
  writeAuthority,
} from './made-things.ts';

export interface End {
  readonly by: (id: string, at: Installation) => Promise<unknown>;
  /** What works all the same. */
  readonly stays?: readonly string[];
  readonly reopened: Reopened;
  /** How its name is given to another. */
  readonly replaced?: (id: string, at: Installation) => Promise<unknown>;
}

/** How a thing is opened again, and what works then: by default everything. */
type Reopened =
  | 'never'
  | { readonly by: (id: string, at: Installation) => Promise<unknown>; works?: readonly string[] };

interface KindOfThing<Did extends string> {
  readonly make: (name: string, at: Installation) => Promise<Thing>;
  readonly ends: { readonly [D in Did]: End };
}

/** Grants are no registered things; they end all the same. */
export type ThingKind = EndingKind | 'grant';
type Ends<K extends ThingKind> = K extends EndingKind ? Ending<K> : 'revoked';

/** In this order: a key stops being used before the others get their tokens. */
export const THINGS: { readonly [K in ThingKind]: KindOfThing<Ends<K>> } = {
  key: {
    make: aKey,
    ends: { retired: { by: (id, at) => at.run('keyring', 'retire', id, '--at-once'), reopened: 'never' } },
  },
  'signing-key': {
    make: aSigningKey,
    ends: { removed: { by: (id, at) => at.run('keyring', 'retire', id, '--at-once'), reopened: 'never' } },
  },
  identity: {
    make: anIdentity,
    ends: {
      disabled: {
        by: (id, at) => at.run('identity', 'disable', id),
        reopened: { by: (id, at) => at.run('identity', 'enable', id) },
      },
      removed: { by: (id, at) => at.run('identity', 'remove', id, '--yes'), reopened: 'never' },
    },
  },
  passkey: {
    make: aPasskey,
    ends: { removed: { by: (id, at) => at.run('identity', 'passkey', 'remove', id, '--all'), reopened: 'never' } },
  },
  integration: {
    make: anIntegration,
    ends: {
      disabled: {
        by: (id, at) => at.run('integration', 'disable', id),
        reopened: { by: (id, at) => at.run('integration', 'enable', id) },
      },
      'key-removed': {
        by: (id, at) => at.run('integration', 'key', 'remove', id, 'k1'),
        stays: ['grant', 'device', 'verify', 'introspection', 'follower', 'refresh', 'secret', 'newer secret'],
        reopened: { by: addKey },
      },
      'secret-dropped': {
        by: (id, at) => at.run('integration', 'secret', id, '--drop-old'),
        stays: ['grant', 'device', 'verify', 'introspection', 'follower', 'refresh', 'key', 'newer secret'],
        reopened: 'never',
      },
      // Its grants, keys and secrets have ended for good.
      removed: {
        by: (id, at) => at.run('integration', 'remove', id, '--yes'),
        reopened: { by: addIntegration, works: ['grant', 'device'] },
      },
    },
  },
  issuer: {
    make: anIssuer,
    ends: {
      withdrawn: {
        by: (id, at) => at.run('issuer', 'remove', id),
        reopened: { by: addIssuer },
        replaced: (id, at) => {
          writeAuthority(id, at);
          return addIssuer(id, at);
        },
      },
    },
  },
  'token-issuer': {
    make: aTokenIssuer,
    ends: {
      removed: {
        by: (id, at) => at.run('token-issuer', 'remove', id),
        reopened: { by: addTokenIssuer },
        replaced: (id, at) => addTokenIssuer(id, at, 'https://another.example'),
      },
    },
  },
  'resource-server': {
    make: aResourceServer,
    ends: {
      disabled: {
        by: (id, at) => at.run('resource-server', 'change', id, '--enabled', 'no'),
        reopened: { by: (id, at) => at.run('resource-server', 'change', id, '--enabled', 'yes') },
      },
      'secrets-replaced': {
        by: (id, at) => at.run('resource-server', 'secret', id, '--replace'),
        stays: ['audience'],
        reopened: 'never',
      },
      'secret-dropped': {
        by: (id, at) => at.run('resource-server', 'secret', id, '--drop-old'),
        stays: ['audience', 'newer secret'],
        reopened: 'never',
      },
      // Its secrets have ended for good.
      removed: {
        by: (id, at) => at.run('resource-server', 'remove', id, '--yes'),
        reopened: { by: addResourceServer, works: ['audience'] },
      },
    },
  },
  grant: { make: aGrant, ends: { revoked: { by: (id, at) => at.run('grant', 'revoke', id), reopened: 'never' } } },
};
