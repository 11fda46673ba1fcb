// A service in its own process, and the caller of a drill.
import { rmSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { Issued } from '../../test/authority.ts';
import { type Answer, type Caller, callerOver } from '../../test/e2e/caller.ts';
import { type Home, populatedHome, type SetUp } from '../../test/e2e/service.ts';
import { entryOf, NotServing, Service, type Stopped } from './service.ts';

/** A data folder, and the credentials for services on it. */
export interface Field {
  readonly home: Home;
  readonly path: string;
  readonly ada: Issued;
  remove(): void;
}

export async function aField(settings: SetUp['settings'] = {}): Promise<Field> {
  const home = await populatedHome({ settings: { limits: { stopTimeout: '3s' }, ...settings } });
  const ada = home.authority.issue({ commonName: 'ada' });
  const remove = () => rmSync(home.folder, { recursive: true, force: true });
  return { home, path: `${home.folder}/tessera.db`, ada, remove };
}

export class Served {
  readonly caller: Caller;
  readonly #service: Service;

  static async start({ home, ada }: Field, environment: NodeJS.ProcessEnv = {}): Promise<Served> {
    const service = await Service.start(entryOf(home), { environment });
    const reach = { port: service.port, ca: home.authority.pem, certificate: ada };
    return new Served(service, callerOver('HTTP/2', reach));
  }

  private constructor(service: Service, caller: Caller) {
    [this.#service, this.caller] = [service, caller];
  }

  get log(): Record<string, unknown>[] {
    const lines = this.#service.lines.filter((line) => line.startsWith('{'));
    return lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Milliseconds until `/readyz` returns this status; undefined after a timeout. */
  async readyzIs(status: number, withinMs: number): Promise<number | undefined> {
    for (const began = performance.now(); performance.now() < began + withinMs; await pause(20))
      if ((await this.#readiness()).status === status) return Math.round(performance.now() - began);
    return undefined;
  }

  #readiness(): Promise<Answer> {
    return this.caller.ask({ path: '/readyz' });
  }

  /** Log lines that an orderly stop must not have. */
  faults(): string[] {
    return this.log.filter(({ msg }) => msg === 'fault in the background').map((line) => JSON.stringify(line));
  }

  stop(): Promise<Stopped> {
    this.caller.close();
    return this.#service.stop();
  }
}

/** The exit code of a service that cannot start. */
export async function endOfStart({ home }: Field): Promise<number | null | 'listens'> {
  try {
    await (await Service.start(entryOf(home))).kill();
    return 'listens';
  } catch (fault) {
    if (!(fault instanceof NotServing)) throw fault;
    return fault.code;
  }
}
