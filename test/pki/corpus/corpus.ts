// Every theme of the corpus by its name.
import type { Case } from './case.ts';
import { CONSTRAINT_CASES } from './constraints.ts';
import { DIRECTORY_CASES } from './directory-names.ts';
import { ENCODING_CASES } from './encoding.ts';
import { IDENTITY_CASES } from './identity.ts';
import { KEY_CASES } from './keys.ts';
import { LIST_CASES } from './lists.ts';
import { NAME_CASES } from './names.ts';
import { ODD_LIST_CASES } from './odd-lists.ts';
import { ODD_CASES } from './oddities.ts';
import { PATH_CASES } from './paths.ts';
import { POLICY_CASES } from './policies.ts';
import { RESPONSE_CASES } from './responses.ts';
import { ROLE_CASES } from './roles.ts';
import { SIGNATURE_CASES } from './signatures.ts';
import { TIME_CASES } from './times.ts';

export const CORPUS: Readonly<Record<string, readonly Case[]>> = {
  constraints: CONSTRAINT_CASES,
  'directory names': DIRECTORY_CASES,
  encoding: ENCODING_CASES,
  identity: IDENTITY_CASES,
  keys: KEY_CASES,
  lists: LIST_CASES,
  names: NAME_CASES,
  oddities: ODD_CASES,
  'odd lists': ODD_LIST_CASES,
  paths: PATH_CASES,
  policies: POLICY_CASES,
  responses: RESPONSE_CASES,
  roles: ROLE_CASES,
  signatures: SIGNATURE_CASES,
  times: TIME_CASES,
};
