// A service with two resource servers, and an integration that authenticates with its own key.
import type { Integration } from '../../src/core/integration.ts';
import { claimsOf, keySetOf, type PlatformKey, platformKey } from '../platform.ts';
import { anIntegration } from '../samples.ts';
import type { Answer } from './caller.ts';
import { IntrospectionScene } from './introspection-scene.ts';
import type { Fields } from './oauth-steps.ts';
import { clientId, PUBLIC_URL, type SetUp } from './service.ts';

export const TOKEN = '/oauth2/token';
export const ROBOT = 'robot';
export const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
const NO_FLOWS = { device: false, certificate: false };

export class ClientScene extends IntrospectionScene {
  readonly key!: PlatformKey;

  static override async open(setUp?: SetUp): Promise<ClientScene> {
    const opened = await IntrospectionScene.open(setUp);
    const scene = Object.setPrototypeOf(opened, ClientScene.prototype) as ClientScene;
    Object.assign(scene, { key: await platformKey() });
    await scene.registerRobot();
    return scene;
  }

  registerRobot(difference: Partial<Integration> = {}): Promise<void> {
    const keys = { from: 'file', set: keySetOf(this.key) } as const;
    return this.service.register(anIntegration({ clientId: clientId(ROBOT), flows: NO_FLOWS, keys, ...difference }));
  }

  /** A client assertion. */
  signed(claims: Record<string, unknown> = {}, header = {}, by = this.key): Promise<string> {
    const own = { iss: ROBOT, sub: ROBOT, aud: PUBLIC_URL, repository: undefined, ref: undefined, ...claims };
    return by.sign({ ...claimsOf({}, this.service.now()), ...own }, header);
  }

  async byKey(fields: Fields = {}, claims = {}, header = {}, by = this.key): Promise<Answer> {
    const client_assertion = await this.signed(claims, header, by);
    return this.asked({ client_assertion, client_assertion_type: ASSERTION_TYPE, ...fields });
  }

  asked(fields: Fields, headers: Fields = {}): Promise<Answer> {
    return this.post(TOKEN, { grant_type: 'client_credentials', ...fields }, headers);
  }
}
