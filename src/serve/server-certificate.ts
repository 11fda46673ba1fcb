// The certificate and the key of a listener, checked before TLS uses them: OpenSSL's messages name neither file nor remedy.
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';
import { createSecureContext } from 'node:tls';
import { OperatorFault } from '../core/faults.ts';

export interface CertificatePaths {
  readonly certificate: string;
  readonly key: string;
}

export class CertificateUnusable extends OperatorFault {
  override readonly name = 'CertificateUnusable';
}

/** Throws CertificateUnusable unless the contents are a certificate and its key. */
export function checkPair(paths: CertificatePaths, certificate: Buffer, key: Buffer): X509Certificate {
  const leaf = readLeaf(paths.certificate, certificate);
  const privateKey = parsed(() => createPrivateKey(key), paths.key, 'PEM private key without a passphrase');
  if (leaf.checkPrivateKey(privateKey)) {
    assertUsable(paths.certificate, certificate, key);
    return leaf;
  }
  throw new CertificateUnusable(
    `the key ${paths.key} does not belong to the server certificate ${paths.certificate}`,
    'Put the key there that the certificate was requested with. The file must begin with the certificate of the server, not with that of its authority.',
  );
}

/** The first certificate of the file. Throws CertificateUnusable. */
export function readLeaf(path: string, contents: Buffer): X509Certificate {
  return parsed(() => new X509Certificate(contents), path, 'PEM certificate');
}

/** OpenSSL reads all of the file, and refuses short keys. */
function assertUsable(path: string, certificate: Buffer, key: Buffer): void {
  try {
    createSecureContext({ cert: certificate, key });
  } catch (error) {
    throw new CertificateUnusable(
      `TLS cannot use ${path}: ${(error as Error).message}`,
      'Put the certificate of the server there, followed by its intermediates, each complete. An RSA key needs at least 2048 bits.',
    );
  }
}

function parsed<T>(parse: () => T, path: string, what: string): T {
  try {
    return parse();
  } catch {
    throw new CertificateUnusable(`${path} is not a ${what}`, `Put a ${what} there.`);
  }
}

/** Turns a failed read of one of the files into its reason. Other errors stay as they are. */
export function fileFault(fault: unknown): unknown {
  const { code, path } = fault as NodeJS.ErrnoException;
  const [why, todo] = FILE_FAULTS[code ?? ''] ?? [];
  return why && todo && path ? new CertificateUnusable(`${path}: ${why}`, todo) : fault;
}

const FILE_FAULTS: Readonly<Record<string, readonly [why: string, todo: string]>> = {
  ENOENT: ['there is no such file', 'Put the server certificate and its key there, or change tls of the listener.'],
  EACCES: ['this user may not read it', 'Make it readable for the user that runs the service, and for nobody else.'],
  EISDIR: ['it is a folder', 'Name the file in tls of the listener.'],
  ENOTDIR: ['part of the path is not a folder', 'Correct the path in tls of the listener.'],
};

export function whyNotFor(certificate: X509Certificate, name: string): string | undefined {
  if (isIP(name) ? certificate.checkIP(name) : certificate.checkHost(name)) return undefined;
  const names = certificate.subjectAltName ?? certificate.subject.replaceAll('\n', ', ');
  return `it is for ${names}, and callers connect to ${name}`;
}
