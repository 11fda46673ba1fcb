import { choice, section } from '../setting.ts';

export const log = section('The log, on standard output, one line per request.', {
  level: choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], 'The lowest level that is logged.', 'info'),
  format: choice(['json', 'pretty'], 'For machines, or for people.', 'json'),
});
