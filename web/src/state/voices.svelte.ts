// What is being said and not yet whole, and what is remarked about it.
import type { Spoken } from '../api/frame';
import { hasFailed, reasonOf, type Remark } from './remark';

export class Voices {
  speaking = $state<{ messageId: string; agent: string; text: string }[]>([]);
  remarks = $state<Remark[]>([]);

  hear(spoken: Spoken): void {
    const { messageId, agentName: agent } = spoken;
    const known = this.speaking.find((voice) => voice.messageId === messageId);
    switch (spoken.type) {
      case 'start':
        this.remarks = this.remarks.filter((remark) => !('agent' in remark && remark.agent === agent));
        if (known) known.text = '';
        else this.speaking.push({ messageId, agent, text: '' });
        return;
      case 'chunk':
        if (known) known.text += spoken.content ?? '';
        else this.speaking.push({ messageId, agent, text: spoken.content ?? '' });
        return;
      case 'end':
        return;
      case 'error':
        this.isSaid(messageId);
        if (hasFailed(spoken.content)) this.remarkOn({ kind: 'failed', agent, why: reasonOf(spoken.content) });
    }
  }

  /** It stands in the log, or nowhere. */
  isSaid(messageId: string): void {
    this.speaking = this.speaking.filter((voice) => voice.messageId !== messageId);
  }

  /** Nobody speaks. */
  hush(): void {
    this.speaking = [];
  }

  /** What is told twice is remarked once. */
  remarkOn(remark: Remark): void {
    const name = JSON.stringify(remark);
    if (!this.remarks.some((known) => JSON.stringify(known) === name)) this.remarks.push(remark);
  }
}
