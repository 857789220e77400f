// Who is signed in, what they have allowed, and where they are.
import { api, asked, type Me, type Shape } from '../api/client';
import { Refusal, refusalOf } from '../api/refusal';
import { Kept } from './kept';
import { listen, tell } from './tabs';

class Self {
  /** Null: nobody is signed in. */
  me = $state<Me | null>(null);
  isKnown = $state(false);
  /** Why it is not known. */
  refusal = $state<Refusal | null>(null);
  /** How this installation is set up. */
  about = $state<Shape['About'] | null>(null);

  constructor() {
    listen('account', ({ isOver }) => {
      if (isOver) Kept.clear();
      this.lookAgain();
    });
  }

  get keeps(): boolean {
    return this.me?.preferences.store_history ?? false;
  }

  /** From withdrawal to erasure. */
  get graceSeconds(): number {
    return this.about?.consent.grace_seconds ?? 0;
  }

  /** How long an edit can be undone. Until that is known, the server is asked. */
  get undoMs(): number {
    return (this.about?.undo_seconds ?? Infinity) * 1000;
  }

  get isAdmin(): boolean {
    return this.me?.account_type === 'admin';
  }

  /** Looks who is signed in. */
  async look(): Promise<void> {
    try {
      this.me = await asked(api.GET('/api/users/me'));
      // Nobody finds here what somebody else had begun.
      Kept.clearBut(this.me.id);
      if (!this.keeps) Kept.unwrite();
      this.isKnown = true;
    } catch (thrown) {
      if (!(thrown instanceof Refusal) || thrown.status !== 401) throw thrown;
      this.expired();
      this.isKnown = true;
    }
  }

  /** Looks for the first time, or again where that failed: who is signed in is not asked to sign in. */
  async begin(): Promise<void> {
    this.refusal = null;
    try {
      await this.look();
    } catch (thrown) {
      this.refusal = refusalOf(thrown);
    }
  }

  /** Looks whether something has changed. If that cannot be seen now, the next call says so. */
  lookAgain(): void {
    if (this.isKnown) void this.look().catch(() => undefined);
    else if (this.refusal) void this.begin();
  }

  async lookAround(): Promise<void> {
    this.about = await asked(api.GET('/api/about'));
  }

  async signIn(email: string, password: string): Promise<void> {
    const query = { cookie: true };
    await asked(api.POST('/api/auth/login', { params: { query }, body: { email, password } }));
    await this.look();
    tell({ kind: 'account', isOver: false });
  }

  async signUp(person: Shape['Registration']): Promise<void> {
    await asked(api.POST('/api/auth/register', { body: person }));
    await this.signIn(person.email, person.password);
  }

  async signOut(): Promise<void> {
    await asked(api.POST('/api/auth/logout')).catch((thrown: unknown) => {
      // Whose time is over is signed out already, and leaves nothing behind either.
      if (refusalOf(thrown).status !== 401) throw thrown;
    });
    this.forget();
  }

  /** Their time is over. Whoever signs in again finds what they had begun. */
  expired(): void {
    this.me = null;
  }

  /** Whoever was here is gone, and what they had begun to write with them. */
  forget(): void {
    this.me = null;
    this.dropBegun();
  }

  /** What the person had begun to write is gone, in every tab. */
  dropBegun(): void {
    Kept.clear();
    tell({ kind: 'account', isOver: true });
  }

  changed(preferences: Shape['Preferences']): void {
    if (!this.me) return;
    this.me.preferences = preferences;
    if (!preferences.store_history) Kept.unwrite();
    tell({ kind: 'account', isOver: false });
  }
}

export const self = new Self();
