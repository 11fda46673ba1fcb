// Turns a fault into an exit code and a message: lines for people, or with --json an object. Nothing else does.
import { resolve } from 'node:path';
import type { CommanderError } from 'commander';
import { type CommandFailure, EXIT } from './exit.ts';
import { isForScripts, remark } from './output.ts';

interface Ending {
  readonly end: keyof typeof EXIT;
  /** What is wrong, in one line. */
  readonly what: string;
  /** More lines: each mistake in a configuration. */
  readonly details?: readonly string[];
  readonly todo?: string | undefined;
  /** Which refusal it is, for scripts: of an administrative act, or the error code of a service. */
  readonly reason?: string | undefined;
  /** Commander has printed it, except with --json. */
  readonly isPrinted?: true;
}

/** Keyed by name instead of class, so that this file does not load every module that defines a fault. */
const ENDINGS: Readonly<Record<string, (fault: never) => Ending>> = {
  CommanderError: usageEnding,
  CommandFailure: ({ end, message, todo, reason }: CommandFailure) => ({ end, what: message, todo, reason }),
  ConfigFault: ({ message }: Error) => inDetail('configuration', 'the configuration cannot be used', message),
  FileFault: ({ message }: Error) => inDetail('refused', 'the file cannot be used', message),
  StoreUnavailable: (fault: Error) => ending('store', fault, 'the store cannot answer: '),
  ImplausibleClock: (fault: Error) => ({ end: 'store', what: fault.message, todo: clockRemedy(fault) }),
  StoreUnusable: (fault: Error) => ending('store', fault),
  StoreAddressFault: (fault: Error) => ending('configuration', fault),
  CertificateUnusable: (fault: Error) => ending('certificate', fault),
  MoveRefused: (fault: Error) => ending('refused', fault),
  StoreMissing: (fault: Error) => ending('store', fault),
  StoreLacks: (fault: Error) => ending('refused', fault),
  OutcomeUnknown: ({ message }: Error) => ({
    end: 'store',
    what: `the store failed while it was writing: ${message}`,
    todo: 'The change may or may not have been made: check before you try again.',
  }),
  TokenFailure: ({ reason, what, todo, error }: TokenFailure) => ({
    end: TOKEN_ENDS[reason] ?? 'refused',
    what,
    todo,
    reason: error,
  }),
  KeyringFault: ({ message }: Error) => ({ end: 'keyring', what: message }),
};

function inDetail(end: Ending['end'], what: string, message: string): Ending {
  return { end, what, details: message.split('\n') };
}

const LOOK = 'See: tessera doctor';

export function clockRemedy(fault: Error): string {
  return `${todoOf(fault)}: tessera serve --accept-clock`;
}

/** The next step, if the fault or its cause carries one, or SQLite's code says it. */
export function todoOf(fault: unknown): string | undefined {
  const { todo, code, errcode = 0, cause } = fault as Error & { todo?: string; code?: string; errcode?: number };
  if (todo !== undefined) return todo;
  if (code === 'ERR_SQLITE_ERROR') return SQLITE_TODOS[errcode & 0xff];
  return cause instanceof Error ? todoOf(cause) : undefined;
}

const RESTORE = 'The file is damaged. Stop the service, and restore the store from its backup: tessera restore FILE';
const ACCESS =
  'This user must be able to read and write the database, its -wal and -shm files, and their folder: chown.';

/** By SQLite's primary result code. */
const SQLITE_TODOS: Readonly<Record<number, string>> = {
  8: ACCESS,
  10: 'The disk is full, or reports errors: free some space, then look at the log of the system.',
  11: RESTORE,
  13: 'The disk is full: free some space.',
  14: ACCESS,
  26: RESTORE,
};

function ending(end: keyof typeof EXIT, fault: Error, before = '', otherwise = LOOK): Ending {
  return { end, what: `${before}${fault.message}`, todo: todoOf(fault) ?? otherwise };
}

/** Prints the message and returns the exit code. */
export function endOf(error: unknown, debug: boolean): number {
  const fault = error instanceof Error ? error : new Error(String(error));
  // Not a failure: it has printed help or the version.
  if (fault.name === 'CommanderError' && (fault as CommanderError).exitCode === 0) return EXIT.ok;
  const ending = (ENDINGS[fault.name] ?? defect)(fault as never);
  const stack = debug && !ending.isPrinted ? fault.stack : undefined;
  if (isForScripts()) remark(JSON.stringify(objectOf(ending, stack)));
  else for (const line of linesOf(ending, stack)) remark(line);
  return EXIT[ending.end];
}

function linesOf({ what, details = [], todo, isPrinted }: Ending, stack: string | undefined): string[] {
  if (isPrinted) return [];
  const more = [todo === undefined ? [] : `  ${todo}`, stack ?? []].flat();
  return [`tessera: ${what}`, ...details, ...more];
}

