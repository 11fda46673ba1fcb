// Which refreshes become events.
import type { Grant } from '../grant.ts';
import { isSamePresenter } from '../presenter.ts';
import type { Settings } from '../settings.ts';

export function isRefreshLogged({ refreshesLogged }: Settings, before: Grant, next: Grant): boolean {
  switch (refreshesLogged) {
    case 'all':
      return true;
    case 'changes':
      return (
        before.bindings?.[0]?.thumbprint !== next.bindings?.[0]?.thumbprint ||
        !isSamePresenter(before.pair.presenter, next.pair.presenter)
      );
    case 'none':
      return false;
  }
}
