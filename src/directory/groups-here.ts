import { OPERATORS, VIEWERS } from '../core/rules/operator.ts';

export interface GroupPowers {
  readonly label: string;
  /** Its groups whose members are operators, or viewers, of this service. */
  readonly operators?: readonly string[];
  readonly viewers?: readonly string[];
}

/** `LABEL/name`: a group of one directory is never taken for one of another, nor for one of ours unless the settings say so. */
export function groupsHere(
  names: readonly string[],
  { label, operators = [], viewers = [] }: GroupPowers,
): readonly string[] {
  const own = [
    ...(names.some((name) => operators.includes(name)) ? [OPERATORS] : []),
    ...(names.some((name) => viewers.includes(name)) ? [VIEWERS] : []),
  ];
  return [...[...new Set(names)].sort().map((name) => `${label}/${name}`), ...own];
}
