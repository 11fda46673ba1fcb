import { DEFAULT_SETTINGS as usual } from '../../core/settings.ts';
import { duration, flag, NOT_ZERO, section, whole } from '../setting.ts';

export const device = section('Device authorization: a person confirms in a browser.', {
  enabled: flag('Whether device authorization is available. An integration can switch it off.', usual.deviceFlow),
  codeLifetime: duration('How long a device code and its user code work.', usual.deviceCodeLifetime, NOT_ZERO),
  pollInterval: duration('How often a device may poll.', usual.pollInterval, NOT_ZERO),
  wrongUserCodes: whole([1, 100], 'Wrong user codes per identity within the lifetime of a code.', usual.wrongUserCodes),
  failedSignIns: whole(
    [1, 100],
    'Failed sign-ins, in known browsers, after which a user code is spent.',
    usual.failedSignInsPerDeviceCode,
  ),
});
