// One chat of a world as this tab sees it: the newest pages of its log, kept true by its stream.
import { api, asked, once, streamed, type Message } from '../api/client';
import { isLoss, isRemark, type Frame, type Loss, type Removed } from '../api/frame';
import { follow } from '../api/follow';
import { refusalOf, type Refusal } from '../api/refusal';
import { serverEvents } from '../api/sse';
import { self } from './me.svelte';
import { Pages } from './pages.svelte';
import { Unconfirmed, type Pending } from './pending.svelte';
import { reasonOf, type Remark } from './remark';
import { outcomeOf, removalOf, removals, type Removal } from './removals';
import { Round } from './round.svelte';
import { listen, tell } from './tabs';
import { Voices } from './voices.svelte';

export class OpenChat {
  isCut = $state(false);
  /** How often something was forgotten or remembered again. */
  forgettings = $state(0);
  /** Is told what goes; null: everything. */
  onGone: (messageIds: readonly string[] | null) => void = () => undefined;
  private way = $state<Removal | null>(null);
  private readonly person = self.me?.id ?? '';
  readonly round: Round;
  private readonly pages: Pages;
  private readonly voices = new Voices();
  private readonly unconfirmed = new Unconfirmed();
  private readonly end = new AbortController();
  /** Whether a stream tells everything that happens, and how often one was opened. */
  private isFollowing = false;
  private openings = 0;
  /** A removal is told twice: by the stream of the call and by the one that is open all the time. */
  private readonly heeded = new Set<string>();

  constructor(
    readonly world: string,
    readonly chat: string,
    /** Session mode is off, which somebody else must have done. */
    private readonly isOff: () => void,
    /** How many agents there are now. */
    private readonly agentCount: () => number,
  ) {
    this.round = new Round(world, chat);
    this.pages = new Pages(world, chat);
    const removal = removals.of(this.person, chat);
    // One that an earlier version of this page wrote may not say everything.
    if (removal && removal.undoEnds > Date.now()) this.way = { ...removal, agents: removal.agents ?? agentCount() };
  }

  /** What an edit took away, until somebody goes on talking. */
  get removal(): Removal | null {
    return this.way;
  }

  set removal(removal: Removal | null) {
    this.way = removal;
    if (removal) removals.keep([this.person, this.chat], removal, self.keeps);
    else removals.drop(this.person, this.chat);
  }

  get messages(): readonly Message[] {
    return this.pages.messages;
  }

  get pending(): readonly Pending[] {
    return this.unconfirmed.list;
  }

  get hasMore(): boolean {
    return this.pages.hasMore;
  }

  get isLoaded(): boolean {
    return this.pages.isLoaded;
  }

  get isLoadingOlder(): boolean {
    return this.pages.isLoadingOlder;
  }

  get refusal(): Refusal | null {
    return this.pages.refusal;
  }

  get speaking(): Voices['speaking'] {
    // A reading may be ahead of the stream.
    return this.voices.speaking.filter(({ messageId }) => !this.pages.has(messageId));
  }

  get remarks(): readonly Remark[] {
    return this.voices.remarks;
  }

  /** Begins to follow: first the stream, then the log, so that nothing falls between. */
  open(): void {
    const url = `/api/worlds/${encodeURIComponent(this.world)}/events?chatId=${encodeURIComponent(this.chat)}`;
    const listener = {
      opened: (anew: boolean) => {
        this.isCut = false;
        this.isFollowing = true;
        this.openings += 1;
        // Whoever is still at it is heard from the beginning.
        this.voices.hush();
        if (anew || !this.isLoaded) void this.reload(anew);
        void this.lookWhoIsAtIt();
      },
      frame: (frame: Frame) => this.heed(frame),
      cut: () => {
        this.isCut = true;
        this.isFollowing = false;
        // What was said can be read without a stream.
        if (!this.isLoaded) this.lookAgain();
      },
      unseen: () => (this.isFollowing = false),
      crowded: () => {
        this.isFollowing = false;
        if (!this.pages.isResting) this.lookAgain(true);
      },
      refused: (refusal: Refusal) => (this.pages.refusal = refusal),
    };
    void follow(url, listener, this.end.signal);
    const deaf = listen('chat', ({ world, chat, loss }) => {
      if (world !== this.world || chat !== this.chat) return;
      // What nobody sees can wait, for the stream will tell it; but nothing stays that is gone.
      const isSeen = !document.hidden;
      if (isSeen && this.isFollowing) return;
      if (loss) this.lose(loss);
      if (isSeen) this.lookAgain();
    });
    const deafToo = listen('account', ({ isOver }) => {
      if (isOver) this.loseAll();
    });
    for (const end of [deaf, deafToo]) this.end.signal.addEventListener('abort', end);
  }

