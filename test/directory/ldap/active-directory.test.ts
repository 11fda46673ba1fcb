// The attributes of Active Directory, kept by slapd: what Tessera makes of them, not how a domain controller behaves.
import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { DirectoryAway } from '../../../src/core/faults.ts';
import type { IdentityId } from '../../../src/core/identity.ts';
import { ldapDirectory } from '../../../src/directory/ldap/ldap-directory.ts';
import { Secret } from '../../../src/tokens/secret.ts';
import { TestClock } from '../../node.ts';
import { anIdentity } from '../../samples.ts';
import { addPerson, dnOf, GROUPS, type Slapd, startSlapd } from './slapd.ts';

let slapd: Slapd;
const clock = new TestClock();
const ADA = 'corp:{33221100-5544-7766-8899-aabbccddeeff}' as IdentityId;
const SID = Buffer.from('010500000000000515000000010000000200000003000000f4010000', 'hex');

before(async () => {
  slapd = await startSlapd();
  await addPerson(slapd, 'ada', {
    objectClass: ['inetOrgPerson', 'adThing'],
    sAMAccountName: 'ada',
    userPrincipalName: 'Ada@CORP.example',
    userAccountControl: '512',
    accountExpires: '9223372036854775807',
    pwdLastSet: '133000000000000000',
    objectGUID: Buffer.from('00112233445566778899aabbccddeeff', 'hex'),
    tokenGroups: SID,
  });
  await slapd.add(`cn=Nested Ops,${GROUPS}`, {
    objectClass: ['groupOfNames', 'adThing'],
    member: dnOf('nobody'),
    objectSid: SID,
  });
});

after(() => slapd.stop());

function corp() {
  const groups = { from: 'token-groups', base: GROUPS, nameAttribute: 'cn', memberAttribute: 'member' } as const;
  const settings = { ...slapd.settings, kind: 'active-directory', attributes: {}, groups } as const;
  return ldapDirectory(settings, clock.now);
}

suite('an entry of Active Directory', () => {
  test('has its GUID in mixed byte order, is found by it again, and has nested groups', async () => {
    const [ada] = await corp().byUpn('ada@corp.example');
    assert.deepEqual(ada, {
      id: ADA,
      enabled: true,
      mayUseApi: true,
      groups: ['corp/Nested Ops'],
      userName: 'ada',
      upn: 'Ada@corp.example',
    });
    const again = (id: IdentityId) => corp().elsewhere?.again(anIdentity({ id }));
    assert.deepEqual(await again(ADA), ada);
    assert.equal(await again('corp:{00112233-4455-6677-8899-aabbccddeeff}' as IdentityId), undefined);
  });

  test('has ended when it is disabled or expired; a lockout or an old password stops sign-in only', async () => {
    const dn = dnOf('ada');
    const state = async () => {
      const { byUserName, passwords } = corp();
      const [ada] = await byUserName('ada');
      const signedIn = await passwords.check('ada', new Secret('the password of ada'), false);
      return [ada?.enabled, signedIn?.identity.enabled];
    };
    const fileTime = (seconds: number) => String(BigInt(seconds + 11_644_473_600) * 10_000_000n);
    assert.deepEqual(await state(), [true, true]);
    await slapd.set(dn, 'userAccountControl', '514');
    assert.deepEqual(await state(), [false, false]);
    await slapd.set(dn, 'userAccountControl', '512');
    await slapd.set(dn, 'accountExpires', fileTime(clock.now() - 60));
    assert.deepEqual(await state(), [false, false]);
    await slapd.set(dn, 'accountExpires', fileTime(clock.now() + 60));
    assert.deepEqual(await state(), [true, true]);
    await slapd.set(dn, 'accountExpires', '0');
    for (const flag of [0x10, 0x80_0000]) {
      await slapd.set(dn, 'msDS-User-Account-Control-Computed', String(flag));
      assert.deepEqual(await state(), [true, undefined]);
    }
    await slapd.unset(dn, 'msDS-User-Account-Control-Computed');
  });

  test('of which the service account cannot read all is no entry without groups, or an enabled one', async () => {
    await slapd.unset(dnOf('ada'), 'tokenGroups');
    await assert.rejects(corp().byUserName('ada'), DirectoryAway);
    await slapd.unset(dnOf('ada'), 'userAccountControl');
    await assert.rejects(corp().byUserName('ada'), /userAccountControl/);
  });
});
