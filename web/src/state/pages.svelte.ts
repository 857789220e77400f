// The log of a chat, read by pages: the newest ones, and earlier ones when somebody wants to see them.
// Readings come one after the other, and what was taken away does not come back, neither by a reading
// during which it went nor by a stream that is late.
import { api, asked, type Message } from '../api/client';
import { refusalOf, type Refusal } from '../api/refusal';

const PAGE = 50;
const PAGE_MAX = 100;
/** After a reading that failed and may succeed later. */
const AGAIN_MS = 3_000;
/** Between earlier pages that are read again: whoever has seen thousands of messages has many. */
const EARLIER_MS = 3_000;

export class Pages {
  messages = $state<Message[]>([]);
  hasMore = $state(false);
  isLoaded = $state(false);
  isLoadingOlder = $state(false);
  refusal = $state<Refusal | null>(null);
  /** The last reading that was asked for, and the reading again among them that has not begun. */
  private last: Promise<void> = Promise.resolve();
  private next: Promise<void> | null = null;
  /** How often something was taken away. */
  private takings = 0;
  /** What was taken away. A stream that is behind may still bring it. */
  private readonly gone = new Set<string>();
  /** What the stream brought since the reading began. */
  private readonly brought = new Set<string>();
  /** Something may have gone that nobody told, also from earlier pages. */
  private hasMissed = false;
  /** What stands before this message was read before that. */
  private unsure: string | null = null;
  /** The server wants to be left alone until then. */
  private restsUntil = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private walk: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;

