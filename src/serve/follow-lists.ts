// What is known of revoked certificates, kept current while the service runs, and what it means for grants.
import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ApprovedIssuer } from '../core/issuer.ts';
import { endAllRevoked } from '../operations/end-revoked.ts';
import type { Ports, Registry } from '../operations/ports.ts';
import type { CertificateJudge } from '../pki/certificate-judge.ts';
import type { RevocationList } from '../pki/crl.ts';
import { whyNoLists } from '../pki/crl-file.ts';
import { authoritiesOf } from '../pki/read-issuer.ts';
import { WatchedFiles } from './watch.ts';

type TellFault = (fault: unknown) => void;

/** CRLs from files of issuers that are approved: in force from the first request on, read again when they change. */
export function followLists(judge: CertificateJudge, registry: Registry, tellFault: TellFault): () => Promise<void> {
  let files = new Map<string, ListFile>();
  return async () => {
    const approved = registry.issuers.filter(({ enabled }) => enabled);
    const paths = new Set(approved.flatMap(({ revocation }) => revocation.crlFiles));
    const next = new Map([...paths].map((path) => [path, files.get(path) ?? new ListFile(path)]));
    const isOtherSet = next.size !== files.size || [...next.keys()].some((path) => !files.has(path));
    const changes = await Promise.all([...next.values()].map((file) => file.readIfChanged(judge, approved, tellFault)));
    files = next;
    if (isOtherSet || changes.includes(true))
      judge.revocation.useLists([...next.values()].flatMap(({ lists }) => lists));
  };
}

/** A file that is missing or damaged leaves what was last read from it; the policy of the issuer says what that means. */
class ListFile {
  readonly #path: string;
  readonly #file: WatchedFiles;
  #told = '';
  lists: readonly RevocationList[] = [];

  constructor(path: string) {
    this.#path = path;
    this.#file = new WatchedFiles([path]);
  }

  async readIfChanged(
    judge: CertificateJudge,
    issuers: readonly ApprovedIssuer[],
    tellFault: TellFault,
  ): Promise<boolean> {
    try {
      if (!this.#file.hasChanged()) return false;
      const { lists } = await judge.revocation.reader.read(await this.#contents(), issuers.flatMap(authoritiesOf));
      const objection = whyNoLists(lists);
      if (objection) throw new Error(`${this.#path}: ${objection}`);
      this.lists = lists.flatMap((list) => (list.ok ? [list.value] : []));
      this.#told = '';
      return true;
    } catch (fault) {
      // Once, and not with every look at the file.
      if (this.#told !== String(fault)) tellFault(fault);
      this.#told = String(fault);
      return false;
    }
  }

  async #contents(): Promise<Uint8Array<ArrayBuffer>> {
    try {
      return await readFile(this.#path);
    } catch (fault) {
      this.#file.forget();
      throw fault;
    }
  }
}

/**
 * Ends the grants of revoked certificates whenever lists or issuers have changed. It looks twice: a request that was
 * judged by the former lists may commit its grant behind the first look.
 */
export function followRevocations(
  judge: CertificateJudge,
  ports: Pick<Ports, 'store' | 'registry'>,
  tellEnded: (count: number) => void,
): () => Promise<void> {
  let seen: readonly unknown[] = [];
  let looks = 0;
  return async () => {
    const { issuers } = ports.registry;
    const current = [judge.revocation.lists, issuers];
    if (current.some((value, index) => value !== seen[index])) looks = 2;
    seen = current;
    if (looks === 0) return;
    const ended = await endAllRevoked(judge.revokedMarks(issuers), ports, () => nextTurn());
    looks--;
    if (ended > 0) tellEnded(ended);
  };
}
