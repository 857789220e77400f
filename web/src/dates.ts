import type { Language } from './words.svelte';

/** English dates as in the rest of the product: 16 Feb. */
const LOCALES: Record<Language, string> = { en: 'en-GB', ja: 'ja', es: 'es' };
/** What stands between a day and a time; a Latin comma is foreign to Japanese. */
const BETWEEN: Record<Language, string> = { en: ', ', ja: ' ', es: ', ' };

type Unit = readonly [name: string, seconds: number];
const LEAST: Unit = ['second', 1];
const UNITS: readonly Unit[] = [['day', 86_400], ['hour', 3_600], ['minute', 60], LEAST];

/** "16 Feb". */
export function shortDate(time: string, language: Language): string {
  return new Date(time).toLocaleDateString(LOCALES[language], { day: 'numeric', month: 'short' });
}

/** "16 Feb 2026, 10:30". */
export function dateAndTime(time: string, language: Language): string {
  const how: Intl.DateTimeFormatOptions = { dateStyle: 'medium', timeStyle: 'short' };
  return new Date(time).toLocaleString(LOCALES[language], how);
}

/** "10:30" today, with the day before that. */
export function timeOfDay(time: string, language: Language): string {
  const then = new Date(time);
  const clock = then.toLocaleTimeString(LOCALES[language], { hour: '2-digit', minute: '2-digit' });
  const isToday = then.toDateString() === new Date().toDateString();
  return isToday ? clock : shortDate(time, language) + BETWEEN[language] + clock;
}

/** "30 days", "1 day", "5 hours": the largest unit that fits, begun ones counted. */
export function span(seconds: number, language: Language): string {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size) ?? LEAST;
  // Two clocks are never quite the same.
  const count = Math.max(1, Math.ceil(seconds / size - 0.01));
  const how: Intl.NumberFormatOptions = { style: 'unit', unit, unitDisplay: 'long' };
  const said = new Intl.NumberFormat(LOCALES[language], how).format(count);
  return language === 'ja' ? said.replace(/\s/g, '') : said;
}

/** From now until then, as a span. */
export function spanUntil(time: string, language: Language): string {
  return span((Date.parse(time) - Date.now()) / 1000, language);
}
