import { REFRESHES_LOGGED, DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { choice, duration, NOT_ZERO, section } from '../setting.ts';

export const events = section('The event log: every state change, in the store.', {
  retention: duration('How long events are kept.', usual.eventRetention, NOT_ZERO),
  refreshes: choice(
    REFRESHES_LOGGED,
    'Which refreshes become events: `all`, `changes` (another address, agent or certificate), or `none`.',
    usual.refreshesLogged,
  ),
});
