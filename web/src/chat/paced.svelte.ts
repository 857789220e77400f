// What passes too quickly to be read is shown for a moment, one thing after the other.

/** Long enough to be read, short enough not to be waited for. */
const STEP_MS = 600;
/** Whoever is further behind than this wants to know what is, not what was. */
const STEPS_MAX = 4;

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

  /** At once, unless something is being shown for its moment: then after it. */
  show(next: T): void {
    if (next === (this.next.at(-1) ?? this.now)) return;
    if (this.timer === undefined) this.now = next;
    else this.next.push(next);
    if (this.next.length > STEPS_MAX) this.next.splice(0, STEPS_MAX);
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
