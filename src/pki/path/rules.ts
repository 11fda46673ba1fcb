// The rules for a single certificate of a path, in evaluation order. The dry run, TLS handshakes and proxy headers all
// use this table. Rules between certificates are in path.ts.
import type { Rule } from './rule.ts';
import { RULES_OF_FORM } from './rules-of-form.ts';
import { RULES_OF_KEYS } from './rules-of-keys.ts';
import { RULES_OF_ROLES } from './rules-of-roles.ts';

export const RULES: readonly Rule[] = [...RULES_OF_FORM, ...RULES_OF_KEYS, ...RULES_OF_ROLES];
