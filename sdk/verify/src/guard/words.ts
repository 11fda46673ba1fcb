// How the commands of the guard are described. It loads nothing, so that help is fast.

/** Where it listens unless the configuration says. */
export const USUAL_ADDRESS = '127.0.0.1:9300';

/** Instead of a file: one resource server, and an address that says what is needed. */
export const FLAGS = {
  issuer: ['<url>', 'without a file: the public address of the service'],
  resourceServer: ['<id>', 'without a file: the API, as in tessera resource-server add'],
  audience: ['<uri>', 'without a file: its audience'],
  secretFile: ['<file>', 'without a file: a file with its secret'],
  ca: ['<file>', 'without a file: the authority of the certificate of the service, PEM'],
  listen: ['<address>', `without a file: the path of a unix socket, or HOST:PORT (default ${USUAL_ADDRESS})`],
} as const;

export type GuardFlags = { readonly [Name in keyof typeof FLAGS]?: string };

export const ABOUT = 'answer a proxy whether requests are allowed, until SIGTERM; SIGHUP loads the file again';
export const ABOUT_CHECK = 'say what a request needs by the rules of this file';
export const ABOUT_SCHEMA = 'print the JSON Schema of the file, for editors';
