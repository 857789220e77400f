// The owner of a new installation came in by a link and was never asked whether words may be kept.
import { self } from './me.svelte';

/** The address of the owner's account; it receives nothing. */
const OWNER = 'owner@localhost';
const ASKED = 'unsaid.owner-asked';

class AsksOwner {
  /** Whoever said no has changed nothing: only this browser knows that they were asked. */
  private answered = $state(localStorage.getItem(ASKED));

  get now(): boolean {
    const { me } = self;
    if (me === null || me.email !== OWNER || this.answered === me.id) return false;
    // Whoever has switched off was asked, in whatever browser.
    const { store_history, store_history_changed_at } = me.preferences;
    return !store_history && store_history_changed_at === me.created_at;
  }

  /** They have been asked. */
  done(): void {
    if (!self.me) return;
    this.answered = self.me.id;
    localStorage.setItem(ASKED, self.me.id);
  }
}

export const asksOwner = new AsksOwner();
