// The syntax of each kind of name, in alternative names and in name constraints.
import { isIPv4 } from 'node:net';
import type { ApprovedIssuer } from '../../core/issuer.ts';
import type { GeneralName } from './general-name.ts';

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;
// RFC 5321 4.1.2: a dot-string. Quoted local parts are legal, but nobody uses them and parsers disagree about them.
const LOCAL_PART = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/;

/** RFC 5280 4.2.1.6: the "preferred name syntax" of RFC 1034 3.5; an IP address is not a domain name. */
function isHostName(text: string): boolean {
  return text.length <= 253 && !isIPv4(text) && text.split('.').every((label) => LABEL.test(label));
}

/** A host name, optionally with `*` as its whole first label. */
function isDnsName(text: string): boolean {
  return isHostName(text.startsWith('*.') ? text.slice(2) : text);
}

function isMailbox(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at > 0 && LOCAL_PART.test(text.slice(0, at)) && isHostName(text.slice(at + 1));
}

/** The host of an absolute URI; undefined if it has none. */
export function hostOf(uri: string): string | undefined {
  return /^[A-Za-z][A-Za-z0-9+.-]*:\/\/(?:[^/?#@]*@)?([^/?#:@[\]]+)(?::\d*)?(?:[/?#]|$)/.exec(uri)?.[1];
}

export function isAlternativeName(name: GeneralName): boolean {
  switch (name.kind) {
    case 'dns':
      return isDnsName(name.value);
    case 'email':
      return isMailbox(name.value);
    case 'ip':
      return name.octets.length === 4 || name.octets.length === 16;
    case 'uri':
      return /^[A-Za-z][A-Za-z0-9+.-]*:[\x21-\x7e]+$/.test(name.value);
    case 'directory':
      return name.name.rdns.length > 0;
    case 'other':
    case 'registered':
    case 'unsupported':
      return true;
  }
}

/** RFC 5280 4.2.1.6: addresses are iPAddress names. */
export function isAddressAsName(name: GeneralName): boolean {
  return name.kind === 'dns' && isIPv4(name.value.replace(/\.$/, ''));
}

/** Whether the host in the name can be parsed, so that it can be compared with constraints. */
export function isComparable(name: GeneralName): boolean {
  switch (name.kind) {
    case 'dns':
      return isHostLike(name.value.replace(/^\*\./, ''));
    case 'email':
      return isMailboxLike(name.value);
    case 'uri':
      return isHostLike(hostOf(name.value) ?? '');
    case 'ip':
    case 'directory':
      return true;
    case 'other':
    case 'registered':
    case 'unsupported':
      return false;
  }
}

function isMailboxLike(text: string): boolean {
  const at = text.lastIndexOf('@');
  return at > 0 && LOCAL_PART.test(text.slice(0, at)) && isHostLike(text.slice(at + 1));
}

/** Host names as used in practice: underscores and a trailing dot are allowed. */
function isHostLike(text: string): boolean {
  return text.length <= 254 && /^(?:[A-Za-z0-9_-]{1,63}\.)*[A-Za-z0-9_-]{1,63}\.?$/.test(text);
}

/**
 * RFC 5280 4.2.1.10 allows a leading period in e-mail and URI constraints only; in practice CAs write it for DNS too.
 */
export function isConstraint(name: GeneralName, profile: ApprovedIssuer['profile']): boolean {
  switch (name.kind) {
    case 'dns':
      return name.value === '' || isHostName(name.value) || (profile === 'rfc5280' && isDomain(name.value));
    case 'email':
      return name.value.includes('@') ? isMailbox(name.value) : isDomain(name.value);
    case 'uri':
      return isDomain(name.value);
    case 'ip':
      return isAddressRange(name.octets);
    case 'directory':
    case 'other':
    case 'registered':
    case 'unsupported':
      return true;
  }
}

function isDomain(text: string): boolean {
  return isHostName(text.startsWith('.') ? text.slice(1) : text);
}

/** An address followed by a contiguous netmask. */
function isAddressRange(octets: Uint8Array): boolean {
  if (octets.length !== 8 && octets.length !== 32) return false;
  const mask = [...octets.subarray(octets.length / 2)].map((octet) => octet.toString(2).padStart(8, '0')).join('');
  return /^1*0*$/.test(mask);
}
