import type { X509Certificate } from 'node:crypto';
import type { TlsFiles } from '../front/tls.ts';
import { writePem } from '../pki/der/pem.ts';
import { type Listener, type ListenerOptions, makeListener, type ServiceParts } from './listener.ts';
import {
  type CertificatePaths,
  CertificateUnusable,
  checkPair,
  fileFault,
  whyNotFor,
  whyNotValid,
} from './server-certificate.ts';
import { WatchedFiles } from './watch.ts';

/** A listener as configured: its certificate is in files. */
export interface ListenerPlace extends Omit<ListenerOptions, 'tls'> {
  readonly tls?: CertificatePaths;
  readonly clientCertificates: TlsFiles['clientCertificates'];
  /** The name by which callers connect, if they do so directly. */
  readonly publicName?: string | undefined;
}

export interface OpenListener extends Omit<Listener, 'exchange'> {
  reload(): void;
}

export function openListener(place: ListenerPlace, parts: ServiceParts): OpenListener {
  const { tls, clientCertificates, publicName, ...where } = place;
  if (!tls) return { ...makeListener(where, parts), reload: () => undefined };
  const { registry } = parts.ports;
  const files = new CertificateFiles(tls, publicName, parts);
  files.readIfChanged();
  let { issuers } = registry;
  const current = (): TlsFiles => ({
    ...files.pair,
    clientCertificates,
    issuers: issuers.flatMap((issuer) => [issuer.certificate, ...issuer.intermediates]).map(writePem),
  });
  const listener = makeListener({ ...where, tls: current() }, parts);
  const reload = () => {
    files.remind();
    if (!files.reloadIfChanged() && issuers === registry.issuers) return;
    issuers = registry.issuers;
    listener.exchange(current());
  };
  return { ...listener, reload };
}

const REMIND_MS = 86_400_000;

/** The certificate and its key, as last read. A pair that cannot be used is never taken. */
class CertificateFiles {
  readonly #paths: CertificatePaths;
  readonly #publicName: string | undefined;
  readonly #parts: Pick<ServiceParts, 'log' | 'ports'>;
  readonly #files: WatchedFiles;
  #leaf: X509Certificate | undefined;
  #remindedAt: number | undefined;
  #logged = '';
  pair: { readonly certificate: Buffer | string; readonly key: Buffer | string } = { certificate: '', key: '' };

  constructor(paths: CertificatePaths, publicName: string | undefined, parts: Pick<ServiceParts, 'log' | 'ports'>) {
    this.#paths = paths;
    this.#publicName = publicName;
    this.#parts = parts;
    this.#files = new WatchedFiles([paths.certificate, paths.key]);
  }

  /** Like readIfChanged, while the service runs: files that cannot be used are logged once, and the last pair stays. */
  reloadIfChanged(): boolean {
    try {
      if (!this.readIfChanged()) return false;
      this.#logged = '';
      const { certificate } = this.#paths;
      this.#parts.log.info({ certificate, validTo: this.#leaf?.validTo }, 'the server certificate was loaded again');
      return true;
    } catch (fault) {
      const { message, todo } = fault as Partial<CertificateUnusable>;
      if (this.#logged !== message)
        this.#parts.log.error({ why: message, todo }, 'the server certificate could not be loaded: the last one stays');
      this.#logged = message ?? '';
      return false;
    }
  }

  /** Whether there is a new pair. Throws if the files cannot be used. */
  readIfChanged(): boolean {
    try {
      const [certificate, key] = this.#files.readIfChanged() ?? [];
      if (!certificate || !key) return false;
      const leaf = checkPair(this.#paths, certificate, key);
      this.#assertBetter(leaf);
      this.#leaf = leaf;
      this.pair = { certificate, key };
    } catch (fault) {
      throw fileFault(fault);
    }
    this.#remindedAt = undefined;
    this.remind();
    return true;
  }

  /** At the start there is no other choice, and the log says that callers refuse it. */
  #assertBetter(leaf: X509Certificate): void {
    const nowMs = this.#parts.ports.clock.milliseconds();
    const validity = whyNotValid(leaf, nowMs);
    if (!validity?.isOver || !this.#leaf || whyNotValid(this.#leaf, nowMs)?.isOver) return;
    this.#files.forget(); // it may become valid, or the clock may be wrong
    throw new CertificateUnusable(`${this.#paths.certificate}: ${validity.why}`, `${REMEDY} Check the clock, too.`);
  }

  /** Logs once a day that callers refuse the certificate, or soon will. */
  remind(): void {
    const nowMs = this.#parts.ports.clock.milliseconds();
    if (!this.#leaf || (this.#remindedAt !== undefined && nowMs - this.#remindedAt < REMIND_MS)) return;
    this.#remindedAt = nowMs;
    this.#remindOfValidity(this.#leaf, nowMs);
    const why = this.#publicName === undefined ? undefined : whyNotFor(this.#leaf, this.#publicName);
    const fields = { certificate: this.#paths.certificate, why, todo: NAME_REMEDY };
    if (why !== undefined) this.#parts.log.warn(fields, 'the server certificate is not for publicUrl');
  }

  #remindOfValidity(leaf: X509Certificate, nowMs: number): void {
    const validity = whyNotValid(leaf, nowMs);
    if (!validity) return;
    const fields = { certificate: this.#paths.certificate, why: validity.why, todo: REMEDY };
    if (validity.isOver) this.#parts.log.error(fields, 'callers refuse the server certificate');
    else this.#parts.log.warn(fields, 'the server certificate expires soon');
  }
}

const NAME_REMEDY = 'Use a certificate for this name, or correct publicUrl.';
const REMEDY = 'Renew it and replace both files; the service reads them by itself.';
