// Sessions of which nothing is kept: only this tab can show what was said in them, so it remembers them
// while somebody looks at another screen. In memory; a reload ends it.
import { self } from './me.svelte';
import { OpenSession } from './session.svelte';
import { listen } from './tabs';

/** Whoever opens more than these finds the oldest empty. */
const REMEMBERED_MAX = 20;

class Sessions {
  private readonly left = new Map<string, OpenSession>();
  private readonly people = new WeakMap<OpenSession, string>();
  /** Who it is, and whether words are kept: with either, what is shown is another thing. */
  private readonly who = $derived(`${self.me?.id} ${self.keeps}`);

  constructor() {
    listen('account', () => this.forget());
    $effect.root(() => {
      $effect(() => {
        void this.who;
        this.forget();
      });
    });
  }

  /** A session as it was left, or as the server knows it. */
  enter(id: string): { open: OpenSession; isRemembered: boolean } {
    const known = this.left.get(id);
    if (known) {
      this.left.delete(id);
      return { open: known, isRemembered: true };
    }
    const open = new OpenSession(id);
    this.people.set(open, self.me?.id ?? '');
    void open.open();
    return { open, isRemembered: false };
  }

  /** Nobody looks at it any more. An answer that is just being given is heard to its end. */
  leave(open: OpenSession): void {
    const isTheirs = this.people.get(open) === self.me?.id;
    if (!isTheirs || self.keeps || open.isKept || open.said.length === 0) {
      open.close();
      return;
    }
    this.left.set(open.id, open);
    const [oldest] = this.left.keys();
    if (this.left.size > REMEMBERED_MAX && oldest !== undefined) this.drop(oldest);
  }

  /** What is not looked at now is gone. */
  forget(): void {
    for (const id of this.left.keys()) this.drop(id);
  }

  private drop(id: string): void {
    this.left.get(id)?.close();
    this.left.delete(id);
  }
}

export const sessions = new Sessions();
