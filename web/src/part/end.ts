// The end of a list that grows: whoever is there stays there, until they scroll up.

/** Whoever comes this near to the end wants to stay there. */
const NEAR_PX = 80;
/** Places are rounded. */
const THERE_PX = 2;

export class End {
  private isHeld = true;
  private lastTop = 0;
  private list: HTMLElement | null = null;

  /** For `{@attach}`; all that is in the list stands in one element. */
  readonly of = (list: HTMLElement): (() => void) => {
    this.list = list;
    const stay = () => this.stay();
    const scrolled = () => this.scrolled();
    // At once after every change, not with the next picture: answers that go and come again would
    // move the list, and look as if somebody had scrolled up.
    const changes = new MutationObserver(stay);
    changes.observe(list, { childList: true, characterData: true, subtree: true });
    const sizes = new ResizeObserver(stay);
    // What is not in sight is measured late, so the height also changes without any change in it.
    for (const part of [list, list.firstElementChild]) if (part) sizes.observe(part);
    list.addEventListener('scroll', scrolled, { passive: true });
    stay();
    return () => {
      changes.disconnect();
      sizes.disconnect();
      list.removeEventListener('scroll', scrolled);
    };
  };

  /** Whoever says something wants to see it, and what is answered. */
  go(): void {
    this.isHeld = true;
    this.stay();
  }

  /** Something further up is to be seen. */
  leave(): void {
    this.isHeld = false;
  }

  private stay(): void {
    if (!this.isHeld || this.list === null) return;
    this.list.scrollTop = this.list.scrollHeight;
    this.lastTop = this.list.scrollTop;
  }

  private scrolled(): void {
    if (this.list === null) return;
    const { scrollTop, scrollHeight, clientHeight } = this.list;
    const left = scrollHeight - scrollTop - clientHeight;
    if (scrollTop < this.lastTop) this.isHeld = left < THERE_PX;
    else if (left < NEAR_PX) this.isHeld = true;
    this.lastTop = scrollTop;
  }
}
