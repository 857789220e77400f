// A session with an expert: its messages, and the answer as it comes in the AI SDK's own stream.
import { api, asked, newKey, once, streamed, type Shape } from '../api/client';
import { Refusal, refusalOf } from '../api/refusal';
import { serverEvents } from '../api/sse';
import { self } from './me.svelte';
import { reasonOf, type Why } from './remark';
import { listen, tell } from './tabs';

type Part =
  | { type: 'start'; messageId: string }
  | { type: 'text-delta'; id: string; delta: string }
  | { type: 'error'; errorText: string }
  | { type: 'data-stored' | 'text-start' | 'text-end' | 'finish' | 'abort' };

/** Why there is no answer, as refusals are called. */
const FAILURES: Record<Why, string> = {
  model: 'MODEL_UNAVAILABLE',
  slow: 'ANSWER_TOO_SLOW',
  storage: 'STORAGE_UNAVAILABLE',
  consent: 'HISTORY_SWITCHED_OFF',
};

export interface Said {
  /** What the server calls it; of one's own words also before they arrived. */
  id: string;
  role: 'user' | 'assistant';
  text: string;
  /** When it was said; what was said here just now, by the clock of this machine. */
  at: string;
  /** An answer that broke off: the server keeps nothing of it. */
  isCut?: boolean;
}

/** What may be tried again. */
interface Call {
  kind: 'say' | 'edit';
  id: string;
  text: string;
  key: string;
  /** The server has it, or may have it: whoever throws it away takes it back there. */
  mayBeThere: boolean;
}

export class OpenSession {
  session = $state<Shape['Session'] | null>(null);
  said = $state<Said[]>([]);
  isAnswering = $state(false);
  isLoaded = $state(false);
  /** Whether something of it is kept. */
  isKept = $state(false);
  refusal = $state<Refusal | null>(null);
  /** The call that failed, if the same one may be made again. */
  failed = $state<Call | null>(null);
  /** Said here and not confirmed yet: it can be neither edited nor unsent. */
  unconfirmed = $state<string | null>(null);
  /** It was to be thrown away and could not be taken back. */
  isStuck = $state(false);
  private isDiscarding = false;
  private isLooking = false;
  /** Another tab changed something while nobody could look. */
  private isBehind = false;
  /** How often something was said here: what was asked for before is no longer what there is. */
  private turn = 0;
  /** The name of the answer that is being heard. */
  private answer: string | null = null;
  private readonly end = new AbortController();

  constructor(readonly id: string) {
    const deaf = listen('session', () => void this.lookAgain());
    this.end.signal.addEventListener('abort', deaf);
  }

  async open(): Promise<void> {
    this.refusal = null;
    try {
      this.session = await asked(api.GET('/api/sessions/{session_id}', { params: { path: this.path } }));
      await this.read();
      // Only when it is read can something be said: what is read later would take its place.
      const answer = await this.beingGiven().finally(() => (this.isLoaded = true));
      if (answer) await this.resume(answer);
    } catch (thrown) {
      this.refuse(thrown);
    }
    this.catchUp();
  }

  /** Something is on its way, or does not get there: nothing else can be said meanwhile. */
  get isBusy(): boolean {
    return this.isAnswering || this.unconfirmed !== null;
  }

  close(): void {
    this.end.abort();
  }

  async say(text: string): Promise<void> {
    if (this.isBusy) return;
    const id = newKey();
    this.said.push({ id, role: 'user', text, at: now() });
    await this.make({ kind: 'say', id, text, key: newKey(), mayBeThere: false });
  }

  /** Forgets everything from a message on and says something else. */
  async edit(id: string, text: string): Promise<void> {
    if (this.isBusy) return;
    await this.make({ kind: 'edit', id, text, key: newKey(), mayBeThere: false });
  }

  async retry(): Promise<void> {
    if (this.failed) await this.make(this.failed);
  }

  /** Throws away what failed. What may have arrived is gone from here when it is gone there. */
  async discard(): Promise<void> {
    const { failed } = this;
    if (!failed || this.isDiscarding) return;
    this.isDiscarding = true;
    try {
      if (failed.mayBeThere) await this.takeBack(failed);
      if (failed.kind === 'say') this.said = this.said.filter(({ id }) => id !== failed.id);
      this.settle();
      if (failed.mayBeThere) await this.unsaid();
    } catch (thrown) {
      this.refuse(thrown);
      this.isStuck = this.failed !== null;
    } finally {
      this.isDiscarding = false;
    }
  }

