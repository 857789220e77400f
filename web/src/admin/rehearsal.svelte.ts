// Trying the bot without LINE: what an admin says goes the way of LINE and is held in memory only.
import { api, asked, newKey, once, type Shape } from '../api/client';
import { refusalOf } from '../api/refusal';

export type Place = 'person' | 'group';
type Rehearsed = Shape['Rehearsal'];

/** Something that was said, or a turn that ended without words. */
export type Line =
  | { key: string; at: string; message: Shape['RehearsedMessage']; turn: null }
  | { key: string; at: string; message: null; turn: Shape['Turn'] };

/** How often somebody who waits for an answer looks whether it has come. */
const LOOK_MS = 1_000;

export class Rehearsal {
  shown = $state<Rehearsed | null>(null);
  /** Silence and failure stand where they happened; an answer speaks for itself. */
  lines = $state<Line[]>([]);
  /** When a line was first seen: its time is in whole seconds, and much happens within one. */
  private readonly places = new Map<string, number>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private isClosed = false;
  private looks = 0;

  constructor(readonly place: Place) {}

  close(): void {
    this.isClosed = true;
    clearTimeout(this.timer);
  }

  /** Looks what was said and decided, and again as long as the bot is at it. */
  async look(): Promise<void> {
    clearTimeout(this.timer);
    const look = ++this.looks;
    const shown = await asked(api.GET('/api/admin/line/try/{place}', { params: { path: this.path } }));
    // Who asked later knows better.
    if (this.isClosed || look !== this.looks) return;
    this.shown = shown;
    this.lines = this.inOrder(shown);
    if (shown.answering) this.lookLater();
  }

  /** One look that is lost is not the last. */
  private lookLater(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.lookOn(), LOOK_MS);
  }

  private async lookOn(): Promise<void> {
    await this.look().catch((thrown: unknown) => {
      if (refusalOf(thrown).mayPass && !this.isClosed) this.lookLater();
    });
  }

  async say(said: Shape['TrySaying'], key = newKey()): Promise<void> {
    const params = { path: this.path, header: once(key) };
    await asked(api.POST('/api/admin/line/try/{place}/messages', { params, body: said }));
    // It was said, whether or not that can be seen now.
    await this.lookOn();
  }

  async unsend(id: string): Promise<void> {
    const params = { path: { ...this.path, message_id: id }, header: once() };
    await asked(api.POST('/api/admin/line/try/{place}/messages/{message_id}/unsend', { params }));
    await this.lookOn();
  }

  async beginAnew(): Promise<void> {
    await asked(api.DELETE('/api/admin/line/try/{place}', { params: { path: this.path, header: once() } }));
    await this.lookOn();
  }

  private inOrder({ messages, turns }: Rehearsed): Line[] {
    const said: Line[] = messages.map((message) => ({ key: message.id, at: message.created_at, message, turn: null }));
    const decided: Line[] = turns
      .filter(({ decision }) => decision !== 'answered')
      .map((turn) => ({ key: `turn-${turn.id}`, at: turn.ended_at, message: null, turn }));
    const lines = [...said, ...decided].toSorted((one, other) => Date.parse(one.at) - Date.parse(other.at));
    for (const { key } of lines) if (!this.places.has(key)) this.places.set(key, this.places.size);
    const place = ({ key }: Line) => this.places.get(key) ?? 0;
    const ordered = lines.toSorted((one, other) => place(one) - place(other));
    // Silence answers what stands before it; when that was taken back, nobody is silent about it.
    return ordered.filter(
      ({ turn }, at) => turn?.decision !== 'silent' || ordered[at - 1]?.message?.from === 'person',
    );
  }

  private get path(): { place: Place } {
    return { place: this.place };
  }
}
