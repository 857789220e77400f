// Which language the page speaks: the person's choice, else the browser's, else English.
import { en } from './words/en';
import { es } from './words/es';
import { ja } from './words/ja';

type Said<T> = T extends (...given: infer G) => string
  ? (...given: G) => string
  : T extends string
    ? string
    : { [K in keyof T]: Said<T[K]> };

/** Everything that is said, in whatever language. */
export type Words = Said<typeof en>;

export const languages = { en: 'English', ja: '日本語', es: 'Español' } as const;
export type Language = keyof typeof languages;

const all: Record<Language, Words> = { en, ja, es };
const CHOICE = 'unsaid.language';

class Speech {
  language = $state<Language>(preferred());

  get words(): Words {
    return all[this.language];
  }

  choose(language: Language): void {
    this.language = language;
    localStorage.setItem(CHOICE, language);
  }
}

export const speech = new Speech();

/** The words of the language spoken now. */
export function words(): Words {
  return speech.words;
}

/** What the server ships, in the language spoken now. What an operator or a person wrote stays as it is. */
export function shipped(text: string): string {
  const known: Record<string, string> = words().shipped;
  // Some say after a colon who is meant.
  const [about, ...rest] = text.split(': ');
  return known[text] ?? [known[about ?? ''] ?? about, ...rest].join(': ');
}

/** The name of a chat; one that nobody has named is new in every language. */
export function chatName(name: string): string {
  return name === en.newChat ? words().newChat : name;
}

function preferred(): Language {
  const wishes = [localStorage.getItem(CHOICE), ...navigator.languages];
  for (const wish of wishes) {
    const language = wish?.slice(0, 2).toLowerCase() ?? '';
    if (language in languages) return language as Language;
  }
  return 'en';
}
