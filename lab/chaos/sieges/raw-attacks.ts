import { TOKEN, VERIFY } from '../../../test/e2e/steps.ts';

/** Over HTTP/1.1. */
export interface RawAttack {
  readonly connections: number;
  readonly opening: string;
  /** Sent ten times a second. */
  readonly beat?: string;
}

const GETS = `GET ${VERIFY} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(100);
const HALF_POST = `POST ${TOKEN} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
const UPGRADE = 'GET / HTTP/1.1\r\nHost: x\r\nUpgrade: x\r\nConnection: Upgrade\r\n\r\n';

export const RAW_ATTACKS: Readonly<Record<string, RawAttack>> = {
  'pipelined requests, then CONNECT': {
    connections: 30,
    opening: `${GETS}CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n`,
  },
  'pipelined requests, then an Upgrade': { connections: 30, opening: `${GETS}${UPGRADE}` },
  'pipelined requests behind half a body': { connections: 30, opening: `${HALF_POST}${' '.repeat(98)}}${GETS}` },
  'pipelined requests, then bad HTTP': { connections: 30, opening: `${GETS}NONSENSE\r\n\r\n` },
  'idle connections': { connections: 1000, opening: '' },
  'headers that come slowly': { connections: 300, opening: 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ', beat: 'y' },
  'bodies that come slowly': { connections: 300, opening: HALF_POST, beat: ' ' },
  'bodies of HTTP/1.1 that never come': { connections: 300, opening: HALF_POST },
};
