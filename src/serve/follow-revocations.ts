// Ends the grants of revoked certificates when a CRL arrives, not only when a certificate is next presented.
import { setTimeout as sleep } from 'node:timers/promises';
import type { EpochSeconds } from '../core/time.ts';
import type { Ports } from '../operations/ports.ts';
import { endAllRevoked, endedListsAt } from '../operations/upkeep/ended-lists.ts';
import type { CertificateJudge } from '../pki/judge/certificate-judge.ts';
import type { RevocationList } from '../pki/revocation/crl.ts';
import { marksOf, type RevokingList } from '../pki/revocation/revocation.ts';

/** Seconds after a list was first seen. More than once: a request judged by the previous lists may commit its grant after the first scan. */
const LOOKS = [0, 2, 30];
/** Pause between slices of a millisecond: a million entries take a minute, and requests are hardly slower. */
const REST_MS = 4;

interface Followed extends RevokingList {
  /** Earlier lists that were scanned: their entries are skipped. */
  readonly before: readonly RevocationList[];
  readonly seenAt: EpochSeconds;
  looks: number;
}

type FollowPorts = Pick<Ports, 'store' | 'clock'> & { readonly registry: Pick<Ports['registry'], 'issuers'> };

/** A scanned list is not scanned again: not for other issuers, and not after a restart of this machine. */
export class RevocationFollower {
  readonly #judge: CertificateJudge;
  readonly #ports: FollowPorts;
  readonly #ended: ReturnType<typeof endedListsAt>;
  #followed = new Map<string, Followed>();
  #seen: readonly unknown[] = [];
  #hasStarted = false;

  constructor(judge: CertificateJudge, ports: FollowPorts, machine: string) {
    this.#judge = judge;
    this.#ports = ports;
    this.#ended = endedListsAt(machine, ports);
  }

  async follow(): Promise<number> {
    const current = [this.#judge.revocation.lists, this.#ports.registry.issuers];
    if (current.some((value, index) => value !== this.#seen[index])) await this.#update();
    this.#seen = current;
    let ended = 0;
    for (const [key, followed] of this.#followed) if (this.#isDue(followed)) ended += await this.#look(key, followed);
    return ended;
  }

  async #update(): Promise<void> {
    const lists = this.#judge.revocation.revokingLists(this.#ports.registry.issuers);
    const next = new Map<string, Followed>();
    for (const { key, ...revoking } of lists) {
      next.set(key, this.#followed.get(key) ?? (await this.#begin(key, revoking)));
    }
    // A list may come back after its issuer was removed or lists were off: there may be new grants to end by then.
    for (const key of this.#followed.keys()) if (!next.has(key)) await this.#ended.remove(key);
    this.#followed = next;
    this.#hasStarted = true;
  }

  async #begin(key: string, { authority, list }: RevokingList): Promise<Followed> {
    const { fingerprint } = authority;
    const others = [...this.#followed.values()].filter((other) => other.authority.fingerprint === fingerprint);
    const before = others.filter(isFinished).map((other) => other.list);
    const isKnown = !this.#hasStarted && (await this.#ended.has(key));
    const seenAt = this.#ports.clock.now();
    return { authority, list, before, seenAt, looks: isKnown ? LOOKS.length : 0 };
  }

  #isDue({ seenAt, looks }: Followed): boolean {
    const after = LOOKS[looks];
    return after !== undefined && this.#ports.clock.now() >= seenAt + after;
  }

  async #look(key: string, followed: Followed): Promise<number> {
    // A late scan covers all scans that were due by then.
    const age = this.#ports.clock.now() - followed.seenAt;
    const ended = await endAllRevoked(marksOf(followed, followed.before), this.#ports, () => sleep(REST_MS));
    followed.looks = LOOKS.filter((after) => after <= age).length;
    if (!isFinished(followed)) return ended;
    // Earlier lists are no longer needed, and may be large.
    this.#followed.set(key, { ...followed, before: [] });
    await this.#ended.add(key);
    return ended;
  }
}

function isFinished({ looks }: Followed): boolean {
  return looks >= LOOKS.length;
}
