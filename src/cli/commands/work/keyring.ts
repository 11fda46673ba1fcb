import { settingsOf } from '../../../config/load.ts';
import { usualSiblingWindow } from '../../../core/rules/siblings.ts';
import type { SigningAlgorithm } from '../../../core/signing-key.ts';
import type { Seconds } from '../../../core/time.ts';
import { changeKeyring, openKeyring, withKeyring } from '../../../open-keyring.ts';
import { addToKeyring, listKeys, mintWithKey, retireKey } from '../../../operations/admin/mac-keys.ts';
import {
  addSigningKeyTo,
  listSigningKeys,
  type RotationResult,
  retireSigningKey,
  rotateSigningKeys,
  signWithKey,
} from '../../../operations/admin/signing-keys.ts';
import { print, printJson, printTable, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import type { Workplace } from '../../terminal/workplace.ts';

export async function printKeys({ json }: { json?: true }, workplace: Workplace): Promise<void> {
  const { config, store } = workplace;
  const stored = await openKeyring(config, store);
  const keys = await listKeys(stored, workplace);
  const signingKeys = await listSigningKeys(stored, workplace);
  if (json) return printJson([...keys, ...signingKeys]);
  const lines = keys.map(({ id, state, fingerprint, grants }) => [id, state, fingerprint, grants]);
  printTable(['key', 'state', 'fingerprint', 'grants'], lines);
  if (signingKeys.length === 0) return;
  print('');
  const signing = signingKeys.map(({ id, state, since, isHere }) => [id, state, since, isHere ? 'yes' : 'no']);
  printTable(['signing key', 'state', 'since', 'in this keyring'], signing);
}

export async function addNext({ signing }: { signing?: SigningAlgorithm }, workplace: Workplace): Promise<void> {
  if (signing) return addNextSigningKey(signing, workplace);
  const keys = accepted(await changeKeyring(workplace, (before) => addToKeyring(before, workplace)));
  const id = keys.at(-1)?.id;
  print(`Added key ${id}. Copy this keyring to all nodes, which read it in seconds, then: tessera keyring mint ${id}`);
  result({ key: id, state: 'check-only' });
}

async function addNextSigningKey(algorithm: SigningAlgorithm, workplace: Workplace): Promise<void> {
  const added = accepted(
    await withKeyring(workplace, ({ keys, storeKeys }) =>
      addSigningKeyTo(keys, algorithm, { ...workplace, storeKeys }),
    ),
  );
  const copy = 'Copy this keyring to every node, which reads it by itself';
  const signs = added.signsFrom !== undefined;
  if (signs) print(`Added the signing key ${added.id}, which signs. ${copy}.`);
  else print(`Added the signing key ${added.id}, and published it. ${copy}. When it is due: tessera keyring rotate`);
  result({ key: added.id, state: signs ? 'signing' : 'published' });
}

/** The id of a MAC key is a number, that of a signing key a text. */
type KeyId = number | string;
type UseFlags = { readonly key: KeyId; readonly force?: boolean };
type RetireFlags = { readonly key: KeyId; readonly atOnce?: boolean };

export async function useNext({ key: id, force = false }: UseFlags, workplace: Workplace): Promise<void> {
  if (typeof id === 'string') return signWithNext(id, force, workplace);
  accepted(await changeKeyring(workplace, (keys) => mintWithKey(keys, { id, force }, workplace)));
  print(`Key ${id} mints from now on, on every node that has this keyring`);
  result({ key: id, state: 'minting' });
}

async function signWithNext(id: string, force: boolean, workplace: Workplace): Promise<void> {
  const { signingKeyPublishedFor: publishedFor } = workplace.config.tokens;
  accepted(await signWithKey({ id, publishedFor, force }, workplace));
  print(`Key ${id} signs from now on, on every node`);
  result({ key: id, state: 'signing' });
}

export async function retire({ key: id, atOnce = false }: RetireFlags, workplace: Workplace): Promise<void> {
  const settings = settingsOf(workplace.config);
  const { accessTokenLifetime } = settings;
  const siblingWindow = usualSiblingWindow(settings);
  accepted(
    await changeKeyring(workplace, (keys) =>
      typeof id === 'number'
        ? retireKey(keys, { id, accessTokenLifetime, siblingWindow, atOnce }, workplace)
        : retireSigningKey(keys, { id, atOnce }, workplace),
    ),
  );
  print(`Retired key ${id}`);
  result({ key: id, state: 'retired' });
}

export async function rotateSigning({ every }: { every: Seconds }, workplace: Workplace): Promise<void> {
  const { signingKeyPublishedFor: publishedFor } = workplace.config.tokens;
  const done = accepted(
    await withKeyring(workplace, ({ keys, storeKeys }) =>
      rotateSigningKeys(keys, { publishedFor, every }, { ...workplace, storeKeys }),
    ),
  );
  if (done.length === 0) print('Nothing is due');
  for (const each of done) print(describe(each));
  result(done);
}

function describe(result: RotationResult): string {
  const { id } = result;
  switch (result.did) {
    case 'added':
      return `Added the signing key ${id}, and published it. Copy this keyring to every node`;
    case 'signs':
      return `Key ${id} signs from now on, on every node`;
    case 'removed':
      return `Retired key ${id}`;
    case 'waits':
      return `Key ${id} is due to sign, but these nodes do not have it yet: ${result.nodes.join(', ')}. Copy the keyring to them`;
  }
}
