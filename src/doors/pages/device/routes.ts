import { confirmDevice, denyDevice } from '../../../operations/device/decide-device.ts';
import { forPerson, type PageRoute, show, take } from '../parts/route.ts';
import { showRequest, takeDecision } from './decide.ts';
import { showCode, takeCode } from './enter-code.ts';
import { showQr } from './qr-page.ts';

export const DEVICE_ROUTES: readonly PageRoute[] = [
  show('/device', 'page-device', showCode),
  take('/device', 'enter-user-code', ['user_code'], takeCode),
  show('/device/qr', 'page-qr', showQr),
  show('/device/:id', 'page-request', forPerson(showRequest)),
  take(
    '/device/:id/confirm',
    'confirm-device',
    [],
    forPerson((visit) => takeDecision(visit, confirmDevice)),
  ),
  take(
    '/device/:id/deny',
    'deny-device',
    [],
    forPerson((visit) => takeDecision(visit, denyDevice)),
  ),
];
