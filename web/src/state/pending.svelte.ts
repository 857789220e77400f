// What was said here and is not confirmed by the server yet.
import { newKey, type Message } from '../api/client';
import type { Refusal } from '../api/refusal';

export interface Pending {
  key: string;
  text: string;
  refusal: Refusal | null;
  /** The same words have come by the stream, so they are not shown twice while the call goes on. */
  isSeen: boolean;
}

export class Unconfirmed {
  list = $state<Pending[]>([]);

  /** Gives the key under which it is said. */
  add(text: string): string {
    const key = newKey();
    this.list.push({ key, text, refusal: null, isSeen: false });
    return key;
  }

  /** It is being said, again perhaps. */
  begin(key: string): Pending | undefined {
    return this.mark(key, null);
  }

  failed(key: string, refusal: Refusal): void {
    this.mark(key, refusal);
  }

  drop(key: string): void {
    this.list = this.list.filter((pending) => pending.key !== key);
  }

  /** Words that stand in the log do not wait any more. */
  saw({ role, content }: Message): void {
    const isSame = ({ text, refusal, isSeen }: Pending) => text === content && !refusal && !isSeen;
    const same = role === 'user' ? this.list.find(isSame) : undefined;
    if (same) same.isSeen = true;
  }

  private mark(key: string, refusal: Refusal | null): Pending | undefined {
    const pending = this.list.find((pending) => pending.key === key);
    if (pending) {
      pending.refusal = refusal;
      pending.isSeen = false;
    }
    return pending;
  }
}
