import { REFRESHES_LOGGED, DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { choice, duration, section } from '../setting.ts';

export const events = section('The event log: every state change, in the store.', {
  retention: duration({ description: 'How long events are kept.', default: usual.eventRetention }),
  refreshes: choice(REFRESHES_LOGGED, {
    description: 'Which refreshes become events: `all`, `changes` (another address, agent or certificate), or `none`.',
    default: usual.refreshesLogged,
  }),
});
