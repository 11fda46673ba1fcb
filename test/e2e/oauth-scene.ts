// A service, and callers of its oauth door: one without and one with a certificate.
import assert from 'node:assert/strict';
import type { Answer, Caller } from './caller.ts';
import { type Fields, postForm } from './oauth-steps.ts';
import { type SetUp, startService, type TestService } from './service.ts';
import { CLIENT, confirm, DEVICE_GRANT, type StartedDevice } from './steps.ts';

export const TOKEN = '/oauth2/token';
export const DEVICE = '/oauth2/device_authorization';
export const REVOKE = '/oauth2/revoke';
export const METADATA = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'] as const;
/** A certificate at the token endpoint. */
export const CERTIFICATE = { client_id: CLIENT, grant_type: 'client_credentials' };

export class OauthScene {
  readonly service: TestService;
  readonly stranger: Caller;
  readonly ada: Caller;

  protected constructor(service: TestService) {
    this.service = service;
    this.stranger = service.caller();
    this.ada = service.caller(service.ada);
  }

  static async open(setUp?: SetUp): Promise<OauthScene> {
    return new OauthScene(await startService(setUp));
  }

  close(): Promise<void> {
    return this.service.stop();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  post(path: string, fields: Fields | string, headers: Fields = {}, caller = this.stranger): Promise<Answer> {
    return postForm(caller, path, fields, headers);
  }

  async accepted(path: string, fields: Fields, caller = this.stranger): Promise<Record<string, string>> {
    const answer = await this.post(path, fields, {}, caller);
    assert.equal(answer.status, 200, answer.text);
    return answer.json as Record<string, string>;
  }

  async startedDevice(fields: Fields = {}): Promise<StartedDevice & Record<string, string>> {
    const { device_code = '', user_code = '', ...rest } = await this.accepted(DEVICE, { client_id: CLIENT, ...fields });
    return { device_code, user_code, ...rest };
  }

  poll(device_code: string, fields: Fields = {}): Promise<Answer> {
    return this.post(TOKEN, { client_id: CLIENT, grant_type: DEVICE_GRANT, device_code, ...fields });
  }

  async pairByDevice(fields: Fields = {}): Promise<Record<string, string>> {
    const started = await this.startedDevice(fields);
    await confirm(this.service, started);
    return (await this.poll(started.device_code)).json as Record<string, string>;
  }

  refreshBy(refresh_token: string | undefined, fields: Fields = {}): Promise<Answer> {
    const grant = { grant_type: 'refresh_token', refresh_token: refresh_token ?? '' };
    return this.post(TOKEN, { client_id: CLIENT, ...grant, ...fields });
  }
}
