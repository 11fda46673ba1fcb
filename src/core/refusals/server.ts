// Refusals of the server itself, or of a door that cannot read a request: of every door.
import type { Declaration, Declared, ServerClass } from './declaration.ts';

type Group = Declared<Declaration<ServerClass>>;

/** What is wrong with the request itself. */
export const REQUEST = {
  'request-malformed': {
    class: 'request',
    says: 'The request is malformed.',
    caller: 'Send valid HTTP with exactly one Host; check the proxy.',
  },
  'request-too-slow': {
    class: 'request',
    says: 'The request took too long to arrive.',
    caller: 'Check the network and the client.',
  },
  'headers-too-large': {
    class: 'headers-too-large',
    says: 'The request headers are too large.',
    caller: 'Send fewer or shorter headers.',
  },
  'body-too-large': {
    class: 'body-too-large',
    says: 'The body is too large, or in too many parts.',
    caller: 'Send less: at most 500 pieces and 100 parameters.',
  },
  'body-unreadable': {
    class: 'request',
    says: 'The body could not be read. Send one JSON object, or form fields where the operation takes them.',
    oauth: 'The body could not be read. Send form fields in UTF-8.',
  },
  'body-compressed': { class: 'request', says: 'The body is compressed. Send it as it is, without Content-Encoding.' },
  'content-type-repeated': { class: 'request', says: 'There is more than one Content-Type. Send one.' },
  'content-type-unsupported': {
    class: 'request',
    says: 'This Content-Type is not supported here.',
    oauth: 'Send Content-Type: application/x-www-form-urlencoded in UTF-8.',
    authsvc: 'Send Content-Type: application/json, or application/x-www-form-urlencoded for a device code.',
    caller: 'Send `application/json`; a device code may come as a form.',
  },
  'json-required': { class: 'request', says: 'This operation takes JSON only. Send Content-Type: application/json.' },
  'charset-unsupported': { class: 'request', says: 'Send the body in UTF-8, with charset=utf-8 or without a charset.' },
  'parameter-not-text': {
    class: 'request',
    says: 'A parameter is not a string.',
    caller: 'Send known parameters once, as strings.',
  },
  'parameter-repeated': {
    class: 'request',
    says: 'A parameter was given twice.',
    caller: 'Send known parameters once, as strings.',
  },
  'not-found': {
    class: 'path-unknown',
    says: 'There is nothing at this path.',
    caller: 'Check the address, and its first path segment.',
    page: 404,
  },
  'method-not-allowed': {
    class: 'method-wrong',
    says: 'This path does not take this method.',
    caller: 'Use the method in `Allow`.',
    page: 405,
  },
} satisfies Group;

/** Operations also refuse so. */
export const LIMIT = {
  'rate-limited': {
    class: 'too-many',
    says: 'Too many requests. Wait, then ask again.',
    caller: 'Retry. Too many requests of this address, network or integration.',
    page: 429,
  },
} satisfies Group;

export const OF_SERVER = {
  ...REQUEST,
  // the state of the service: ask again later
  'store-unavailable': {
    class: 'unavailable',
    says: 'The service cannot reach its store. This request changed nothing. Ask again.',
  },
  'clock-implausible': {
    class: 'unavailable',
    says: 'The clock of the service is wrong. This request changed nothing. Ask again.',
    caller: 'Retry.',
    operator: 'set the clock.',
  },
  'history-in-doubt': {
    class: 'unavailable',
    says: 'The store may have lost recent changes. This request changed nothing. Keep your tokens and ask again later.',
    caller: 'Keep your tokens; retry.',
    operator: 'run `tessera doctor`; the store may have lost changes.',
  },
  'outcome-unknown': {
    class: 'unavailable',
    says: 'The store failed while changes were being written: they may have been made or not. Ask exactly the same again.',
    caller: 'Send the same request: it may have succeeded.',
    operator: 'check disk or database.',
    page: 503,
  },
  'key-missing': {
    class: 'unavailable',
    says: 'This server does not have the key of this token yet. Nothing was changed. Ask again.',
    caller: 'Retry.',
    operator: 'copy the keyring to the node whose `/readyz` names a key.',
  },
  'directory-unavailable': {
    class: 'unavailable',
    says: 'The directory of this identity cannot be reached. This request changed nothing. Ask again.',
    caller: 'Retry.',
    operator: '`tessera directory check LABEL` ([directories](directories.md)).',
    page: 503,
  },
  overloaded: { class: 'unavailable', says: 'The service is overloaded. Nothing was changed. Ask again.' },
  fault: {
    class: 'fault',
    says: 'An internal error occurred.',
    caller: 'Retry once.',
    operator: 'the log has details.',
    page: 500,
  },
} satisfies Group;