  close(): void {
    this.end.abort();
    this.pages.close();
  }

  /** Says something. Whether it arrived is seen in `pending`. */
  async say(text: string): Promise<void> {
    await this.sayAgain(this.unconfirmed.add(text));
  }

  /** The same call again: it takes effect once, however often it is made. */
  async sayAgain(key: string): Promise<void> {
    const pending = this.unconfirmed.begin(key);
    if (!pending) return;
    this.voices.remarks = [];
    // Before it is sent: when nobody answers, the end may come before the call's own stream does.
    this.round.expect();
    try {
      const call = api.POST('/api/worlds/{world_id}/messages', {
        params: { path: { world_id: this.world }, header: once(key) },
        body: { message: pending.text, chatId: this.chat },
        parseAs: 'stream',
      });
      const isSaid = await this.hearOut(streamed(call), (frame) => {
        if (frame.type === 'message') this.drop(key);
        return frame.type === 'message';
      });
      if (isSaid) return;
      this.drop(key);
      await this.reload();
    } catch (thrown) {
      this.unconfirmed.failed(key, this.refused(thrown));
      await this.notAfterAll();
    }
  }

  /**
   * Hears the stream of a call until what it was made for has happened, and further only if no other
   * stream tells the rest. Says whether it has happened.
   */
  async hearOut(call: Promise<Response>, isDone: (frame: Frame) => boolean): Promise<boolean> {
    // One that is opened later tells all words, but not what failed before.
    const opening = this.isFollowing ? this.openings : null;
    const isToldElsewhere = () => this.isFollowing && this.openings === opening;
    let hasHappened = false;
    for await (const event of serverEvents(await call)) {
      if (hasHappened && isToldElsewhere()) return true;
      const frame = JSON.parse(event.data) as Frame;
      if (!hasHappened && isDone(frame)) {
        hasHappened = true;
        this.heed(frame);
        await this.lookWhoIsAtIt();
        if (isToldElsewhere()) return true;
      } else if (hasHappened ? !this.isFollowing || isRemark(frame) : isLoss(frame)) {
        this.heed(frame);
      }
    }
    return hasHappened;
  }

  drop(key: string): void {
    this.unconfirmed.drop(key);
  }

  async unsend(messageId: string): Promise<void> {
    const call = api.POST('/api/worlds/{world_id}/messages/{message_id}/unsend', {
      params: { path: { world_id: this.world, message_id: messageId }, header: once() },
      body: { chatId: this.chat },
    });
    const { withdrawn } = await asked(call);
    const gone = [messageId, ...withdrawn];
    this.pages.take(gone);
    this.onGone(gone);
    for (const fromMessageId of gone) this.tell({ type: 'removed', data: { fromMessageId, count: 1, unsent: true } });
  }

  async stop(): Promise<void> {
    const params = { path: { world_id: this.world }, header: once() };
    await asked(api.POST('/api/worlds/{world_id}/messages/stop', { params, body: { chatId: this.chat } }));
  }

  async undo(editId: string, key: string): Promise<number> {
    const call = api.POST('/api/worlds/{world_id}/edits/{edit_id}/undo', {
      params: {
        path: { world_id: this.world, edit_id: editId },
        // Whoever undoes does not want to hear the answers to it first.
        query: { interrupt: true },
        header: once(key),
      },
    });
    const undone = await asked(call).catch((thrown: unknown) => {
      throw this.refused(thrown);
    });
    const { replacement } = this.removal ?? {};
    if (replacement) this.heeded.add(replacement);
    if (replacement && this.pages.has(replacement)) this.onGone(this.pages.cut(replacement));
    this.removal = null;
    this.tell({ type: 'restored', data: undone });
    await this.reload();
    return undone.count;
  }

  async loadOlder(): Promise<void> {
    await this.pages.loadOlder();
  }

  /** Somebody wants to see it now. */
  retry(): void {
    void this.pages.retry();
  }

  /** Something may have gone that nobody told: then also earlier pages are read again, slowly. */
  async reload(hasMissed = false): Promise<void> {
    const before = new Set(this.messages.map(({ messageId }) => messageId));
    await this.pages.reload(hasMissed);
    // A reading may be ahead of the stream, and of the call that says it.
    for (const message of this.messages) if (!before.has(message.messageId)) this.unconfirmed.saw(message);
    const { replacement } = this.removal ?? {};
    const last = this.messages.findLast(({ role }) => role === 'user');
    // Somebody went on talking, or the edit was undone, while nobody told it here.
    if (replacement && this.isLoaded && last?.messageId !== replacement && (last || !this.hasMore)) this.removal = null;
  }

