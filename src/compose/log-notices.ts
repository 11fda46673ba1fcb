// How changes of readiness and of the event log, and refused certificates and assertions, are logged.
import type { Step } from '../core/verdict.ts';
import type { DoorParts } from '../doors/doors.ts';
import { RateLimit } from '../doors/http/rate-limit.ts';
import type { Metrics } from '../doors/ops/metrics.ts';
import type { ReadinessNews } from '../doors/ops/readiness.ts';
import type { Log } from '../log/log.ts';
import type { EventNews } from '../operations/upkeep/event-watch.ts';
import type { WalkNews } from '../operations/upkeep/walk-directories.ts';

export function logReadiness(log: Log): ReadinessNews {
  return {
    failing: (check, { reason, detail }) => log.error({ check, reason, detail }, 'not ready'),
    holdsAgain: (check) => log.info({ check }, 'ready again'),
    clocksApart: (seconds) => log.warn({ seconds }, 'the clocks of node and store are apart: keep both by NTP'),
  };
}

/** Once a minute for each identity. */
const CAP_LINES = { burst: 1, perSecond: 1 / 60 };

export function logCaps(log: Log, milliseconds: () => number): DoorParts['onCap'] {
  const lines = new RateLimit(CAP_LINES, milliseconds);
  return ({ setting, clientId, identityId }) => {
    if (lines.take(`${setting} ${identityId}`) === undefined)
      log.warn({ setting, clientId, identityId }, 'a caller has reached its cap, and is refused beyond it');
  };
}

const LONG_LAG = 30;
/** Lost acts in one log line; `tessera store history` lists all. */
const MOST_LOGGED = 20;

export function logEvents(log: Log, measure: (lag: number) => void): EventNews {
  let isLate = false;
  return {
    rolledBack: ({ seen, found, lost }) => {
      const text =
        'the store was put back to an older state: what was issued, revoked and administered since then is lost';
      log.error({ seen, found, lostActs: lost.length, newest: lost.slice(-MOST_LOGGED) }, text);
    },
    accepted: (epoch) => log.info({ epoch }, 'it was accepted that the store was put back'),
    lag: (seconds) => {
      measure(seconds);
      if (!isLate && seconds > LONG_LAG) log.warn({ seconds }, 'readers of the event log are held back');
      isLate = seconds > LONG_LAG;
    },
  };
}

/** Lines about one rule. The steps take kilobytes: a flood would fill the log. Without them, the rule that failed is still named. */
const DETAILED = { burst: 50, perSecond: 1 };
const BRIEF = { burst: 600, perSecond: 50 };

/** Names the rule, and the setting that decides; `otherwise`: if the rule names none. `print` words the steps as the dry run does. */
export function logRefusals(log: Log, milliseconds: () => number, message: string, print: (step: Step) => string) {
  const detailed = new RateLimit(DETAILED, milliseconds);
  const brief = new RateLimit(BRIEF, milliseconds);
  return (id: string, steps: readonly Step[], about: object, otherwise?: string): void => {
    const { rule = '', setting = otherwise } = steps.find(({ passed }) => !passed) ?? {};
    const line = { id, rule, ...(setting && { setting }), ...about };
    if (detailed.take(rule) === undefined) log.info({ ...line, steps: steps.map(print) }, message);
    else log[brief.take(rule) === undefined ? 'info' : 'debug'](line, message);
  };
}

const TO_CHECK = 'tessera directory check LABEL';
const TO_ACCEPT = `${TO_CHECK}; if they did end: tessera directory recheck LABEL --accept-endings`;

export function directoryNews(log: Log, count?: Metrics['directory']): WalkNews {
  return {
    walked: ({ label, living, ended, isAlarm, unreadable }) => {
      const facts = { directory: label, living, ended };
      count?.(label, { rechecked: living - ended, [isAlarm ? 'alarm' : 'ended']: isAlarm ? 1 : ended });
      if (isAlarm)
        log.error({ ...facts, todo: TO_ACCEPT }, 'many accounts ended in their directory: none was ended here');
      else if (ended > 0) log.warn(facts, 'accounts ended in their directory: grants ended');
      const [why] = unreadable;
      if (why) log.warn({ ...facts, unreadable: unreadable.length, why, todo: TO_CHECK }, 'entries cannot be read');
    },
    away: (label, why) => {
      count?.(label, { away: 1 });
      const text = 'the directory cannot answer: identities are used as last seen';
      log.warn({ directory: label, why, todo: TO_CHECK }, text);
    },
  };
}
