import type { TlsFiles } from '../doors/server/tls.ts';
import { writePem } from '../pki/der/pem.ts';
import { type Listener, type ListenerOptions, makeListener, type ServiceParts } from './listener.ts';
import { WatchedFiles } from './watch.ts';

/** A listener as configured: its certificate is in files. */
export interface ListenerPlace extends Omit<ListenerOptions, 'tls'> {
  readonly tls?: { readonly certificate: string; readonly key: string };
  readonly clientCertificates: TlsFiles['clientCertificates'];
}

export interface OpenListener extends Omit<Listener, 'exchange'> {
  /** Applies changes of the files or the approved issuers. */
  reload(): void;
}

export function openListener(place: ListenerPlace, parts: ServiceParts): OpenListener {
  const { tls, clientCertificates, ...where } = place;
  if (!tls) return { ...makeListener(where, parts), reload: () => undefined };
  const { registry } = parts.ports;
  const files = new WatchedFiles([tls.certificate, tls.key]);
  let [certificate, key] = files.readIfChanged() ?? [];
  let { issuers } = registry;
  const current = (): TlsFiles => ({
    certificate: certificate ?? '',
    key: key ?? '',
    clientCertificates,
    issuers: issuers.flatMap((issuer) => [issuer.certificate, ...issuer.intermediates]).map(writePem),
  });
  const listener = makeListener({ ...where, tls: current() }, parts);
  const reload = () => {
    const changed = files.readIfChanged();
    if (!changed && issuers === registry.issuers) return;
    if (changed) [certificate, key] = changed;
    issuers = registry.issuers;
    listener.exchange(current());
  };
  return { ...listener, reload };
}
