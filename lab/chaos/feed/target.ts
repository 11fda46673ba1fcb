// Where followers of the drill connect, and how they prove themselves.
import type { FeedField } from './feed-field.ts';

export interface Target {
  readonly port: number;
  readonly ca: string;
  readonly authorization: string;
}

export function targetOf({ options, balancer, home }: FeedField): Target {
  const { id, secret } = options.resourceServer;
  const authorization = `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
  return { port: balancer.targets[0] ?? 0, ca: home.authority.pem, authorization };
}

export function reachOf({ port, ca }: Target) {
  return { port, ca, host: '127.0.0.1', servername: 'localhost' };
}