  /** Heeds what a stream says, once or twice. */
  heed(frame: Frame): void {
    switch (frame.type) {
      case 'message':
        this.tell(null);
        return this.add(frame.data);
      case 'removed':
      case 'restored':
      case 'reset':
        this.tell(frame);
        return this.lose(frame);
      case 'sse':
        if (!this.pages.isGone(frame.data.messageId)) this.voices.hear(frame.data);
        return;
      case 'world':
        this.round.hear(frame.data);
        if (!this.round.isResponding) this.voices.hush();
        return;
      case 'system':
        return this.voices.remarkOn(
          frame.data.kind === 'turn-limit'
            ? { kind: 'turn-limit', agent: frame.data.agentId }
            : { kind: 'no-responder' },
        );
      case 'error':
        if (!this.round.isResponding || this.remarks.some(({ kind }) => kind === 'failed')) return;
        return this.voices.remarkOn({ kind: 'failed', agent: null, why: reasonOf(frame.data.error) });
    }
  }

  /** Lets the tabs know that have no stream. */
  private tell(loss: Loss | null): void {
    tell({ kind: 'chat', world: this.world, chat: this.chat, loss });
  }

  private lose(loss: Loss): void {
    if (loss.type === 'removed') return this.remove(loss.data);
    this.removal = null;
    this.voices.hush();
    this.forgettings += 1;
    // It may be that consent has changed.
    if (loss.type === 'reset') {
      this.pages.clear();
      self.lookAgain();
    }
    this.lookAgain();
  }

  /** Nothing that was said or begun stays, also where nobody looks and no stream tells it. */
  private loseAll(): void {
    this.unconfirmed.list = [];
    this.removal = null;
    this.onGone(null);
    this.becomeAnother();
  }

  /** Another log is the conversation now. */
  becomeAnother(): void {
    this.pages.clear();
    this.voices.hush();
    this.forgettings += 1;
    // What nobody sees is read when the stream is there again.
    if (!document.hidden) this.lookAgain();
  }

  private add(message: Message): void {
    const isNew = !this.pages.has(message.messageId);
    this.voices.isSaid(message.messageId);
    // A stream that is behind tells what is gone by now.
    if (this.pages.isGone(message.messageId)) return;
    this.pages.add(message);
    if (message.role !== 'user') return;
    // Somebody went on talking, and that closes the way back.
    const { removal } = this;
    if (removal?.replacement === null) this.removal = { ...removal, replacement: message.messageId };
    else if (isNew && removal && removal.replacement !== message.messageId) this.removal = null;
    // What is told for the second time may be older than the remark.
    if (!isNew) return;
    this.voices.remarks = [];
    this.unconfirmed.saw(message);
  }

  private remove(removed: Removed): void {
    const { fromMessageId: from } = removed;
    const name = removed.editId ?? from;
    if (!removed.unsent && this.heeded.has(name)) return this.removeAgain(removed);
    const spoken = this.voices.speaking.map(({ messageId }) => messageId);
    this.voices.hush();
    this.forgettings += 1;
    if (removed.unsent) {
      // Answers that go with it are told one by one.
      this.pages.take([from]);
      this.onGone([from]);
      this.removal = null;
      return;
    }
    this.heeded.add(name);
    this.removal = removalOf(removed, this.agentCount(), self.undoMs);
    const gone = this.pages.cut(from);
    // Answers to it that were not whole yet are gone too.
    this.pages.take(spoken);
    this.onGone(gone);
  }

  /** What came between the two tellings may be older than what was removed. */
  private removeAgain({ editId, result }: Removed): void {
    const { removal } = this;
    if (removal && result && removal.editId === editId) this.removal = { ...removal, ...outcomeOf(result) };
    this.pages.distrust();
    void this.reload();
  }

  /** Whatever was thrown, as a refusal; what it says of the world is heeded. */
  refused(thrown: unknown): Refusal {
    const refusal = refusalOf(thrown);
    if (refusal.code === 'SESSION_OFF') this.isOff();
    return refusal;
  }

  private lookAgain(hasMissed = false): void {
    void this.reload(hasMissed);
    void this.lookWhoIsAtIt();
  }

  /** What was to be said was not: whoever speaks now does so for another reason. */
  async notAfterAll(): Promise<void> {
    this.round.isResponding = false;
    await this.lookWhoIsAtIt();
  }

  async lookWhoIsAtIt(): Promise<void> {
    await this.round.look();
    if (!this.round.isResponding) this.voices.hush();
  }
}
