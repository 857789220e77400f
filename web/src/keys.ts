/** Whether a key belongs to a word that is being composed: in Japanese, Enter chooses it. */
export function isComposing(event: KeyboardEvent): boolean {
  // Safari ends the composition before it tells of the key that ended it; only its code still says so.
  return event.isComposing || event.keyCode === 229;
}
