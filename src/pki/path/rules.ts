// What is demanded of each certificate of a path by itself: one table, evaluated in its order for the dry run, the
// handshake's chain and a proxy's header alike. What binds certificates to each other is in path.ts.
import type { Rule } from './rule.ts';
import { RULES_OF_FORM } from './rules-of-form.ts';
import { RULES_OF_KEYS } from './rules-of-keys.ts';
import { RULES_OF_ROLES } from './rules-of-roles.ts';

export const RULES: readonly Rule[] = [...RULES_OF_FORM, ...RULES_OF_KEYS, ...RULES_OF_ROLES];
