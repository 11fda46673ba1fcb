// PEM (RFC 7468): base64 blocks between labelled lines. Text outside the blocks is ignored.
const BLOCK = /-----BEGIN ([A-Z0-9 ]+)-----([A-Za-z0-9+/=\s]*)-----END \1-----/g;

export function readPem(text: string, label: 'CERTIFICATE' | 'X509 CRL'): Uint8Array[] {
  return [...text.matchAll(BLOCK)]
    .filter(([, found]) => found === label)
    .map(([, , body = '']) => new Uint8Array(Buffer.from(body.replace(/\s/g, ''), 'base64')));
}

/** A file of certificates or CRLs: PEM with any number of blocks, or a single DER. */
export function readPemOrDer(file: Uint8Array, label: 'CERTIFICATE' | 'X509 CRL'): Uint8Array[] {
  const isDer = file[0] === 0x30;
  return isDer ? [file] : readPem(Buffer.from(file).toString('latin1'), label);
}

export function writePem(certificate: Uint8Array): string {
  return writeBlock(certificate, 'CERTIFICATE');
}

export function writeKeyPem(spki: Uint8Array): string {
  return writeBlock(spki, 'PUBLIC KEY');
}

function writeBlock(der: Uint8Array, label: string): string {
  const body = Buffer.from(der).toString('base64').replace(/.{64}/g, '$&\n').trimEnd();
  return `-----BEGIN ${label}-----\n${body}\n-----END ${label}-----\n`;
}
