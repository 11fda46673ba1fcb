import { optional } from '../../schema.ts';
import { section, text, whole } from '../setting.ts';

export const tracing = section('Traces for an OpenTelemetry collector. Off unless `endpoint` is set.', {
  endpoint: optional(
    text('an http or https address', '^https?://[^\\s?#@]+$', 'Where spans are sent, as OTLP over HTTP in JSON.', {
      example: 'http://127.0.0.1:4318/v1/traces',
    }),
  ),
  samplePercent: whole([0, 100], 'Percentage of traces recorded, if the caller sends no `traceparent`.', {
    default: 100,
    example: 5,
  }),
  serviceName: text('a name of 1 to 60 characters', '^[ -~]{1,60}$', 'The `service.name` of the spans.', {
    default: 'tessera',
    example: 'tessera-staging',
  }),
});
