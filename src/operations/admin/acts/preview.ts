// What making or replacing a thing would do, before it is done.
import type { Integration } from '../../../core/integration.ts';
import { accept } from '../../../core/outcome.ts';
import { completed } from '../../../schema.ts';
import type { AdminOutcome } from '../admin.ts';
import { findIdentity } from '../find-identity.ts';
import { grantsOfChange, type Touched } from '../foresee.ts';
import { IdentityObject, type ObjectChange, type Section, type WrittenIdentity } from '../objects.ts';
import { changedBetween } from '../perform.ts';
import type { ActPorts } from './act.ts';
import { kindOf, planPut } from './run-act.ts';

export interface Preview {
  readonly fields: ObjectChange['fields'];
  /** What would be shown of it besides what was entered, such as the subject of a certificate. */
  readonly facts?: Readonly<Record<string, unknown>>;
  /** What it does to living grants, if it can do something to them. */
  readonly touched?: Touched;
}

export async function previewPut(
  section: Section,
  id: string,
  body: object,
  ports: ActPorts,
): Promise<AdminOutcome<Preview>> {
  if (section === 'identities') return previewIdentity(id, body as WrittenIdentity, ports);
  const kind = await kindOf(section);
  const plan = await planPut(kind, { id, body }, ports);
  if (!plan.ok) return plan;
  const { fields = {}, next } = plan.value.find((each) => each.id === id) ?? {};
  if (next === undefined) return accept({ fields });
  const preview = { fields, facts: kind.written(next as never) };
  if (section !== 'integrations') return accept(preview);
  return accept({ ...preview, touched: await grantsOfChange(next as Integration, ports.store) });
}

/** A file describes their groups only; here, everything but the password. */
async function previewIdentity(name: string, given: WrittenIdentity, ports: ActPorts): Promise<AdminOutcome<Preview>> {
  const { password: _, ...body } = given;
  const known = await findIdentity(name, ports);
  const before = known.ok ? completed(IdentityObject, known.value) : {};
  return accept({ fields: changedBetween(before, completed(IdentityObject, body)).changed });
}