  async unsend(id: string): Promise<void> {
    await this.remove(id);
    await this.unsaid();
  }

  async stop(): Promise<void> {
    await asked(api.POST('/api/chat/{session_id}/stop', { params: { path: this.path } }));
  }

  async finish(): Promise<void> {
    await asked(api.POST('/api/sessions/{session_id}/end', { params: { path: this.path, header: once() } }));
    this.session = await asked(api.GET('/api/sessions/{session_id}', { params: { path: this.path } }));
    tell({ kind: 'session' });
  }

  private async make(call: Call): Promise<void> {
    this.isAnswering = true;
    this.turn += 1;
    this.settle();
    // What broke off is nowhere else.
    this.said = this.said.filter(({ isCut }) => !isCut);
    if (call.kind === 'say') this.unconfirmed = call.id;
    try {
      const response = await streamed(call.kind === 'say' ? this.saying(call) : this.editing(call));
      this.unconfirmed = null;
      call.mayBeThere = true;
      if (call.kind === 'edit') this.replace(call.id, call.text);
      tell({ kind: 'session' });
      await this.hear(response);
      tell({ kind: 'session' });
    } catch (thrown) {
      await this.failing(call, refusalOf(thrown));
    } finally {
      this.isAnswering = false;
    }
    this.catchUp();
  }

  /** A call whose answer was lost may have been done: what is kept shows it. */
  private async failing(call: Call, refusal: Refusal): Promise<void> {
    if (refusal.status === 0 || refusal.status >= 500) call.mayBeThere = true;
    this.failed = call;
    this.refuse(refusal);
    // Where it cannot be seen, it is offered again, and is the same call then. Whoever makes it again may
    // be told that it is just being answered.
    const isUnheard = refusal.status === 0 || (refusal.status === 423 && call.mayBeThere);
    if (isUnheard) await this.follow().catch(() => undefined);
  }

  private saying({ id, text }: Call) {
    const body = { session_id: this.id, message: text, client_message_id: id };
    return api.POST('/api/chat', { body, parseAs: 'stream' });
  }

  private editing({ id, text, key }: Call) {
    const params = { path: { ...this.path, message_id: id }, header: once(key) };
    const body = { message: text };
    return api.PUT('/api/sessions/{session_id}/messages/{message_id}', { params, body, parseAs: 'stream' });
  }

  /** Takes back what a call said. An edit that did not arrive leaves what was there before. */
  private async takeBack({ kind, id, text }: Call): Promise<void> {
    if (kind === 'edit' && (await this.read())) {
      if (this.said.find((said) => said.id === id)?.text !== text) return;
    }
    await this.remove(id);
  }

  /** Takes a message back; one that never arrived is gone already. */
  private async remove(id: string): Promise<void> {
    const params = { path: { ...this.path, message_id: id }, header: once() };
    try {
      await asked(api.DELETE('/api/sessions/{session_id}/messages/{message_id}', { params }));
    } catch (thrown) {
      if (refusalOf(thrown).status !== 404) throw thrown;
    }
    this.said = this.said.filter((said) => said.id !== id);
    if (this.failed?.id === id) this.settle();
  }

  /** Something was taken back, and perhaps answers with it. */
  private async unsaid(): Promise<void> {
    tell({ kind: 'session' });
    await this.read();
  }

  /** Nothing waits to be tried again. */
  private settle(): void {
    this.failed = null;
    this.unconfirmed = null;
    this.refusal = null;
    this.isStuck = false;
  }

  /** A message that says something else keeps its name. */
  private replace(id: string, text: string): void {
    const at = this.said.findIndex((said) => said.id === id);
    if (at < 0) return;
    this.said = [...this.said.slice(0, at), { id, role: 'user', text, at: now() }];
  }

  private async hear(response: Response): Promise<void> {
    let isWhole = false;
    this.answer = null;
    try {
      for await (const event of serverEvents(response)) {
        isWhole = event.data === '[DONE]';
        if (isWhole) return;
        this.take(JSON.parse(event.data) as Part);
      }
    } finally {
      if (!isWhole) this.breakOff();
    }
    throw Refusal.unreachable();
  }

