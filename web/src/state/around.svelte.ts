// How this installation is set up, and what to do when it could not be asked.
import { refusalOf, type Refusal } from '../api/refusal';
import { self } from './me.svelte';

class Around {
  /** Why it is not known. */
  refusal = $state<Refusal | null>(null);
  private looking: Promise<void> | null = null;

  get isKnown(): boolean {
    return self.about !== null;
  }

  /** Looks, if that is not known yet. */
  look(): Promise<void> {
    if (this.isKnown) return Promise.resolve();
    this.looking ??= this.ask().finally(() => (this.looking = null));
    return this.looking;
  }

  private async ask(): Promise<void> {
    try {
      await self.lookAround();
      this.refusal = null;
    } catch (thrown) {
      this.refusal = refusalOf(thrown);
    }
  }
}

export const around = new Around();
