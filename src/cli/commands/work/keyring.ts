import type { Command } from 'commander';
import { changeKeyring, openKeyring } from '../../../open-keyring.ts';
import { addToKeyring } from '../../../operations/admin/add-key.ts';
import { listKeys } from '../../../operations/admin/list-keys.ts';
import { mintWithKey } from '../../../operations/admin/mint-with-key.ts';
import { retireKey } from '../../../operations/admin/retire-key.ts';
import { print, printJson, printTable, result } from '../../terminal/output.ts';
import { accepted } from '../../terminal/wording.ts';
import { atWorkplace } from '../../terminal/workplace.ts';

export function printKeys({ json }: { json?: true }, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const { config, store } = workplace;
    const keys = await listKeys(await openKeyring(config, store), workplace);
    if (json) return printJson(keys);
    const lines = keys.map(({ id, state, fingerprint, grants }) => [id, state, fingerprint, grants]);
    printTable(['key', 'state', 'fingerprint', 'grants'], lines);
  });
}

export function addNextKey(command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const keys = accepted(await changeKeyring(workplace, (before) => addToKeyring(before, workplace)));
    const id = keys.at(-1)?.id;
    print(
      `Added key ${id}. Copy this keyring to every node, which reads it by itself, then: tessera keyring mint ${id}`,
    );
    result({ key: id, state: 'check-only' });
  });
}

export function mintWithNext(id: number, { force = false }: { force?: boolean }, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    accepted(await changeKeyring(workplace, (keys) => mintWithKey(keys, { id, force }, workplace)));
    print(`Key ${id} mints from now on, on every node that has this keyring`);
    result({ key: id, state: 'minting' });
  });
}

export function retireOne(id: number, { atOnce = false }: { atOnce?: boolean }, command: Command): Promise<void> {
  return atWorkplace(command, async (workplace) => {
    const { accessTokenLifetime } = workplace.config.tokens;
    const request = { id, accessTokenLifetime, atOnce };
    accepted(await changeKeyring(workplace, (keys) => retireKey(keys, request, workplace)));
    print(`Retired key ${id}`);
    result({ key: id, state: 'retired' });
  });
}
