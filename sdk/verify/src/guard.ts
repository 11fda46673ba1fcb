// The guard of APIs behind a proxy (docs/guard.md), for `tessera-guard` and the server's `tessera guard`.
import { once } from 'node:events';
import { readAsked } from './guard/asked.ts';
import { checkConfiguration, SCHEMA, WrongConfiguration } from './guard/configuration.ts';
import { fileSource, type Source } from './guard/in-effect.ts';
import { lineWriter } from './guard/log.ts';
import { Rules } from './guard/rules.ts';
import { GuardServer } from './guard/server.ts';
import type { GuardFlags } from './guard/words.ts';
import { Misconfigured } from './service.ts';

export const schemaText = () => JSON.stringify(SCHEMA, undefined, 2);

/** Runs until SIGTERM or SIGINT. Throws what `isConfigurationFault` knows if it cannot start. */
export async function runGuard(file: string | undefined, flags: GuardFlags): Promise<void> {
  const write = lineWriter(process.stdout);
  const server = new GuardServer(sourceOf(file, flags), write);
  const reload = () => void server.reload();
  const stopped = Promise.race(['SIGTERM', 'SIGINT'].map((signal) => once(process, signal)));
  process.on('SIGHUP', reload);
  try {
    write('info', { listen: await server.start() }, 'the guard answers');
    await stopped;
  } finally {
    await server.stop();
    process.off('SIGHUP', reload);
  }
  write('info', {}, 'the guard has stopped');
}

/** Whether the operator must change something. */
export function isConfigurationFault(fault: unknown): fault is Error {
  return [WrongConfiguration, Misconfigured, TypeError].some((known) => fault instanceof known);
}

function sourceOf(
  file: string | undefined,
  { issuer, resourceServer, audience, secretFile, ca, listen }: GuardFlags,
): Source {
  const given = { issuer, resourceServer, audience, secretFile, ca, listen };
  const names = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (file !== undefined && names.length > 0)
    throw new WrongConfiguration(`name a file, or ${names.join(', ')}, not both`);
  if (file !== undefined) return fileSource(file);
  const configuration = {
    from: 'headers',
    ...(issuer !== undefined && { issuer }),
    ...(ca !== undefined && { ca }),
    ...(listen !== undefined && { listen: [listen] }),
    resourceServers: [JSON.parse(JSON.stringify({ id: resourceServer, audience, secretFile }))],
  };
  return { folder: process.cwd(), read: () => configuration };
}

export interface Explained {
  readonly isAsked: boolean;
  readonly lines: Readonly<Record<string, string>>;
}

/** `url`: as a caller writes it; its path is read as it is. */
export function explainRequest(file: string, method: string, url: string): Explained {
  const { rules, resourceServers } = checkConfiguration(fileSource(file).read());
  if (!rules) throw new WrongConfiguration(`${file} has no rules: the address that the proxy asks says what is needed`);
  const [, host = '', target = ''] = /^https?:\/\/([^/?#]*)(.*)$/.exec(url) ?? [];
  const headers = { 'x-forwarded-method': [method], 'x-forwarded-host': [host], 'x-forwarded-uri': [target || '/'] };
  const asked = readAsked({ headersDistinct: headers }, 'headers');
  const needed = typeof asked === 'string' ? ({ status: 400, why: asked } as const) : new Rules(rules).match(asked);
  if ('why' in needed) return { isAsked: false, lines: { refused: `${needed.status}: ${needed.why}` } };
  const { audience, scope, rule = 0, isOpen } = needed;
  const id = resourceServers.find((each) => each.audience === audience)?.id ?? '';
  const needs = isOpen ? 'nothing: it is open' : scope.join(' ') || 'any good token';
  return { isAsked: true, lines: { rule: `rules[${rule - 1}]`, audience: `${audience} (${id})`, needs } };
}
