import type { X509Certificate } from 'node:crypto';
import { validityOf, validityState, whyRefused } from '../core/rules/expiry.ts';
import { isoTime } from '../core/time.ts';
import type { TlsFiles } from '../front/tls.ts';
import { RepeatedLines } from '../log/repeated-lines.ts';
import { writePem } from '../pki/der/pem.ts';
import { type Listener, type ListenerOptions, makeListener, type ServiceParts } from './listener.ts';
import { type CertificatePaths, CertificateUnusable, checkPair, fileFault, whyNotFor } from './server-certificate.ts';
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
  const files = certificateFiles(tls, publicName, parts);
  files.readIfChanged();
  let { issuers } = registry;
  const current = (): TlsFiles => ({
    ...files.pair(),
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
function certificateFiles(paths: CertificatePaths, publicName: string | undefined, parts: ServiceParts) {
  const { log, certificates } = parts;
  const { clock } = parts.ports;
  const files = new WatchedFiles([paths.certificate, paths.key]);
  const { certificate: path } = paths;
  let leaf: X509Certificate | undefined;
  let lines = new RepeatedLines(REMIND_MS, clock.milliseconds);
  let logged = '';
  let pair: { readonly certificate: Buffer | string; readonly key: Buffer | string } = { certificate: '', key: '' };
  /** At the start there is no other choice, and the log says that callers refuse it. */
  const assertBetter = (next: X509Certificate) => {
    const why = whyRefused(validityOf(next), clock.now());
    if (why === undefined || !leaf || whyRefused(validityOf(leaf), clock.now()) !== undefined) return;
    files.forget(); // it may become valid, or the clock may be wrong
    throw new CertificateUnusable(`${path}: ${why}`, `${REMEDY} Check the clock, too.`);
  };
  /** Logs when callers begin to refuse the certificate, or soon will, and then once a day. */
  const remind = () => {
    if (!leaf) return;
    const say = (level: 'warn' | 'error', why: string | undefined, todo: string, message: string) =>
      why !== undefined && lines.take(why) !== undefined && log[level]({ certificate: path, why, todo }, message);
    const validity = validityOf(leaf);
    const isEnding = validityState(validity, clock.now()) === 'ending';
    const ends = isEnding ? `expires at ${isoTime(validity.to)}` : undefined;
    say('error', whyRefused(validity, clock.now()), REMEDY, 'callers refuse the server certificate');
    say('warn', ends, REMEDY, 'the server certificate expires soon');
    const notFor = publicName === undefined ? undefined : whyNotFor(leaf, publicName);
    say('warn', notFor, NAME_REMEDY, 'the server certificate is not for publicUrl');
  };
  /** Whether there is a new pair. Throws if the files cannot be used. */
  const readIfChanged = () => {
    try {
      const [certificate, key] = files.readIfChanged() ?? [];
      if (!certificate || !key) return false;
      const next = checkPair(paths, certificate, key);
      assertBetter(next);
      leaf = next;
      pair = { certificate, key };
      certificates.set(path, validityOf(next));
      lines = new RepeatedLines(REMIND_MS, clock.milliseconds);
    } catch (fault) {
      throw fileFault(fault);
    }
    remind();
    return true;
  };
  /** The same while the service runs: files that cannot be used are logged once, and the last pair stays. */
  const reloadIfChanged = () => {
    try {
      if (!readIfChanged()) return false;
      logged = '';
      log.info({ certificate: path, validTo: leaf?.validTo }, 'the server certificate was loaded again');
      return true;
    } catch (fault) {
      const { message = '', todo } = fault as Partial<CertificateUnusable>;
      if (logged !== message)
        log.error({ why: message, todo }, 'the server certificate could not be loaded: the last one stays');
      logged = message;
      return false;
    }
  };
  return { pair: () => pair, readIfChanged, reloadIfChanged, remind };
}

const NAME_REMEDY = 'Use a certificate for this name, or correct publicUrl.';
const REMEDY = 'Renew it and replace both files; the service reads them by itself.';
