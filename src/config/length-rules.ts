// Rules for durations: which must not be zero, which must not exceed another, and which a timer must be able to hold.
import { JWT_LIFETIME_MAX } from '../core/settings.ts';
import { formatDuration } from './duration.ts';
import type { Mistake } from './mistake.ts';
import type { ReadConfig } from './schema.ts';

const DAY = 86_400;

export function lengthsAgree(config: ReadConfig): Mistake[] {
  return [...notZero(config), ...notTooLong(config), ...inOrder(config)];
}

/** A zero here would switch off a protection, or the feature. */
function notZero({ tokens, device, signIn, limits, events }: ReadConfig): Mistake[] {
  const lengths = {
    'tokens.accessTokenLifetime': tokens.accessTokenLifetime,
    'tokens.jwtLifetime': tokens.jwtLifetime,
    'tokens.grantLifetime': tokens.grantLifetime,
    'device.codeLifetime': device.codeLifetime,
    'device.pollInterval': device.pollInterval,
    'signIn.window': signIn.window,
    'signIn.sessionIdle': signIn.sessionIdle,
    'signIn.sessionLifetime': signIn.sessionLifetime,
    'limits.headersTimeout': limits.headersTimeout,
    'limits.requestTimeout': limits.requestTimeout,
    'limits.idleTimeout': limits.idleTimeout,
    'events.retention': events.retention,
  };
  return Object.entries(lengths).flatMap(([path, length]) =>
    length > 0 ? [] : [{ path, problem: 'expected more than 0' }],
  );
}

/** Timers count milliseconds in 31 bits, so the limits of connections end well below 24 days. */
function notTooLong({ tokens, limits }: ReadConfig): Mistake[] {
  const lengths: Readonly<Record<string, readonly [length: number, most: number, example: string]>> = {
    'tokens.jwtLifetime': [tokens.jwtLifetime, JWT_LIFETIME_MAX, 'jwtLifetime: 10m'],
    'limits.headersTimeout': [limits.headersTimeout, DAY, 'headersTimeout: 10s'],
    'limits.requestTimeout': [limits.requestTimeout, DAY, 'requestTimeout: 30s'],
    'limits.idleTimeout': [limits.idleTimeout, DAY, 'idleTimeout: 65s'],
    'limits.stopNotice': [limits.stopNotice, DAY, 'stopNotice: 3s'],
    'limits.stopTimeout': [limits.stopTimeout, DAY, 'stopTimeout: 20s'],
    'limits.drainIdle': [limits.drainIdle, DAY, 'drainIdle: 5s'],
  };
  return Object.entries(lengths).flatMap(([path, [length, most, example]]) =>
    length <= most ? [] : [{ path, problem: `expected at most ${formatDuration(most)}`, example }],
  );
}

function inOrder({ device, signIn, limits }: ReadConfig): Mistake[] {
  const mistakes: Mistake[] = [];
  if (device.pollInterval >= device.codeLifetime) {
    mistakes.push({ path: 'device.pollInterval', problem: 'expected less than device.codeLifetime' });
  }
  if (signIn.sessionIdle > signIn.sessionLifetime) {
    mistakes.push({ path: 'signIn.sessionIdle', problem: 'expected at most signIn.sessionLifetime' });
  }
  if (limits.headersTimeout > limits.requestTimeout) {
    const problem = `expected at most limits.requestTimeout, which is ${formatDuration(limits.requestTimeout)}`;
    mistakes.push({ path: 'limits.headersTimeout', problem });
  }
  return mistakes;
}
