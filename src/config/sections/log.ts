import { choice, section } from '../setting.ts';

export const log = section('The log, on standard output, one line per request.', {
  level: choice(['trace', 'debug', 'info', 'warn', 'error', 'silent'], {
    description: 'The lowest level that is logged.',
    default: 'info',
  }),
  format: choice(['json', 'pretty'], { description: 'For machines, or for people.', default: 'json' }),
});
