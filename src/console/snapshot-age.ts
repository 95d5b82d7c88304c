// Which snapshot is served and how old its data is, kept true as time goes on.
import { found } from './element.ts';
import { snapshotSeen } from './gateway.ts';
import { agoText } from './past.ts';

const LOOK_MS = 250;

export function showSnapshotAge(): void {
  const look = (): void => {
    const seen = snapshotSeen();
    if (seen === undefined) return;
    const { id, createdMs } = seen;
    set(found('snapshot'), id);
    if (createdMs === undefined) return;
    const age = found('snapshot-age');
    set(age, `, made ${agoText(Date.now() - createdMs)}`);
    age.title = new Date(createdMs).toISOString();
  };
  look();
  setInterval(look, LOOK_MS);
}

/** What stays as it is, is not selected away. */
function set(to: HTMLElement, text: string): void {
  if (to.textContent !== text) to.textContent = text;
}
