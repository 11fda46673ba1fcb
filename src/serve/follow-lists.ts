// CRLs from files, reloaded while the service runs.
import { readFile } from 'node:fs/promises';
import type { ApprovedIssuer } from '../core/issuer.ts';
import type { Registry } from '../operations/ports.ts';
import type { CertificateJudge } from '../pki/judge/certificate-judge.ts';
import { authoritiesOf } from '../pki/path/read-issuer.ts';
import type { RevocationList } from '../pki/revocation/crl.ts';
import { whyNoLists } from '../pki/revocation/list-reader.ts';
import { WatchedFiles } from './watch.ts';

type TellFault = (fault: unknown) => void;

/** CRL files of approved issuers: in force from the first request on, loaded again when they change. */
export function followLists(judge: CertificateJudge, registry: Registry, logFault: TellFault): () => Promise<void> {
  let files = new Map<string, ListFile>();
  return async () => {
    const approved = registry.issuers.filter(({ enabled }) => enabled);
    const paths = new Set(approved.flatMap(({ revocation }) => revocation.crlFiles));
    const next = new Map([...paths].map((path) => [path, files.get(path) ?? new ListFile(path)]));
    const isOtherSet = next.size !== files.size || [...next.keys()].some((path) => !files.has(path));
    const changes = await Promise.all([...next.values()].map((file) => file.readIfChanged(judge, approved, logFault)));
    files = next;
    if (isOtherSet || changes.includes(true))
      judge.revocation.useLists([...next.values()].flatMap(({ lists }) => lists));
  };
}

/** If a file is missing or damaged, the list last read from it stays; the issuer's policy decides what that means. */
class ListFile {
  readonly #path: string;
  readonly #file: WatchedFiles;
  #logged = '';
  lists: readonly RevocationList[] = [];

  constructor(path: string) {
    this.#path = path;
    this.#file = new WatchedFiles([path]);
  }

  async readIfChanged(judge: CertificateJudge, issuers: readonly ApprovedIssuer[], logFault: TellFault) {
    try {
      if (!this.#file.hasChanged()) return false;
      const { lists } = await this.#read(judge, issuers);
      const objection = whyNoLists(lists);
      if (objection) throw new Error(`${this.#path}: ${objection}`);
      this.lists = lists.flatMap((list) => (list.ok ? [list.value] : []));
      this.#logged = '';
      return true;
    } catch (fault) {
      // Logged once, not on every check of the file.
      if (this.#logged !== String(fault)) logFault(fault);
      this.#logged = String(fault);
      return false;
    }
  }

  /** What fails by itself is tried again; a damaged file only when it has changed. */
  async #read({ revocation }: CertificateJudge, issuers: readonly ApprovedIssuer[]) {
    try {
      return await revocation.reader.read(await readFile(this.#path), issuers.flatMap(authoritiesOf));
    } catch (fault) {
      this.#file.forget();
      throw fault;
    }
  }
}