function objectOf({ end, reason, what, details, todo }: Ending, stack: string | undefined): object {
  return { error: { code: end, reason, message: what, details, remedy: todo, stack } };
}

/** Commander's message is `error: …`, and perhaps a second line with a suggestion in brackets. */
function usageEnding(fault: CommanderError & { todo?: string }): Ending {
  const [what = '', suggestion = ''] = fault.message.split('\n');
  const isHelp = fault.code === 'commander.help';
  return {
    end: 'usage',
    what: isHelp ? 'the command is missing' : what.replace(/^error: /, ''),
    todo: [suggestion.replace(/^\((.*)\)$/, '$1'), fault.todo].filter(Boolean).join(' '),
    isPrinted: true,
  };
}

/** Of @tessera/client, which only the commands for callers load. A test checks this against the package. */
type TokenFailure = Error & Readonly<Record<'reason' | 'what' | 'todo', string>> & { readonly error?: string };

/** Its other failures end as refused. */
const TOKEN_ENDS: Readonly<Record<string, keyof typeof EXIT>> = {
  'login-needed': 'login',
  unavailable: 'unavailable',
  usage: 'usage',
};

const CHECK_PATH = 'Check the path and its permissions.';
const FREE_SPACE = 'Free some space, or use another disk.';
const FILE_FAULTS: Readonly<Record<string, readonly [why: string, todo: string]>> = {
  ENOENT: ['there is no such file', CHECK_PATH],
  EACCES: ['this user may not read or write it', CHECK_PATH],
  EPERM: ['this user may not change it', CHECK_PATH],
  EROFS: ['the disk is read-only', 'Mount it writable, or use another disk.'],
  ENOSPC: ['the disk is full', FREE_SPACE],
  EDQUOT: ['the disk quota of this user is used up', FREE_SPACE],
  ENOTDIR: ['it is not a folder, or part of its path is not', CHECK_PATH],
  EISDIR: ['it is a folder', CHECK_PATH],
  EEXIST: ['it exists already, or is a link to nothing', CHECK_PATH],
  ENOTEMPTY: ['the folder is not empty', CHECK_PATH],
  ELOOP: ['its symbolic links lead nowhere', CHECK_PATH],
  ENAMETOOLONG: ['the name is too long', CHECK_PATH],
  EIO: ['the disk reports an error', 'Check the disk.'],
};

const LISTEN_FAULTS: Readonly<Record<string, readonly [why: string, todo: string]>> = {
  EADDRINUSE: [
    'the port is in use',
    'Another process, perhaps this service in another terminal, or another entry of listeners has it: stop it, or choose another port.',
  ],
  EACCES: [
    'this user may not listen on this port',
    'Choose a port from 1024 on, or allow it: AmbientCapabilities=CAP_NET_BIND_SERVICE in the systemd unit.',
  ],
  EADDRNOTAVAIL: ['this machine does not have this address', 'Set host to an address of this machine, or to 0.0.0.0.'],
  ENOTFOUND: ['this name has no address', 'Set host to an address of this machine, or to 0.0.0.0.'],
};

type ListenFault = NodeJS.ErrnoException & { address?: string; hostname?: string; port?: number; listener?: number };

/** A listener could not be opened. `listener`: its place in the settings. */
function unheard(fault: ListenFault): Ending {
  const { code = '', address, hostname, port, listener = 0 } = fault;
  const [why = fault.message, todo = 'Check host and port.'] = LISTEN_FAULTS[code] ?? [];
  const where = [address ?? hostname, port].filter((part) => part !== undefined).join(':');
  const isOfHost = code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND';
  const flag = `--set listeners.${listener}.${isOfHost ? 'host=127.0.0.1' : `port=${(port ?? 8443) + 1}`}`;
  // npm keeps flags for itself unless they follow `--`.
  const again = process.env['npm_lifecycle_event'] === 'start' ? `npm start -- ${flag}` : flag;
  const set = `Its setting: listeners, or ${again}`;
  return { end: 'listener', what: `cannot listen on ${where}: ${why}`, todo: `${todo} ${set}` };
}

const REPORT = 'This should not happen. Run it again with --debug and report what it says.';

function defect(fault: Error): Ending {
  const { code = '', path, syscall } = fault as NodeJS.ErrnoException;
  if (syscall === 'listen' || syscall === 'getaddrinfo') return unheard(fault);
  const [why, todo] = FILE_FAULTS[code] ?? [];
  if (why) return { end: 'refused', what: `${path ? resolve(path) : 'a path that was given'}: ${why}`, todo };
  if (code === 'ERR_SQLITE_ERROR') return ending('store', fault, 'the store cannot be used: ');
  return { end: 'fault', what: fault.message, todo: REPORT };
}
