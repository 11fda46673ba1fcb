import type { Command } from 'commander';
import { asCount, examples } from '../terminal/options.ts';
import { print, printJson, printTable } from '../terminal/output.ts';
import { atWorkplace } from '../terminal/workplace.ts';

export function keyringCommands(program: Command): void {
  const group = program
    .command('keyring')
    .description('the server keys: add one, copy the keyring to every node, let it mint, retire the old one');
  declareList(group);
  declareAdd(group);
  declareMint(group);
  declareRetire(group);
}

function declareList(group: Command): void {
  group
    .command('list')
    .description('list the keys; never their secrets')
    .option('--json', 'as JSON')
    .addHelpText('after', examples('tessera keyring list'))
    .action(({ json }: { json?: true }, command: Command) =>
      atWorkplace(command, async ({ config, store }) => {
        const { keysOf } = await import('../keyring-place.ts');
        const { Keyring } = await import('../../tokens/keyring.ts');
        const { GRANTS_BY_KEY, grants } = await import('../../store/tables/grants.ts');
        const counts = await store.count(grants, GRANTS_BY_KEY);
        const keys = new Keyring(await keysOf(config, store)).keys;
        const shown = keys.map(({ id, state, fingerprint }) => ({
          id,
          state,
          fingerprint,
          grants: counts.get(id) ?? 0,
        }));
        if (json) printJson(shown);
        else
          printTable(
            ['key', 'state', 'fingerprint', 'grants'],
            shown.map((key) => Object.values(key)),
          );
      }),
    );
}

function declareAdd(group: Command): void {
  group
    .command('add')
    .description('add a key that only checks; copy the keyring to every node before it mints')
    .addHelpText('after', examples('tessera keyring add'))
    .action((_: unknown, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { changeKeys } = await import('../keyring-place.ts');
        const { addToKeyring } = await import('../../operations/admin/change-keyring.ts');
        const id = (await changeKeys(workplace, (keys) => addToKeyring(keys, workplace))).at(-1)?.id;
        print(
          `Added key ${id}. Copy this keyring to every node, which reads it by itself, then: tessera keyring mint ${id}`,
        );
      }),
    );
}

function declareMint(group: Command): void {
  group
    .command('mint')
    .argument('<key>', 'its id', asCount)
    .description('let a key mint from now on; the one before it is kept for what it minted')
    .option('--force', 'although a node that ran in the last minutes has not reported the key')
    .addHelpText('after', examples('tessera keyring mint 2'))
    .action((id: number, { force = false }: { force?: boolean }, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { changeKeys } = await import('../keyring-place.ts');
        const { mintWithKey } = await import('../../operations/admin/change-keyring.ts');
        await changeKeys(workplace, (keys) => mintWithKey(keys, { id, force }, workplace));
        print(`Key ${id} mints from now on, on every node that has this keyring`);
      }),
    );
}

function declareRetire(group: Command): void {
  group
    .command('retire')
    .argument('<key>', 'its id', asCount)
    .description('take a key out; refused while a live grant or access token needs it')
    .option('--at-once', 'do not wait for access tokens that the key minted; they stop working')
    .addHelpText('after', examples('tessera keyring retire 1'))
    .action((id: number, { atOnce }: { atOnce?: true }, command: Command) =>
      atWorkplace(command, async (workplace) => {
        const { changeKeys, longestAccessToken } = await import('../keyring-place.ts');
        const { retireKey } = await import('../../operations/admin/change-keyring.ts');
        const accessTokenLifetime = await longestAccessToken(workplace.config, workplace.store);
        const request = { id, accessTokenLifetime, ...(atOnce && { atOnce }) };
        await changeKeys(workplace, (keys) => retireKey(keys, request, workplace));
        print(`Retired key ${id}`);
      }),
    );
}
