// What somebody has begun to say, by person and conversation. It is in the open tab only, and never
// written: whoever looks at another screen and comes back finds it.
import { Kept } from './kept';

export const begun = new Kept<{ text: string }>('unsaid.begun.', sessionStorage);
