// Flags that describe a registered thing. One table declares them, and says which member of the description each of them sets.
import type { CliCommand } from './cli-command.ts';
import { asDuration, asYesNo, collect } from './options.ts';

/**
 * `flag`: as commander has it; `<yes|no>` and `<duration>` are parsed, and one that may be repeated is collected. `to`: the member, such as
 * `flows.device`; without it, the command reads the flag itself.
 */
export type Flag = readonly [flag: string, about: string, to?: string | undefined, more?: FlagNotes];

interface FlagNotes {
  readonly choices?: readonly string[];
  /** Makes the member of the value of the flag. */
  readonly as?: (value: never) => unknown;
}

export type Flags = Readonly<Record<string, unknown>>;

/** `required`: the long names of flags that must be given. */
export function withFlags(command: CliCommand, flags: readonly Flag[], required: readonly string[] = []): CliCommand {
  for (const [flag, about, , { choices } = {}] of flags) {
    const parse = parserOf(flag, about);
    if (choices) command.choice(flag, about, choices);
    else if (parse) command.option(flag, about, parse);
    else command.option(flag, about);
  }
  for (const option of command.options) if (required.includes(option.long ?? '')) option.makeOptionMandatory();
  return command;
}

type Parse = (text: string, before: unknown) => unknown;

function parserOf(flag: string, about: string): Parse | undefined {
  if (flag.includes('yes|no')) return asYesNo;
  if (flag.includes('<duration>')) return asDuration;
  return about.includes('may be repeated') ? (collect as Parse) : undefined;
}

/** What the flags describe; what they do not name is as before. */
export function describedBy(flags: readonly Flag[], given: Flags, before: object = {}): Record<string, unknown> {
  const described = structuredClone(before) as Record<string, unknown>;
  for (const [flag, about, to, { as } = {}] of flags) {
    const value = given[nameOf(flag)];
    if (to === undefined || value === undefined) continue;
    const isNone = value === false && (about.includes('may be repeated') || flag.includes('...'));
    setMember(described, to, isNone ? [] : as ? as(value as never) : value);
  }
  return described;
}

/** `--redirect-uri <uri>`: redirectUri. */
function nameOf(flag: string): string {
  const [, name = ''] = /--([\w-]+)/.exec(flag) ?? [];
  return name.replaceAll(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}

function setMember(described: Record<string, unknown>, path: string, value: unknown): void {
  const [outer = '', inner] = path.split('.');
  described[outer] = inner === undefined ? value : { ...(described[outer] as object), [inner]: value };
}
