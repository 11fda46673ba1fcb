// Certificates and keys as the options give them: PEM texts, or files. Checked here, because OpenSSL fails in its own words, and
// silently ignores an unreadable CA and an empty file.
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import type { Tls } from '../door/send.ts';
import { TokenFailure } from '../failure.ts';

/** A client certificate with its key, loaded anew. */
export function clientCertificate(certificate: string | undefined, key: string | undefined): Tls {
  const [cert, pem] = [pemOf('certificate', certificate), pemOf('key', key)];
  const names = { certificate: nameOf('certificate', certificate), key: nameOf('key', key) };
  const [first] = certificatesIn(names.certificate, cert);
  if (first?.checkPrivateKey(privateKeyIn(names.key, pem)) !== true)
    throw wrong(
      `${names.key} does not belong to ${uncapitalized(names.certificate)}`,
      'Give the key it was made with.',
    );
  attempt(names.certificate, () => createSecureContext({ cert, key: pem })); // a key that is too small, for example
  return { cert, key: pem };
}

/** A private key, loaded anew. */
export function privateKey(what: string, given: string | undefined): KeyObject {
  return privateKeyIn(nameOf(what, given), pemOf(what, given));
}

export function caOf(given: string): string {
  const text = pemOf('CA', given);
  certificatesIn(nameOf('CA', given), text);
  return text;
}

/** A PEM text as it is, or the contents of the file of that name. */
function pemOf(what: string, given: string | undefined): string {
  if (typeof given !== 'string' || given === '') throw wrong(`${what} is missing`, PEM_OR_PATH);
  if (given.includes('-----BEGIN')) return given;
  // The bare bytes of a key are no path, and must not be in a message.
  if (/\n|^\W*M[\w+/=]{60,}/.test(given)) throw wrong(`The ${what} is not PEM`, PEM_OR_PATH);
  const text = readText(what, given);
  if (text.trim() === '') throw wrong(`${nameOf(what, given)} is empty`, 'Check the path.');
  return text;
}

export function readText(what: string, path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why = code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'this user may not read it' : code;
    throw wrong(`Cannot read the ${what} ${path}: ${why}`, 'Check the path.', error);
  }
}

function certificatesIn(name: string, text: string): X509Certificate[] {
  const found = text.match(/-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----[^-]*-----END [A-Z0-9 ]*-----/g);
  if (!found) throw wrong(`${name} cannot be read: there is no certificate in it`, PEM_OR_PATH);
  return found.map((pem) => attempt(name, () => new X509Certificate(pem)));
}

function privateKeyIn(name: string, text: string): KeyObject {
  if (/-----BEGIN ENCRYPTED PRIVATE KEY-----|^Proc-Type: 4,ENCRYPTED/m.test(text))
    throw wrong(`${name} is encrypted`, 'Give one without a passphrase: openssl pkey -in KEY -out NEW');
  return attempt(name, () => createPrivateKey(text));
}

function attempt<T>(name: string, step: () => T): T {
  try {
    return step();
  } catch (error) {
    const { reason, message } = error as { reason?: string; message: string }; // OpenSSL's short form
    throw wrong(`${name} cannot be read: ${reason ?? message}`, PEM_OR_PATH, error);
  }
}

const PEM_OR_PATH = 'Give a PEM file, or its text.';

/** For messages: with its path, if it has one. */
function nameOf(what: string, given: string | undefined): string {
  return given?.includes('-----BEGIN') ? `The ${what}` : `The ${what} ${given}`;
}

function uncapitalized(text: string): string {
  return text.replace(/^T/, 't');
}

function wrong(what: string, todo: string, cause?: unknown): TokenFailure {
  return new TokenFailure('usage', what, todo, { cause });
}
