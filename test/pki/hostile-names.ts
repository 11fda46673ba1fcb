import type { Hostile } from './hostile.ts';
import { HOSTILE_ALTERNATIVE_NAMES } from './hostile-alternative-names.ts';
import { HOSTILE_COMMON_NAMES } from './hostile-common-names.ts';

export const HOSTILE_NAMES: readonly Hostile[] = [...HOSTILE_COMMON_NAMES, ...HOSTILE_ALTERNATIVE_NAMES];
