import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { publicNameOf } from '../../config/public-name.ts';
import type { Config } from '../../config/schema.ts';
import { USABLE_REMEDY, whyNotUsable } from '../../serve/server-certificate.ts';
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

function examineCertificate(
  about: string,
  tls: { certificate: string; key: string },
  name: string | undefined,
): Finding[] {
  const certificate = readCertificate(about, tls.certificate);
  if ('verdict' in certificate) return [certificate];
  const findings = [examineExpiry(about, certificate.validTo, 'Renew it; the service reads it again by itself.')];
  if (name !== undefined && !(isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)))
    findings.push(poor(about, `it is not for ${name}`, 'Callers will refuse it: check publicUrl.'));
  return [...findings, ...examineKey(about, certificate, tls.certificate, tls.key)];
}

export function examineExpiry(about: string, validTo: string, todo: string): Finding {
  const leftMs = Date.parse(validTo) - systemClock.milliseconds();
  const days = Math.floor(Math.abs(leftMs) / DAY_MS);
  if (leftMs < 0) return bad(about, days === 0 ? 'expired today' : `expired ${counted(days, 'day')} ago`, todo);
  return days < SOON_DAYS ? poor(about, `expires in ${days} days`, todo) : good(about, `good for ${days} days`);
}

function readCertificate(about: string, path: string): X509Certificate | Finding {
  try {
    return new X509Certificate(readFileSync(path));
  } catch (error) {
    const todo = 'Put the server certificate there.';
    if ((error as NodeJS.ErrnoException).syscall) return unusable(about, path, error, todo);
    return bad(about, `${path} is not a PEM certificate`, todo);
  }
}

/** The check of its file reports a key that cannot be read. */
function examineKey(about: string, certificate: X509Certificate, file: string, path: string): Finding[] {
  try {
    const key = readFileSync(path);
    if (certificate.checkPrivateKey(createPrivateKey(key))) {
      const why = whyNotUsable(readFileSync(file), key);
      return why === undefined ? [] : [bad(about, `TLS cannot use ${file}: ${why}`, USABLE_REMEDY)];
    }
    return [bad(about, `the key ${path} does not belong to it`, 'Put the right key there.')];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).syscall) return [];
    const what = 'a PEM private key without a passphrase';
    return [bad(about, `its key ${path} is not ${what}`, `Put ${what} there.`)];
  }
}
