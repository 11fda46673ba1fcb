// The oauth door: the operations of the authsvc door as OAuth 2.0 words them, for any OAuth library.
import { FeedTail } from '../../operations/feed/feed-tail.ts';
import type { DpopProofs } from '../../operations/grant/dpop-proofs.ts';
import type { CallerParts, Door, DoorEntry } from '../door.ts';
import { pathOf } from '../http/methods.ts';
import { NEUTRAL_REPLIES, repliesIn } from '../http/refusal-replies.ts';
import { chargedOnce, type TokenRates, tokenLimits } from '../token/limits.ts';
import { METADATA_PATHS, metadataOf, PATHS } from './metadata.ts';
import { oauthPaths } from './openapi.ts';
import { oauthWords } from './reply.ts';
import { mountOauth } from './routes.ts';

export interface OauthParts extends TokenRates, CallerParts {
  /** Where the door is; undefined if it is off. */
  readonly oauthMount: string | undefined;
  /** The address of a listener for callers with a client certificate, if there is one. */
  readonly certificateUrl: string | undefined;
  readonly proofs: DpopProofs;
}

export function oauthDoor({ name }: DoorEntry, parts: OauthParts): Door {
  const { oauthMount: path, publicUrl, certificateUrl, callerPorts: ports, readConnection, proofs } = parts;
  if (path === undefined)
    return { name, owns: () => false, mount: () => undefined, refusals: NEUTRAL_REPLIES, openapi: {} };
  const below = `${path.toLowerCase()}/`;
  const shared = {
    path,
    ports,
    readConnection,
    ...tokenLimits(parts, ports),
    verificationUri: `${publicUrl}/device`,
    feed: new FeedTail(ports.store),
    proofs,
    metadata: metadataOf({ issuer: publicUrl, mount: path, settings: ports.settings, certificateUrl }),
  };
  return {
    name,
    owns: (url) =>
      (pathOf(url).startsWith(below) && pathOf(url) !== below.slice(0, -1) + PATHS.authorize) ||
      METADATA_PATHS.some((known) => known === pathOf(url)),
    mount: (app, listener) => mountOauth(app, { ...shared, ...listener, overLimit: chargedOnce(shared.overLimit) }),
    refusals: repliesIn(oauthWords),
    openapi: oauthPaths(path),
  };
}
