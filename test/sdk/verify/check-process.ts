// Checks one token, as a program that listens to nobody and does not call close.
import { verifier } from '../../../sdk/verify/src/verify.ts';

const { options, token } = JSON.parse(process.env['ORDER'] ?? '');
const guard = await verifier(options);
const checked = await guard.check(token);
console.log(JSON.stringify(checked.ok ? 'allowed' : checked.reason));
