// What passes too quickly to be read is shown for a moment, one thing after the other.

/** Long enough to be read, short enough not to be waited for. */
const STEP_MS = 600;

export class Paced<T> {
  private now: T;
  private readonly next: T[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(first: T) {
    this.now = $state(first);
  }

  get shown(): T {
    return this.now;
  }

  /**
   * At once, unless something is being shown for its moment: then after it. What comes again before it was
   * shown, because a second stream tells it later, is shown once.
   */
  show(next: T): void {
    const place = this.next.indexOf(next);
    if (this.timer === undefined) this.now = next;
    else if (place >= 0) this.next.length = place + 1;
    else if (next !== (this.next.at(-1) ?? this.now)) this.next.push(next);
  }

  /** The same, and for a moment. */
  step(next: T): void {
    this.show(next);
    if (this.timer === undefined && this.now === next) this.wait();
  }

  /** At once, whatever was to be shown before. */
  only(now: T): void {
    this.stop();
    this.now = now;
  }

  stop(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.next.length = 0;
  }

  private wait(): void {
    this.timer = setTimeout(() => {
      this.timer = undefined;
      const next = this.next.shift();
      if (next === undefined) return;
      this.now = next;
      this.wait();
    }, STEP_MS);
  }
}
