// A scope in plain words, one line per permission.
import { parseScope } from '../../../core/scope.ts';
import { type Html, html } from '../parts/html.ts';
import type { Texts } from '../parts/texts/en.ts';

export interface PermissionLine {
  readonly words: string;
  readonly isFarReaching: boolean;
}

/** Permissions that destroy, or that give away more permissions. */
const FAR_REACHING: ReadonlySet<string> = new Set(['delete', 'manage', 'approve', 'admin', 'execute']);

export function permissionLines(scope: string, texts: Texts): PermissionLine[] {
  return [...(parseScope(scope)?.resources ?? [])].flatMap(([resource, permissions]) => {
    const named = permissions.size > 0 ? [...permissions] : [undefined];
    return named.map((permission) => ({
      words: texts.permission(resource, permission),
      isFarReaching: permission !== undefined && FAR_REACHING.has(permission),
    }));
  });
}

/** How many, and how many of them are far-reaching. */
export function permissionCount(scope: string, texts: Texts): string {
  const lines = permissionLines(scope, texts);
  const farReaching = lines.filter((line) => line.isFarReaching).length;
  return farReaching > 0 ? `${lines.length} (${texts.request.farReaching}: ${farReaching})` : `${lines.length}`;
}

/** Those that are far-reaching come first. */
export function permissionList(scope: string, texts: Texts): Html {
  const lines = permissionLines(scope, texts)
    .toSorted((a, b) => Number(b.isFarReaching) - Number(a.isFarReaching))
    .map(
      ({ words, isFarReaching }) =>
        html`<li>${words}${isFarReaching && html` <span class="tag">${texts.request.farReaching}</span>`}</li>`,
    );
  return html`<ul class="permissions">${lines}</ul>`;
}