  private take(part: Part): void {
    switch (part.type) {
      case 'start':
        this.said = this.said.filter(({ id }) => id !== part.messageId);
        this.said.push({ id: part.messageId, role: 'assistant', text: '', at: now() });
        this.answer = part.messageId;
        return;
      case 'text-delta': {
        const answer = this.said.find(({ id }) => id === this.answer);
        if (answer) answer.text += part.delta;
        return;
      }
      case 'error':
        throw new Refusal(503, FAILURES[reasonOf(part.errorText)], part.errorText, '', '');
      case 'abort':
        return this.breakOff();
      case 'data-stored':
      case 'text-start':
      case 'text-end':
      case 'finish':
    }
  }

  /** The answer ends in the middle; one that had not begun is none. */
  private breakOff(): void {
    const answer = this.said.find(({ id }) => id === this.answer);
    if (answer?.text === '') this.said = this.said.filter(({ id }) => id !== answer.id);
    else if (answer) answer.isCut = true;
  }

  /** Words that were kept are hidden now, or come back. */
  async consentChanged(): Promise<void> {
    if (!self.keeps) this.said = [];
    try {
      await this.read();
    } catch (thrown) {
      this.refuse(thrown);
    }
  }

  /** Another tab changed a session: what is kept of this one is read again. */
  private async lookAgain(): Promise<void> {
    this.isBehind = this.isAnswering || this.isLooking;
    if (this.isBehind) return;
    this.isLooking = true;
    try {
      const isGone = !(await this.follow());
      if (isGone && self.keeps && !this.isAnswering) this.said = [];
    } catch {
      // It will be read when it is opened again.
    } finally {
      this.isLooking = false;
    }
    this.catchUp();
  }

  private catchUp(): void {
    if (this.isBehind && !this.end.signal.aborted) void this.lookAgain();
  }

  /** Reads what is kept, and hears the answer that is just being given to it. */
  private async follow(): Promise<boolean> {
    const { turn } = this;
    if (!(await this.read())) return false;
    // A browser has few connections: a tab that nobody sees reads the answer when it is whole.
    const answer = document.hidden && !this.failed ? null : await this.beingGiven();
    if (answer && turn === this.turn) await this.resume(answer);
    else await answer?.body?.cancel();
    return true;
  }

  /** Reads what is kept; of a session that is not, this tab remembers what it saw. */
  private async read(): Promise<boolean> {
    const { turn } = this;
    try {
      const { messages } = await asked(
        api.GET('/api/sessions/{session_id}/messages', { params: { path: this.path } }),
      );
      if (turn !== this.turn) return this.isKept;
      this.said = messages.map(({ id, role, content, timestamp }) => ({ id, role, text: content, at: timestamp }));
      this.isKept = true;
      this.compare();
    } catch (thrown) {
      if (refusalOf(thrown).status !== 404) throw thrown;
      this.isKept = false;
    }
    return this.isKept;
  }

  /** What is kept shows whether the call that failed was done after all. */
  private compare(): void {
    const { failed } = this;
    if (!failed) return;
    const at = this.said.findIndex(({ id, text }) => id === failed.id && text === failed.text);
    const isAnswered = at >= 0 && this.said[at + 1]?.role === 'assistant';
    // What the server had and has no longer was taken back in another tab.
    const isGone = at < 0 && failed.kind === 'say' && this.unconfirmed === null;
    if (isAnswered || isGone) this.settle();
    else if (at >= 0) this.unconfirmed = null;
    else if (failed.kind === 'say') this.said.push({ id: failed.id, role: 'user', text: failed.text, at: now() });
  }

  /** The answer that is just being given, if one is. What became whole since we read is read. */
  private async beingGiven(): Promise<Response | null> {
    const response = await fetch(`/api/chat/${encodeURIComponent(this.id)}/stream`, {
      credentials: 'same-origin',
      signal: this.end.signal,
    });
    if (response.status === 200) return response;
    if (this.isKept && this.said.at(-1)?.role === 'user') await this.read();
    return null;
  }

  private async resume(response: Response): Promise<void> {
    const { isAnswering } = this;
    this.isAnswering = true;
    try {
      await this.hear(response);
      await this.read();
    } finally {
      this.isAnswering = isAnswering;
    }
  }

  private refuse(thrown: unknown): void {
    if (!this.end.signal.aborted) this.refusal = refusalOf(thrown);
  }

  private get path(): { session_id: string } {
    return { session_id: this.id };
  }
}

function now(): string {
  return new Date().toISOString();
}
