// The edit of one message: written, confirmed, sent, answered; or not, and then nothing is lost.
import { api, asked, newKey, once, streamed, type Shape } from '../api/client';
import type { Frame } from '../api/frame';
import { Refusal, refusalOf } from '../api/refusal';
import type { OpenChat } from './chat.svelte';
import { drafts, type Draft } from './drafts';
import { self } from './me.svelte';
import { listen, tell } from './tabs';

export type Phase =
  | { kind: 'none' }
  /** The person writes. */
  | { kind: 'writing' }
  /** The server counts what would go. */
  | { kind: 'counting' }
  /** The person is asked. */
  | { kind: 'asking'; count: Shape['RemovalCount'] }
  | { kind: 'removing' }
  | { kind: 'sending' }
  /** It is not known whether it happened, or it was refused. */
  | { kind: 'failed'; refusal: Refusal | null };

export class Edit {
  messageId = $state<string | null>(null);
  text = $state('');
  phase = $state<Phase>({ kind: 'none' });
  /** Found in the browser, not looked at yet. */
  found = $state(false);
  private key: string | null = null;
  private countings = 0;
  /** Whose it is, whoever is signed in when it fails. */
  private readonly person = self.me?.id ?? '';
  private readonly deaf: () => void;

  constructor(private readonly chat: OpenChat) {
    const draft = drafts.of(this.person, chat.chat);
    this.deaf = listen('draft', (news) => {
      const isSame = news.chat === chat.chat && news.messageId === this.messageId && news.key === this.key;
      if (isSame && this.isWaiting) this.forget();
    });
    chat.onGone = (gone) => (gone === null ? this.forget() : this.goneAre(new Set(gone)));
    if (!draft) return;
    this.messageId = draft.messageId;
    this.text = draft.text;
    this.key = draft.key;
    this.found = true;
    if (draft.key !== null) this.phase = { kind: 'failed', refusal: null };
  }

  close(): void {
    this.deaf();
  }

  /** Whether a draft waits for the person: to be tried again, gone on with, or thrown away. */
  get isWaiting(): boolean {
    return this.found || this.phase.kind === 'failed';
  }

  /** Whether another edit would take the place of this one. */
  get isTaken(): boolean {
    return this.isWaiting || this.phase.kind !== 'none';
  }

  /** Whether the chat shows that a call of which nothing was heard has been done. */
  get hasHappened(): boolean {
    const removal = this.chat.removal;
    if (this.phase.kind !== 'failed' || this.key === null || removal?.from !== this.messageId) return false;
    const said = this.chat.messages.find(({ messageId }) => messageId === removal.replacement);
    return said?.content.trim() === this.text.trim();
  }

  /** Whether something is under way that a second click must not do again. */
  get isBusy(): boolean {
    return ['counting', 'asking', 'removing', 'sending'].includes(this.phase.kind);
  }

  /** The message whose editor is open. */
  get opened(): string | null {
    return ['writing', 'counting', 'asking'].includes(this.phase.kind) ? this.messageId : null;
  }

  /** The message that is being edited, as long as nothing was sent. */
  get unsent(): string | null {
    return this.opened ?? (this.found && this.phase.kind === 'none' ? this.messageId : null);
  }

  begin(messageId: string, text: string): void {
    if (this.isTaken) return;
    this.messageId = messageId;
    this.text = text;
    this.key = null;
    this.found = false;
    this.phase = { kind: 'writing' };
  }

  /** Goes on with a draft that was found. */
  goOn(): void {
    this.found = false;
    this.key = null;
    this.phase = { kind: 'writing' };
  }

  write(text: string): void {
    this.text = text;
    this.keep();
  }

  discard(): void {
    if (this.messageId !== null) {
      drafts.drop(this.person, this.chat.chat, this.messageId);
      tell({ kind: 'draft', chat: this.chat.chat, messageId: this.messageId, key: this.key });
    }
    this.forget();
  }

  private forget(): void {
    if (this.messageId !== null) drafts.close(this.person, this.chat.chat, this.messageId);
    this.messageId = null;
    this.text = '';
    this.key = null;
    this.found = false;
    this.phase = { kind: 'none' };
  }

  /** Asks the server what would go, and then the person. */
  async ask(): Promise<void> {
    const id = this.messageId;
    if (this.phase.kind !== 'writing' || id === null || this.text.trim() === '') return;
    this.phase = { kind: 'counting' };
    const counting = this.phase;
    this.keep();
    const next = await this.count(id).then(
      (count): Phase => ({ kind: 'asking', count }),
      (thrown: unknown): Phase => ({ kind: 'failed', refusal: refusalOf(thrown) }),
    );
    // What was thrown away meanwhile is not asked about.
    if (this.phase === counting) this.phase = next;
  }

  /** Not after all: back to writing. */
  back(): void {
    if (this.phase.kind === 'asking') this.phase = { kind: 'writing' };
  }

