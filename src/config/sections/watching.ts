// What operators see of the service.

import { DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { choice, duration, flag, section } from '../setting.ts';

export const log = section('The log, on standard output, one line per request. It never contains secrets.', {
  level: choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    description: 'The lowest level that is logged.',
    default: 'info',
  }),
  format: choice(['json', 'pretty'], { description: 'For machines, or for people.', default: 'json' }),
});

export const metrics = section('Metrics in Prometheus format at `/metrics`.', {
  enabled: flag({ description: 'Whether they are served.', default: true }),
});

export const events = section('The event log: every state change, in the store.', {
  retention: duration({ description: 'How long events are kept.', default: usual.eventRetention }),
});
