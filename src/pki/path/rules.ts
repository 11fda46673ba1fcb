// The rules for a single certificate of a path, in evaluation order. The dry run, TLS handshakes and proxy headers all
// use this table. Rules between certificates are in path.ts.

import { FORM_RULES } from './form-rules.ts';
import { KEY_RULES } from './key-rules.ts';
import { ROLE_RULES } from './role-rules.ts';
import type { Rule } from './rule.ts';

export const RULES: readonly Rule[] = [...FORM_RULES, ...KEY_RULES, ...ROLE_RULES];
