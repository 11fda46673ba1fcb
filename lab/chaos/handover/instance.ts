// One running service of a release, as an operator starts and stops it.
import type { Home } from '../../../test/e2e/service.ts';
import { Service, serveOf } from '../service.ts';
import type { Release } from './release.ts';

export class Instance {
  readonly release: Release;
  readonly #service: Service;

  /** Resolves when every worker serves. */
  static async start(release: Release, home: Home, flags: readonly string[], workers = 1): Promise<Instance> {
    return new Instance(release, await Service.start(serveOf(home, flags, release.folder), { workers }));
  }

  private constructor(release: Release, service: Service) {
    [this.release, this.#service] = [release, service];
  }

  /** What an orderly run does not log. */
  faults(): string[] {
    return this.#service.faults();
  }

  /** Returns how long it took: nothing, if it has ended already. */
  async stop(): Promise<number> {
    return (await this.#service.stop()).tookMs;
  }
}
