import { HALF_POST, PIPELINES } from '../slots.ts';

/** Over HTTP/1.1. */
export interface RawAttack {
  readonly connections: number;
  readonly opening: string;
  /** Sent ten times a second. */
  readonly beat?: string;
}

export const RAW_ATTACKS: Readonly<Record<string, RawAttack>> = {
  ...Object.fromEntries(Object.entries(PIPELINES).map(([what, opening]) => [what, { connections: 30, opening }])),
  'idle connections': { connections: 1000, opening: '' },
  'headers that come slowly': { connections: 300, opening: 'GET / HTTP/1.1\r\nHost: x\r\nX-Slow: ', beat: 'y' },
  'bodies that come slowly': { connections: 300, opening: HALF_POST, beat: ' ' },
  'bodies of HTTP/1.1 that never come': { connections: 300, opening: HALF_POST },
};
