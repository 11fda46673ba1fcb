// The configuration in effect, and the next one when its files change. A wrong one changes nothing.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Middleware } from '../frameworks.ts';
import type { VerifierOptions } from '../options.ts';
import { type Guard, verifier } from '../verifier.ts';
import { type Configuration, checkConfiguration, WrongConfiguration } from './configuration.ts';
import type { InEffect } from './decide.ts';
import type { WriteLine } from './log.ts';
import type { GuardState } from './metrics.ts';
import { Rules } from './rules.ts';

/** Where the configuration is: in a file, or in the options of the command. Paths in it are relative to the folder. */
export interface Source {
  readonly folder: string;
  readonly read: () => unknown;
}

/** Longer than any check that still uses a verifier of before. */
const RETIRE_MS = 15_000;
const NOT_LOADED = 'the configuration was not loaded: that of before counts';

interface Kept {
  readonly id: string;
  readonly options: string;
  readonly guard: Guard;
  readonly metadata: Middleware | undefined;
  wasFresh: boolean;
  since: number;
}

export function fileSource(path: string): Source {
  const read = () => {
    const text = textOf(path);
    try {
      return JSON.parse(text) as unknown;
    } catch (fault) {
      throw new WrongConfiguration(`${path} is not JSON: ${(fault as Error).message}`);
    }
  };
  return { folder: dirname(resolve(path)), read };
}

export class Configured {
  readonly #source: Source;
  readonly #write: WriteLine;
  /** By audience. */
  #kept = new Map<string, Kept>();
  #current: InEffect | undefined;
  #tried = '';
  #failed = '';
  #loading: Promise<void> = Promise.resolve();

  constructor(source: Source, write: WriteLine) {
    this.#source = source;
    this.#write = write;
  }

  get current(): InEffect {
    if (!this.#current) throw new Error('no configuration is loaded');
    return this.#current;
  }

  /** What serves the metadata of the API at this host. */
  metadataAt(host: string | undefined): Middleware | undefined {
    const isAt = (audience: string) => URL.canParse(audience) && new URL(audience).host === host;
    return [...this.#kept].find(([audience, { metadata }]) => metadata && isAt(audience))?.[1].metadata;
  }

  get states(): readonly GuardState[] {
    return [...this.#kept.values()].map(({ id, guard, since }) => {
      const { isFresh, wasFresh: isWithinBound, proofs } = guard;
      return { id, isFresh, isWithinBound, since, proofs: proofs.used };
    });
  }

  /** Throws WrongConfiguration, and what a verifier rejects with. Until it resolves, the one of before is in effect. */
  async load(): Promise<void> {
    const configuration = checkConfiguration(this.#source.read());
    const options = optionsOf(configuration, this.#source.folder, this.#write);
    const tried = JSON.stringify([configuration, options]);
    if (tried === this.#tried) return;
    const kept = await this.#verifiers(configuration, options);
    this.#tried = tried;
    const guards = new Map([...kept].map(([audience, { guard }]) => [audience, guard]));
    const { rules } = configuration;
    const isFirst = this.#current === undefined;
    this.#current = { configuration, guards, rules: rules && new Rules(rules) };
    const retired = [...this.#kept].filter(([audience, { guard }]) => guards.get(audience) !== guard);
    setTimeout(() => retired.map(([, { guard }]) => guard.close()), RETIRE_MS).unref();
    this.#kept = kept;
    if (!isFirst) this.#write('info', { rules: rules?.length }, 'the configuration was loaded again');
  }

  /** One after the other. A mistake is logged once, however often it is read; with `isForced`, what failed is tried again. */
  reload(isForced = false): Promise<void> {
    this.#loading = this.#loading.then(async () => {
      if (isForced) this.#tried = '';
      const mistake = await this.load().then(
        () => '',
        (fault: Error) => fault.message,
      );
      if (mistake && mistake !== this.#failed) this.#write('error', { fault: mistake }, NOT_LOADED);
      this.#failed = mistake;
    });
    return this.#loading;
  }

  /** Notes since when each verifier is fresh, or is not. */
  watch(now: number): void {
    for (const kept of this.#kept.values()) {
      if (kept.guard.isFresh !== kept.wasFresh) kept.since = now;
      kept.wasFresh = kept.guard.isFresh;
    }
  }

  close(): void {
    for (const { guard } of this.#kept.values()) guard.close();
  }

  /** Those whose options are as before stay, with what they know. */
  async #verifiers({ resourceServers }: Configuration, all: readonly VerifierOptions[]): Promise<Map<string, Kept>> {
    const made = await Promise.allSettled(
      resourceServers.map(async ({ id, audience, metadata = false }, index) => {
        const options = JSON.stringify([all[index], metadata]);
        const before = this.#kept.get(audience);
        return before?.options === options ? before : keptOf(id, options, all[index] as VerifierOptions, metadata);
      }),
    );
    const failed = made.find(({ status }) => status === 'rejected');
    const kept = made.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
    if (!failed) return new Map(kept.map((each, index) => [resourceServers[index]?.audience ?? '', each]));
    const held = new Set(this.#kept.values());
    for (const each of kept) if (!held.has(each)) each.guard.close();
    throw (failed as PromiseRejectedResult).reason;
  }
}

async function keptOf(id: string, options: string, given: VerifierOptions, hasMetadata: boolean): Promise<Kept> {
  const guard = await verifier(given);
  const metadata = hasMetadata ? guard.metadata : undefined; // from now on, refusals name the document
  return { id, options, guard, metadata, wasFresh: guard.isFresh, since: Date.now() };
}

function optionsOf(configuration: Configuration, folder: string, write: WriteLine): VerifierOptions[] {
  const { issuer, ca, resourceServers, maxStale, whenStale = 'refuse', cacheSize } = configuration;
  const inFolder = (path: string) => textOf(resolve(folder, path));
  const authority = ca === undefined ? undefined : inFolder(ca);
  return resourceServers.map(({ id, audience, secretFile, origin }) => ({
    ...{ issuer, ca: authority, origin, maxStale, whenStale, cacheSize },
    resourceServer: { id, audience, secret: inFolder(secretFile).trim() },
    onNotice: (notice: string) => write('warn', { resourceServer: id }, notice),
  }));
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (fault) {
    throw new WrongConfiguration(`${path} cannot be read: ${(fault as Error).message}`);
  }
}
