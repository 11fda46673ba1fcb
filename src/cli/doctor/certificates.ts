import { X509Certificate } from 'node:crypto';
import { publicNameOf } from '../../config/public-name.ts';
import type { Config } from '../../config/schema.ts';
import { type CertificatePaths, CertificateUnusable, checkPair, whyNotFor } from '../../serve/server-certificate.ts';
import { readNamed } from '../../serve/watch.ts';
import { systemClock } from '../../system.ts';
import { counted } from '../terminal/output.ts';
import { examineFile, forOwner, unusable } from './files.ts';
import { bad, type Finding, good, poor } from './finding.ts';

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

/** Checks each listener's server certificate: readable, matching key, public name, expiry. */
export function examineServerCertificates(config: Config): Finding[] {
  return config.listeners.flatMap((listener) => {
    const { tls, host, port } = listener;
    if (!tls) return [];
    const about = `certificate of ${host}:${port}`;
    const key = examineFile(`key of ${host}:${port}`, tls.key, forOwner(tls.key));
    return [...examineCertificate(about, tls, publicNameOf(listener, config)), ...key];
  });
}

function examineCertificate(about: string, tls: CertificatePaths, name: string | undefined): Finding[] {
  const leaf = readPair(about, tls);
  if (!(leaf instanceof X509Certificate)) return leaf;
  const why = name === undefined ? undefined : whyNotFor(leaf, name);
  return [
    examineExpiry(about, leaf.validTo, 'Renew it; the service reads it again by itself.'),
    ...(why === undefined ? [] : [poor(about, why, 'Callers will refuse it: check publicUrl.')]),
  ];
}

export function examineExpiry(about: string, validTo: string, todo: string): Finding {
  const leftMs = Date.parse(validTo) - systemClock.milliseconds();
  const days = Math.floor(Math.abs(leftMs) / DAY_MS);
  if (leftMs < 0) return bad(about, days === 0 ? 'expired today' : `expired ${counted(days, 'day')} ago`, todo);
  return days < SOON_DAYS ? poor(about, `expires in ${days} days`, todo) : good(about, `good for ${days} days`);
}

/** The certificate of a pair that the service would take. The check of its file reports a key that cannot be read. */
function readPair(about: string, { certificate, key }: CertificatePaths): X509Certificate | Finding[] {
  try {
    return checkPair({ certificate, key }, readNamed(certificate), readNamed(key));
  } catch (error) {
    if (error instanceof CertificateUnusable) return [bad(about, error.message, error.todo)];
    const { path } = error as NodeJS.ErrnoException;
    return path === key ? [] : [unusable(about, certificate, error, 'Put the server certificate there.')];
  }
}
