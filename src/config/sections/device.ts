import { DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { duration, flag, section, whole } from '../setting.ts';

export const device = section('Device authorization: a person confirms in a browser.', {
  enabled: flag({
    description: 'Whether device authorization is available. An integration can switch it off.',
    default: usual.deviceFlow,
  }),
  codeLifetime: duration({
    description: 'How long a device code and its user code work.',
    default: usual.deviceCodeLifetime,
  }),
  pollInterval: duration({
    description: 'How often a device may poll.',
    default: usual.pollInterval,
  }),
  wrongUserCodes: whole(1, 100, {
    description: 'Wrong user codes per identity within the lifetime of a code.',
    default: usual.wrongUserCodes,
  }),
  failedSignIns: whole(1, 100, {
    description: 'Failed sign-ins, in known browsers, after which a user code is spent.',
    default: usual.failedSignInsPerDeviceCode,
  }),
});
