import { X509Certificate } from 'node:crypto';
import type { Config } from '../../config/schema.ts';
import { publicNameOf } from '../../config/served-doors.ts';
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

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

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
    examineValidity(about, leaf),
    ...(why === undefined ? [] : [bad(about, why, 'Callers will refuse it: check publicUrl.')]),
    ...examinePair(about, tls),
  ];
}

function examineValidity(about: string, { validFrom, validTo }: X509Certificate): Finding {
  const todo = 'Renew it; the service reads it again by itself.';
  if (Date.parse(validFrom) > systemClock.milliseconds())
    return bad(about, `not valid before ${validFrom}`, 'Put one there that is valid now, or check the clock.');
  return examineExpiry(about, validTo, todo);
}

export function examineExpiry(about: string, validTo: string, todo: string): Finding {
  const leftMs = Date.parse(validTo) - systemClock.milliseconds();
  const days = Math.floor(Math.abs(leftMs) / DAY_MS);
  if (leftMs < 0) return bad(about, days === 0 ? 'expired today' : `expired ${counted(days, 'day')} ago`, todo);
  return days < SOON_DAYS ? poor(about, `expires in ${days} days`, todo) : good(about, `good for ${days} days`);
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
