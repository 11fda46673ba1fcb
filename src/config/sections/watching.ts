// What operators see of the service.

import { DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { optional } from '../../schema.ts';
import { choice, duration, flag, section, text, whole } from '../setting.ts';

export const log = section('The log, on standard output, one line per request. It never contains secrets.', {
  level: choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    description: 'The lowest level that is logged.',
    default: 'info',
  }),
  format: choice(['json', 'pretty'], { description: 'For machines, or for people.', default: 'json' }),
});

export const metrics = section('Metrics in Prometheus format at `/metrics`, on listeners that name `ops` in `doors`.', {
  enabled: flag({ description: 'Whether they are served.', default: true }),
});

export const tracing = section(
  'Traces for an OpenTelemetry collector. Off unless `endpoint` is set. The trace that a caller names in `traceparent` is logged either way.',
  {
    endpoint: optional(
      text('an http or https address', '^https?://[^\\s?#@]+$', {
        description:
          'Where spans are sent, as OTLP over HTTP in JSON: usually a collector on this machine, with the path `/v1/traces`. Spans contain no secret, but Client IDs and ids of grants: use https to other machines.',
        example: 'http://127.0.0.1:4318/v1/traces',
      }),
    ),
    samplePercent: whole(0, 100, {
      description:
        'How many of a hundred traces that begin here are recorded. If the caller sends `traceparent`, its flag decides instead.',
      default: 100,
      example: 5,
    }),
    serviceName: text('a name of 1 to 60 characters', '^[ -~]{1,60}$', {
      description: 'The `service.name` of the spans.',
      default: 'tessera',
      example: 'tessera-staging',
    }),
  },
);

export const events = section('The event log: every state change, in the store.', {
  retention: duration({ description: 'How long events are kept.', default: usual.eventRetention }),
});
