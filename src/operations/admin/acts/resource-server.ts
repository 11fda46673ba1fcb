import { RESOURCE_SERVER_ID } from '../../../core/resource-server.ts';
import { boolean, object, optional } from '../../../schema.ts';
import { form } from '../members.ts';
import { ResourceServerObject } from '../objects.ts';
import { act, answering, SecretObject } from './act.ts';
import { actsOnThings } from './things.ts';

const work = async () => (await import('./work/resource-server.ts')).THINGS;
const secrets = () => import('../secrets.ts');

const things = actsOnThings(
  {
    kind: 'resource-server',
    page: 'resource-servers',
    title: 'ResourceServer',
    schema: ResourceServerObject,
    id: form(RESOURCE_SERVER_ID, 'resource-server-id-malformed'),
  },
  work,
);

const REPLACES = object({ replaces: optional(boolean({ description: 'The secrets before it end at once.' })) });

export const RESOURCE_SERVER_ACTS = {
  'resource-server-list': things.list('read', 'List resource servers'),
  'resource-server-show': things.show('read', 'Show a resource server'),
  'resource-server-put': things.put('manage', 'Make or replace a resource server'),
  'resource-server-remove': things.remove('manage', 'Remove a resource server'),
  'resource-server-secret-make': act('manage', 'POST', '/resource-servers/{id}/secrets', {
    command: 'resource-server secret',
    page: 'resource-servers',
    summary: 'Make a secret, shown once',
    query: REPLACES,
    answers: SecretObject,
    run: async ({ id, query: { replaces = false } }, ports) => {
      const made = await (await secrets()).makeResourceServerSecret(id, { replaces }, ports);
      return answering(made, (secret) => ({ secret: secret.reveal() }));
    },
  }),
  'resource-server-secret-drop': act('manage', 'DELETE', '/resource-servers/{id}/secrets', {
    command: 'resource-server secret',
    page: 'resource-servers',
    summary: 'End the older of two secrets',
    answers: ResourceServerObject,
    run: async ({ id }, ports) => {
      const done = await (await secrets()).dropOldSecret(id, ports);
      return done.ok ? (await work()).show(id, ports) : done;
    },
  }),
};