  /** Somebody may have gone on talking while the person is asked: the question says what is true now. */
  async countAgain(): Promise<void> {
    const id = this.messageId;
    if (this.phase.kind !== 'asking' || id === null) return;
    const counted = this.count(id).catch(() => null);
    const counting = this.countings;
    const count = await counted;
    // Of several the last one knows most.
    const isLast = counting === this.countings && this.messageId === id;
    if (count !== null && isLast && this.phase.kind === 'asking') this.phase = { kind: 'asking', count };
  }

  /** Never more goes than was agreed to: if it is more by now, the person is asked again. */
  async confirm(): Promise<void> {
    const [id, asked] = [this.messageId, this.phase];
    if (asked.kind !== 'asking' || id === null) return;
    this.phase = { kind: 'removing' };
    // If it cannot be counted, the call itself will say why.
    const count = await this.count(id).catch(() => asked.count);
    if (count.count > asked.count.count) {
      this.phase = { kind: 'asking', count };
      return;
    }
    this.key = newKey();
    await this.send();
  }

  /** The same call again: if it had happened already, it does not happen twice. */
  async retry(): Promise<void> {
    if (!this.isWaiting) return;
    if (this.key === null) {
      this.goOn();
      await this.ask();
      return;
    }
    await this.send();
  }

  /**
   * A draft about a message that is gone goes too: it may repeat what was taken back. What was sent and not
   * confirmed stays, for that may be what removed the message.
   */
  private goneAre(gone: ReadonlySet<string>): void {
    if (this.unsent !== null && gone.has(this.unsent)) this.discard();
    for (const { messageId } of this.others) {
      if (gone.has(messageId)) drafts.drop(this.person, this.chat.chat, messageId);
    }
  }

  /** Drafts that were left elsewhere and never sent. */
  private get others(): Draft[] {
    const all = drafts.allOf(this.person, this.chat.chat);
    return all.filter(({ messageId, key }) => messageId !== this.messageId && key === null);
  }

  /** That a message is not shown proves nothing, for it may stand on a page that is not loaded. */
  async lookWhetherItStands(): Promise<void> {
    const id = this.unsent;
    if (id !== null && (await this.isGone(id)) && this.unsent === id) this.discard();
  }

  /** The same for what was left elsewhere. */
  async lookWhetherOthersStand(): Promise<void> {
    const shown = new Set(this.chat.messages.map(({ messageId }) => messageId));
    for (const { messageId } of this.others) {
      if (!shown.has(messageId) && (await this.isGone(messageId))) this.goneAre(new Set([messageId]));
    }
  }

  private async isGone(messageId: string): Promise<boolean> {
    const refusal = await this.count(messageId).then(() => null, refusalOf);
    return refusal?.status === 404;
  }

  private count(messageId: string): Promise<Shape['RemovalCount']> {
    this.countings += 1;
    const path = { world_id: this.chat.world, message_id: messageId };
    const query = { chatId: this.chat.chat };
    return asked(api.GET('/api/worlds/{world_id}/messages/{message_id}/count', { params: { path, query } }));
  }

  private async send(): Promise<void> {
    const [id, key] = [this.messageId, this.key];
    if (id === null || key === null) return;
    this.found = false;
    this.phase = { kind: 'removing' };
    this.keep();
    this.chat.round.expect();
    try {
      const call = api.PUT('/api/worlds/{world_id}/messages/{message_id}', {
        params: { path: { world_id: this.chat.world, message_id: id }, header: once(key) },
        body: { chatId: this.chat.chat, newContent: this.text },
        parseAs: 'stream',
      });
      await this.hear(streamed(call));
    } catch (thrown) {
      // It was said, and only the answers broke off: the other stream tells them.
      if (this.messageId !== id || this.key !== key) return this.chat.notAfterAll();
      const refusal = this.chat.refused(thrown);
      // Where there is no chat any more, nothing is left of what was to be said in it.
      if (refusal.code === 'CHAT_NOT_FOUND' || refusal.code === 'WORLD_NOT_FOUND') return this.discard();
      // A refusal by the server is certain: the next try is another call.
      if (refusal.status >= 400 && refusal.status < 500) this.key = null;
      this.phase = { kind: 'failed', refusal };
      this.keep();
      await this.chat.notAfterAll();
    }
  }

  private async hear(call: Promise<Response>): Promise<void> {
    let isOver = false;
    const isSaid = await this.chat.hearOut(call, (frame: Frame) => {
      if (frame.type === 'error' && this.isBusy) throw new Refusal(503, frame.data.code, frame.data.error, '', '');
      if (frame.type === 'removed') this.phase = { kind: 'sending' };
      if (frame.type === 'message') this.discard();
      isOver = frame.type === 'world' && frame.data.type === 'idle';
      return frame.type === 'message';
    });
    // It is over, and what was said is not there: it was done before, and undone or taken back since.
    if (!isSaid) throw isOver ? new Refusal(409, 'EDIT_UNDONE', 'This edit was undone', '', '') : Refusal.unreachable();
  }

  private keep(): void {
    // Where somebody else is signed in by now, nothing is left behind.
    if (this.messageId === null || self.me?.id !== this.person) return;
    const draft = { messageId: this.messageId, text: this.text, key: this.key };
    drafts.keep([this.person, this.chat.chat, this.messageId], draft, self.keeps);
  }
}
