// Which snapshot is served and how old its data is, kept true as time goes on.
import { found } from './element.ts';
import { type SnapshotSeen, watchSnapshots } from './gateway.ts';
import { agoText } from './past.ts';

const LOOK_MS = 1_000;

export function showSnapshotAge(): void {
  let seen: SnapshotSeen | undefined;
  const age = found('snapshot-age');
  const look = (): void => {
    const { createdMs } = seen ?? {};
    if (createdMs === undefined) return;
    set(age, agoText(Date.now() - createdMs));
    age.title = new Date(createdMs).toISOString();
  };
  watchSnapshots((now) => {
    seen = now;
    set(found('snapshot'), now.id);
    look();
  });
  setInterval(look, LOOK_MS);
}

/** What stays as it is, is not selected away. */
function set(to: HTMLElement, text: string): void {
  if (to.textContent !== text) to.textContent = text;
}
