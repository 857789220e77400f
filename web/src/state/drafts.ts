// Edits that the server has not confirmed yet, by person, chat and message. They are written to the
// browser's storage only until the server has them.
import { Kept } from './kept';

export interface Draft {
  messageId: string;
  text: string;
  /** The name of the call that was made with it; null as long as none was. */
  key: string | null;
}

export const drafts = new Kept<Draft>('unsaid.draft.', localStorage);
