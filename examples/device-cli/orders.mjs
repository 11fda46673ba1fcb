#!/usr/bin/env node
// A command line program for people: the first call asks them to confirm in a browser, later calls do not.
//   orders.mjs list | login | logout
import { device, TokenFailure, tokenSource } from '@tessera/client';

const { TESSERA_SERVER, TESSERA_CLIENT_ID, API } = process.env;

const tokens = tokenSource({
  server: TESSERA_SERVER,
  clientId: TESSERA_CLIENT_ID,
  by: device({
    scope: 'orders:read',
    show: ({ verificationUriComplete, userCode }) =>
      console.error(`Open ${verificationUriComplete}\nand check that it shows ${userCode}.`),
  }),
});

const commands = {
  list: async () => console.log(await (await tokens.fetch(API)).text()),
  login: () => tokens.login(),
  logout: () => tokens.revoke(),
};

try {
  const command = commands[process.argv[2]];
  if (!command) throw new Error('Usage: orders.mjs list | login | logout');
  await command();
} catch (error) {
  const isEnded = error instanceof TokenFailure && error.reason === 'login-needed';
  console.error(error.message + (isEnded ? ' Run: orders.mjs login' : ''));
  process.exitCode = 1;
}