  constructor(
    private readonly world: string,
    private readonly chat: string,
  ) {}

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
    clearTimeout(this.walk);
  }

  get isResting(): boolean {
    return Date.now() < this.restsUntil;
  }

  has(messageId: string): boolean {
    return this.at(messageId) >= 0;
  }

  isGone(messageId: string): boolean {
    return this.gone.has(messageId);
  }

  /** What the stream brings comes at the end, or in the place of what was known of it. */
  add(message: Message): void {
    if (this.isGone(message.messageId)) return;
    const at = this.at(message.messageId);
    if (at >= 0) {
      this.messages[at] = message;
      return;
    }
    this.messages.push(message);
    this.brought.add(message.messageId);
  }

  /** Some messages are gone, whether they are shown or not. */
  take(messageIds: readonly string[]): void {
    this.takings += 1;
    for (const id of messageIds) this.gone.add(id);
    this.messages = this.messages.filter(({ messageId }) => !this.isGone(messageId));
  }

  /** Everything from a message on is gone; says what that was. */
  cut(messageId: string): string[] {
    const at = this.at(messageId);
    // It stands on a page that is not here, and perhaps all that is here came after it.
    if (at < 0) void this.reload();
    const gone = at < 0 ? [messageId] : this.messages.slice(at).map(({ messageId }) => messageId);
    this.take(gone);
    return gone;
  }

  /** All of it is gone, or another log is the conversation now. */
  clear(): void {
    this.take(this.messages.map(({ messageId }) => messageId));
    this.hasMore = false;
    this.isLoaded = false;
  }

  async loadOlder(): Promise<void> {
    if (!this.hasMore || this.isLoadingOlder) return;
    this.isLoadingOlder = true;
    await this.inTurn(() => this.readOlder());
    this.isLoadingOlder = false;
  }

  /** Reads the end of the log again. Whoever asks before that begins shares it. */
  reload(hasMissed = false): Promise<void> {
    this.hasMissed ||= hasMissed;
    if (this.isResting) {
      this.reloadIn(this.restsUntil - Date.now());
      return Promise.resolve();
    }
    clearTimeout(this.timer);
    this.next ??= this.inTurn(() => {
      this.next = null;
      return this.readAgain();
    });
    return this.next;
  }

  /** The same, because somebody wants it now. */
  retry(): Promise<void> {
    this.restsUntil = 0;
    return this.reload();
  }

  /** A reading that is under way, and what the stream brought, may be older than what was taken away. */
  distrust(): void {
    this.takings += 1;
  }

  private inTurn(reading: () => Promise<void>): Promise<void> {
    this.last = this.last.then(reading);
    return this.last;
  }

  private async readOlder(): Promise<void> {
    try {
      const page = await this.undisturbed(() => this.page(PAGE, this.messages[0]?.messageId));
      const read = new Set(page.messages.map(({ messageId }) => messageId));
      this.messages = [...page.messages, ...this.messages.filter(({ messageId }) => !read.has(messageId))];
      this.hasMore = page.hasMore;
    } catch (thrown) {
      this.failed(refusalOf(thrown));
      void this.reload(true);
    }
  }

  /** Reads the newest page. What is shown before it stays if the two meet. */
  private async readAgain(): Promise<void> {
    const limit = Math.min(Math.max(PAGE, this.messages.length), PAGE_MAX);
    try {
      const { messages, hasMore } = await this.undisturbed(() => this.page(limit));
      const read = new Set(messages.map(({ messageId }) => messageId));
      // Who edits removes everything to the end: where one message stands, so do those before it.
      const earlier = this.messages.slice(0, Math.max(0, this.at(messages[0]?.messageId)));
      // What the stream brought while we read is newer than what we read.
      const newer = this.messages.filter(({ messageId }) => this.brought.has(messageId) && !read.has(messageId));
      this.messages = [...earlier, ...messages, ...newer];
      if (earlier.length === 0) this.hasMore = hasMore;
      this.isLoaded = true;
      this.refusal = null;
      // But one that was unsent while nobody told it may be among them.
      if (this.hasMissed && earlier.length > 0) this.unsure ??= messages[0]?.messageId ?? null;
      this.hasMissed = false;
      this.walkOn();
    } catch (thrown) {
      const refusal = refusalOf(thrown);
      if (!this.isLoaded) this.refusal = refusal;
      this.failed(refusal);
      // Until it is read, what is shown may be what is gone.
      if (refusal.mayPass) this.reloadIn(Math.max(AGAIN_MS, refusal.waitMs));
    }
  }

  private reloadIn(milliseconds: number): void {
    clearTimeout(this.timer);
    if (!this.isClosed) this.timer = setTimeout(() => void this.retry(), milliseconds);
  }

  private walkOn(): void {
    if (this.unsure === null || this.isClosed || this.walk !== undefined) return;
    this.walk = setTimeout(() => {
      this.walk = undefined;
      void this.inTurn(() => this.readEarlier()).then(() => this.walkOn());
    }, EARLIER_MS);
  }

  /** Reads one of the earlier pages again that are shown. */
  private async readEarlier(): Promise<void> {
    const { unsure } = this;
    const limit = Math.min(this.at(unsure), PAGE_MAX);
    this.unsure = null;
    if (unsure === null || limit <= 0) return;
    try {
      const { messages, hasMore } = await this.undisturbed(() => this.page(limit, unsure));
      const later = this.messages.slice(Math.max(0, this.at(unsure)));
      const earlier = this.messages.slice(0, Math.max(0, this.at(messages[0]?.messageId)));
      this.messages = [...earlier, ...messages, ...later];
      if (earlier.length === 0) this.hasMore = hasMore;
      else this.unsure = messages[0]?.messageId ?? null;
    } catch (thrown) {
      this.failed(refusalOf(thrown));
      void this.reload(true);
    }
  }

  private failed({ waitMs }: Refusal): void {
    if (waitMs > 0) this.restsUntil = Date.now() + waitMs;
  }

  /** What a reading gives. One during which something was taken away may hold it: it is done again. */
  private async undisturbed(reading: () => ReturnType<Pages['page']>) {
    for (;;) {
      const { takings } = this;
      this.brought.clear();
      const read = await reading();
      if (takings !== this.takings) continue;
      // What was undone is there again.
      for (const { messageId } of read.messages) this.gone.delete(messageId);
      return read;
    }
  }

  private at(messageId: string | null | undefined): number {
    return this.messages.findIndex((message) => message.messageId === messageId);
  }

  private async page(limit: number, before?: string) {
    const path = { world_id: this.world, chat_id: this.chat };
    const query = before === undefined ? { limit } : { limit, before };
    return asked(api.GET('/api/worlds/{world_id}/chats/{chat_id}/messages', { params: { path, query } }));
  }
}
