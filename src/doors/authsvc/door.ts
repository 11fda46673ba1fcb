// The authsvc door: the operations of docs/contract.md, for callers written against it, at one or more mounts.
import type { CallerParts, Door, DoorEntry } from '../door.ts';
import { pathOf } from '../http/methods.ts';
import { type RefusalReplies, repliesIn } from '../http/refusal-replies.ts';
import { type TokenRates, tokenLimits } from '../token/limits.ts';
import { authsvcPaths, type DocumentedMount } from './openapi.ts';
import { authsvcWords } from './reply.ts';
import { mountAuthsvc } from './routes.ts';
import type { ErrorKeys } from './schemas.ts';
import { wordingOf } from './wording.ts';

export interface AuthsvcParts extends TokenRates, CallerParts {
  readonly authsvcMounts: readonly DocumentedMount[];
}

export function authsvcDoor({ name }: DoorEntry, parts: AuthsvcParts): Door {
  const { authsvcMounts: mounts, publicUrl, callerPorts: ports, readConnection } = parts;
  const limits = tokenLimits(parts, ports);
  const shared = { ports, readConnection, ...limits, verificationUri: `${publicUrl}/device` };
  return {
    name,
    owns: (url) => mountAt(url, mounts) !== undefined,
    mount: (app, listener) => {
      for (const mount of mounts) mountAuthsvc(app, { ...shared, ...listener, ...mount });
    },
    refusals: refusalsAt((url) => mountAt(url, mounts)?.errorKeys ?? 'spec'),
    openapi: authsvcPaths(mounts, publicUrl),
  };
}

/** The mount that an address is below: the longest one, since a mount may be below another. */
function mountAt(url: string, mounts: readonly DocumentedMount[]): DocumentedMount | undefined {
  const path = pathOf(url);
  const [mount] = mounts
    .filter((candidate) => path.startsWith(`${candidate.path.toLowerCase()}/`))
    .sort((a, b) => b.path.length - a.path.length);
  return mount;
}

function refusalsAt(keysAt: (url: string) => ErrorKeys): RefusalReplies {
  const repliesWith = (keys: ErrorKeys) =>
    repliesIn((refusal, request) => authsvcWords(refusal, wordingOf(refusal.reason), keys, request));
  const replies = { spec: repliesWith('spec'), oauth: repliesWith('oauth'), both: repliesWith('both') };
  return { reply: (reply, refusal) => replies[keysAt(reply.request.url)].reply(reply, refusal) };
}
