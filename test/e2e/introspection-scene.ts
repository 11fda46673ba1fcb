// A service with two resource servers that introspect: one serves orders, the other stock.
import assert from 'node:assert/strict';
import type { Audience, ResourceServer, ResourceServerId } from '../../src/core/resource-server.ts';
import { resourceServers } from '../../src/store/tables/resource-servers.ts';
import { systemRandom } from '../../src/system.ts';
import { drawResourceServerSecret } from '../../src/tokens/resource-server-secret.ts';
import { aResourceServer } from '../samples.ts';
import type { Answer } from './caller.ts';
import { OauthScene } from './oauth-scene.ts';
import { basic, postForm } from './oauth-steps.ts';
import { registryFollows } from './registry-follows.ts';
import { type SetUp, startService, type TestService } from './service.ts';

export const INTROSPECT = '/oauth2/introspect';
export const STOCK_AUDIENCE = 'urn:example:stock' as Audience;
export const INACTIVE = '{"active":false}';

const SECRETS = { orders: drawResourceServerSecret(systemRandom), stock: drawResourceServerSecret(systemRandom) };
export const ORDERS_SECRET_HASH = SECRETS.orders.hash;
export const ORDERS = { id: 'orders-api', secret: SECRETS.orders.secret.reveal() };
export const STOCK = { id: 'stock-api', secret: SECRETS.stock.secret.reveal() };

/** The one that serves orders, with its secret. */
export function ordersServer({ now }: Pick<TestService, 'now'>): ResourceServer {
  return aResourceServer({ secrets: [{ hash: SECRETS.orders.hash, createdAt: now() }] });
}

export function stockServer(difference: Partial<ResourceServer> = {}): ResourceServer {
  const id = 'stock-api' as ResourceServerId;
  return aResourceServer({ id, audience: STOCK_AUDIENCE, resources: ['stock'], ...difference });
}

export class IntrospectionScene extends OauthScene {
  static override async open(setUp?: SetUp): Promise<IntrospectionScene> {
    const service = await startService(setUp);
    await service.put(resourceServers, ordersServer(service));
    const secrets = [{ hash: SECRETS.stock.hash, createdAt: service.now() }];
    await service.put(resourceServers, stockServer({ secrets }));
    await registryFollows();
    return new IntrospectionScene(service);
  }

  introspect(token: string, { id, secret } = ORDERS, caller = this.stranger): Promise<Answer> {
    return postForm(caller, INTROSPECT, { token }, basic(id, secret));
  }

  async activeAnswer(token: string, server = ORDERS): Promise<Record<string, unknown>> {
    const answer = await this.introspect(token, server);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.json['active'], true);
    return answer.json;
  }

  async assertInactive(token: string, server = ORDERS): Promise<void> {
    const { status, text, headers } = await this.introspect(token, server);
    assert.deepEqual([status, text], [200, INACTIVE]);
    assert.equal(headers['cache-control'], 'no-store');
  }
}
