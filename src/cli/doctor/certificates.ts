import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import type { Config } from '../../config/schema.ts';
import { systemClock } from '../../system.ts';
import { examineFile } from './files.ts';
import { bad, type Finding, good, poor } from './finding.ts';

const DAY_MS = 86_400_000;
const SOON_DAYS = 30;

/** Checks each listener's server certificate: readable, matching key, public name, expiry. */
export function examineServerCertificates({ listeners, publicUrl }: Config): Finding[] {
  return listeners.flatMap(({ tls, host, port, publicUrl: own = publicUrl }) => {
    if (!tls) return [];
    const about = `certificate of ${host}:${port}`;
    const key = examineFile(`key of ${host}:${port}`, tls.key, 0o077, 'others may read it', `Do: chmod 600 ${tls.key}`);
    return [...examineCertificate(about, tls, new URL(own).hostname), ...key];
  });
}

function examineCertificate(about: string, tls: { certificate: string; key: string }, name: string): Finding[] {
  const certificate = readCertificate(tls.certificate);
  if (!certificate) {
    return [bad(about, `${tls.certificate} is missing or no PEM certificate`, 'Put the server certificate there.')];
  }
  const findings = [examineExpiry(about, certificate.validTo, 'Renew it; the service reads it again by itself.')];
  if (!(isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)))
    findings.push(poor(about, `it is not for ${name}`, 'Callers will refuse it: check publicUrl.'));
  if (!isKeyOf(certificate, tls.key))
    findings.push(bad(about, `the key ${tls.key} does not belong to it`, 'Put the right key there.'));
  return findings;
}

export function examineExpiry(about: string, validTo: string, todo: string): Finding {
  const days = Math.floor((Date.parse(validTo) - systemClock.milliseconds()) / DAY_MS);
  if (days < 0) return bad(about, `expired ${-days} days ago`, todo);
  return days < SOON_DAYS ? poor(about, `expires in ${days} days`, todo) : good(about, `good for ${days} days`);
}

function readCertificate(path: string): X509Certificate | undefined {
  try {
    return new X509Certificate(readFileSync(path));
  } catch {
    return undefined;
  }
}

/** An unreadable key counts as matching: the check of its file reports it. */
function isKeyOf(certificate: X509Certificate, path: string): boolean {
  try {
    return certificate.checkPrivateKey(createPrivateKey(readFileSync(path)));
  } catch (error) {
    return ['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '');
  }
}
