// What a tab remembers of a person, by names that begin with theirs. It is written to the browser's
// storage only for people who allow keeping; of others it is in the open tab only.
import { SvelteMap } from 'svelte/reactivity';

export class Kept<T extends object> {
  private static readonly all: Kept<object>[] = [];
  private readonly open = new SvelteMap<string, T>();

  constructor(
    private readonly prefix: string,
    private readonly storage: Storage,
  ) {
    Kept.all.push(this);
  }

  /** What begins with these names, the one that is open in this tab before others. */
  of(...names: string[]): T | null {
    return this.allOf(...names)[0] ?? null;
  }

  /** All that begins with these names. */
  allOf(...names: string[]): T[] {
    const isMeant = under(names);
    const open = [...this.open].filter(([name]) => isMeant(name));
    const written = this.written.filter((name) => isMeant(name) && !this.open.has(name));
    return [...open.map(([, value]) => value), ...written.map((name) => this.read(name)).filter((value) => value !== null)];
  }

  keep(names: string[], value: T, mayWrite: boolean): void {
    const name = nameOf(names);
    this.open.set(name, value);
    if (mayWrite) this.write(this.prefix + name, JSON.stringify(value));
  }

  drop(...names: string[]): void {
    this.close(...names);
    this.storage.removeItem(this.prefix + nameOf(names));
  }

  /** It is not open here any more; whether it is written is the affair of whoever wrote last. */
  close(...names: string[]): void {
    this.open.delete(nameOf(names));
  }

  /** Everything is gone whose names begin with these. */
  static drop(...names: string[]): void {
    for (const kept of Kept.all) kept.dropThat(under(names));
  }

  /** Everything is gone, also what is open. */
  static clear(): void {
    this.clearBut(null);
  }

  /** Everything is gone that is not this person's. */
  static clearBut(person: string | null): void {
    const isOther = (name: string) => person === null || !name.startsWith(`${nameOf([person])}/`);
    for (const kept of Kept.all) kept.dropThat(isOther);
  }

  /** Nothing may be written any more; what is open stays open. */
  static unwrite(): void {
    for (const kept of Kept.all) kept.unwrite(() => true);
  }

  private dropThat(isMeant: (name: string) => boolean): void {
    for (const name of [...this.open.keys()].filter(isMeant)) this.open.delete(name);
    this.unwrite(isMeant);
  }

  /** Where there is no room it is in the open tab only, and nothing older stays in its place. */
  private write(name: string, text: string): void {
    try {
      this.storage.setItem(name, text);
    } catch {
      this.storage.removeItem(name);
    }
  }

  private unwrite(isMeant: (name: string) => boolean): void {
    for (const name of this.written.filter(isMeant)) this.storage.removeItem(this.prefix + name);
  }

  private get written(): string[] {
    const names = Object.keys(this.storage).filter((name) => name.startsWith(this.prefix));
    return names.map((name) => name.slice(this.prefix.length));
  }

  /** What was written, by whatever version of this page. */
  private read(name: string): T | null {
    try {
      return JSON.parse(this.storage.getItem(this.prefix + name) ?? 'null') as T | null;
    } catch {
      return null;
    }
  }
}

/** Whether a name is this one or begins with it. */
function under(names: string[]): (name: string) => boolean {
  const start = nameOf(names);
  return (name) => name === start || name.startsWith(`${start}/`);
}

function nameOf(names: string[]): string {
  return names.map(encodeURIComponent).join('/');
}
