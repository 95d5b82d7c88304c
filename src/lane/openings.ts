// Those who wait until a lane has opened a snapshot.

interface Opening {
  readonly id: string;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

export class Openings {
  #waiting: Opening[] = [];

  /** @param id of the snapshot */
  wait(id: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ id, resolve, reject });
    });
  }

  /** @param why it cannot be opened; undefined: it is open. @param id undefined: every snapshot. */
  settle(id: string | undefined, why?: string): boolean {
    const settled = this.#waiting.filter((each) => id === undefined || each.id === id);
    this.#waiting = this.#waiting.filter((each) => !settled.includes(each));
    for (const { resolve, reject } of settled) {
      if (why === undefined) resolve();
      else reject(new Error(why));
    }
    return settled.length > 0;
  }
}
