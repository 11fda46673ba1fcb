// Steps of callers and people; each fails if the answer does not follow the contract.
import assert from 'node:assert/strict';
import type { Identity } from '../../src/core/identity.ts';
import type { Person } from '../../src/core/person.ts';
import { confirmDevice, denyDevice, enterUserCode } from '../../src/operations/device/decide-device.ts';
import { anIdentity, PASSWORD_PROOF } from '../samples.ts';
import { type Answer, bearer, type Caller, json, type Question } from './caller.ts';
import type { TestService } from './service.ts';

export const CLIENT = 'orders-sync';
export const SCOPE = 'orders:read,write;stock:read';
export const TOKEN = '/authsvc/Authorize/Token';
export const CERTIFICATE = '/authsvc/Authorize/Certificate';
export const DEVICE = '/authsvc/Authorize/Device';
export const VERIFY = '/authsvc/Authorize/Verify';
export const REVOKE = '/authsvc/Revoke/Token';
export const DEVICE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';
export const ASSERTION_GRANT = 'urn:ietf:params:oauth:grant-type:jwt-bearer';

export interface Pair {
  readonly access_token: string;
  readonly refresh_token: string;
  readonly expires_in: number;
  readonly expires: number;
  readonly refresh_until: number;
}

export interface StartedDevice {
  readonly device_code: string;
  readonly user_code: string;
}

async function accepted<T>(caller: Caller, question: Question): Promise<T> {
  const answer = await caller.ask(question);
  assert.equal(answer.status, 200, answer.text);
  return answer.json as T;
}

export function pairByCertificate(caller: Caller, client_id = CLIENT, scope = SCOPE): Promise<Pair> {
  return accepted(caller, { path: CERTIFICATE, ...json({ client_id, scope }) });
}

export function startedDevice(caller: Caller, client_id = CLIENT, scope = 'orders:read'): Promise<StartedDevice> {
  return accepted(caller, { path: DEVICE, ...json({ client_id, scope }) });
}

export function redeem(caller: Caller, device_code: string, client_id = CLIENT): Promise<Answer> {
  return caller.ask({ path: TOKEN, ...json({ client_id, device_code, grant_type: DEVICE_GRANT }) });
}

export function refresh(caller: Caller, refresh_token: string, client_id = CLIENT): Promise<Answer> {
  return caller.ask({ path: TOKEN, ...json({ client_id, refresh_token }) });
}

export async function refreshed(caller: Caller, { refresh_token }: Pair, client_id = CLIENT): Promise<Pair> {
  const answer = await refresh(caller, refresh_token, client_id);
  assert.equal(answer.status, 200, answer.text);
  return answer.json as unknown as Pair;
}

export function verify(caller: Caller, accessToken: string): Promise<Answer> {
  return caller.ask({ path: VERIFY, ...bearer(accessToken) });
}

export function revoke(caller: Caller, accessToken: string): Promise<Answer> {
  return caller.ask({ path: REVOKE, ...bearer(accessToken) });
}

/** A person signs in somewhere and enters the code that the device shows. */
async function enter(service: TestService, user_code: string, identity: Identity) {
  const person: Person = { identity, session: `browser-of-${identity.id}`, proof: PASSWORD_PROOF };
  const shown = await enterUserCode(user_code, person, service.ports);
  assert.ok(shown.ok, JSON.stringify(shown));
  return { person, id: shown.value.device.id };
}

export async function confirm(
  service: TestService,
  { user_code }: StartedDevice,
  identity = anIdentity(),
): Promise<void> {
  const { person, id } = await enter(service, user_code, identity);
  const confirmed = await confirmDevice(id, person, service.ports);
  assert.ok(confirmed.ok, JSON.stringify(confirmed));
}

export async function deny(service: TestService, { user_code }: StartedDevice): Promise<void> {
  const { person, id } = await enter(service, user_code, anIdentity());
  const denied = await denyDevice(id, person, service.ports);
  assert.ok(denied.ok, JSON.stringify(denied));
}

export async function pairByDevice(service: TestService, caller: Caller, client_id = CLIENT): Promise<Pair> {
  const started = await startedDevice(caller, client_id);
  await confirm(service, started);
  const answer = await redeem(caller, started.device_code, client_id);
  assert.equal(answer.status, 200, answer.text);
  return answer.json as unknown as Pair;
}

/** The same token with one letter changed in its middle. */
export function forged(token: string): string {
  const at = token.length >> 1;
  return token.slice(0, at) + (token[at] === 'A' ? 'B' : 'A') + token.slice(at + 1);
}

/** A refusal in the form of the contract: exactly these two keys. */
export function assertRefused(answer: Answer, status: number, error: string, about?: RegExp): void {
  assert.deepEqual({ status: answer.status, error: answer.json?.['Error'] }, { status, error }, answer.text);
  assert.deepEqual(Object.keys(answer.json).sort(), ['Error', 'Error_description'], answer.text);
  if (about) assert.match(String(answer.json['Error_description']), about);
}
