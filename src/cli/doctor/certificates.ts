import { X509Certificate } from 'node:crypto';
import type { Config } from '../../config/schema.ts';
import { publicNameOf } from '../../config/served-doors.ts';
import { validityOf, validityState, whyRefused } from '../../core/rules/expiry.ts';
import {
  type CertificatePaths,
  CertificateUnusable,
  checkPair,
  readLeaf,
  whyNotFor,
} from '../../serve/server-certificate.ts';
import { readNamed } from '../../serve/watch.ts';
import { systemClock } from '../../system.ts';
import { counted } from '../terminal/output.ts';
import { examineFile, forOwner, unusable } from './files.ts';
import { bad, type Finding, good, poor } from './finding.ts';

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
  const leaf = readCertificate(about, tls.certificate);
  if (!(leaf instanceof X509Certificate)) return [leaf];
  const why = name === undefined ? undefined : whyNotFor(leaf, name);
  return [
    examineExpiry(about, leaf, 'Renew it; the service reads it again by itself.'),
    ...(why === undefined ? [] : [bad(about, why, 'Callers will refuse it: check publicUrl.')]),
    ...examinePair(about, tls),
  ];
}

export function examineExpiry(about: string, certificate: X509Certificate, todo: string): Finding {
  const [validity, now] = [validityOf(certificate), systemClock.now()];
  const left = spanOf(Math.abs(validity.to - now));
  switch (validityState(validity, now)) {
    case 'early':
      return bad(about, whyRefused(validity, now) ?? '', 'Put one there that is valid now, or check the clock.');
    case 'over':
      return bad(about, `expired ${left} ago`, todo);
    case 'ending':
      return poor(about, `expires in ${left}`, todo);
    case 'valid':
      return good(about, `good for ${left}`);
  }
}

/** In hours, if it is less than two days. */
function spanOf(length: number): string {
  const hours = Math.floor(length / 3600);
  return hours < 48 ? counted(hours, 'hour') : counted(Math.floor(hours / 24), 'day');
}

function readCertificate(about: string, path: string): X509Certificate | Finding {
  try {
    return readLeaf(path, readNamed(path));
  } catch (error) {
    if (error instanceof CertificateUnusable) return bad(about, error.message, error.todo);
    return unusable(about, path, error, 'Put the server certificate there.');
  }
}

/** Why the service would not take the pair. The check of its file reports a key that cannot be read. */
function examinePair(about: string, { certificate, key }: CertificatePaths): Finding[] {
  try {
    checkPair({ certificate, key }, readNamed(certificate), readNamed(key));
    return [];
  } catch (error) {
    return error instanceof CertificateUnusable ? [bad(about, error.message, error.todo)] : [];
  }
}
