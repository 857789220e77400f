// `useChat` is the class `Chat` with a React state around it; the class needs no page. Everything is
// said with the newest of AI SDK 5 and with its first, and by somebody whose words are kept and by
// somebody whose words are not. The server and its model are started by `tests/it/use_chat.rs`.

import assert from "node:assert/strict";
import test from "node:test";

import * as newest from "ai";
import * as first from "ai-first";
import { Chat as NewestChat } from "@ai-sdk/react";
import { Chat as FirstChat } from "react-first";

const { UNSAID, MODEL, KEPT_TOKEN, UNKEPT_TOKEN } = process.env;
const DEADLINE_MS = 60_000;
const LOOK_MS = 10;

/** The first one forgets that it waits no more when there was nothing to resume. */
const SDKS = [
  { sdk: "newest", Chat: NewestChat, Transport: newest.DefaultChatTransport, resumedNothing: "ready" },
  { sdk: "first", Chat: FirstChat, Transport: first.DefaultChatTransport, resumedNothing: "submitted" },
];
const PEOPLE = [
  { person: "with consent", token: KEPT_TOKEN, kept: true },
  { person: "without consent", token: UNKEPT_TOKEN, kept: false },
];

/** Every stream as it came, for the schemas. */
const streams = [];

/** Somebody in a session of theirs. */
class Guest {
  constructor(sdk, person) {
    Object.assign(this, sdk, person);
  }

  async open() {
    this.session = (await this.call("POST", "/api/sessions", {})).body.session.id;
    return this;
  }

  async call(method, path, body) {
    const headers = { authorization: `Bearer ${this.token}`, "content-type": "application/json" };
    const init = { method, headers, body: body && JSON.stringify(body) };
    const answer = await fetch(UNSAID + path, init);
    return { status: answer.status, body: await answer.json() };
  }

  /** A page that shows the session, as a browser that has just opened it. */
  page(messages = []) {
    const page = { data: [], errors: [], requests: [] };
    const transport = new this.Transport({
      api: `${UNSAID}/api/chat`,
      headers: { authorization: `Bearer ${this.token}` },
      fetch: async (address, init) => {
        const answer = await fetch(address, init);
        page.requests.push(`${init.method} ${answer.status} ${new URL(address).pathname}`);
        return answer.status === 200 ? recorded(answer) : answer;
      },
    });
    page.chat = new this.Chat({
      id: this.session,
      messages,
      transport,
      onData: (part) => page.data.push(part),
      onError: (error) => page.errors.push(error),
    });
    return page;
  }

  stop() {
    return this.call("POST", `/api/chat/${this.session}/stop`, {});
  }

  /** What the server has is what the page shows, or nothing is to be had. */
  async keeps(shown) {
    const { status, body } = await this.call("GET", `/api/sessions/${this.session}/messages`);
    if (!this.kept) {
      assert.equal(status, 404);
      return;
    }
    const seen = ({ id, role, content }) => ({ id, role, content });
    const expected = shown.map((message) => ({ ...message, content: text(message) }));
    assert.deepEqual(body.messages.map(seen), expected.map(seen));
  }

  /** The last exchange of a page was whole, and it was said whether it is kept. */
  async answered(page) {
    assert.deepEqual(page.errors, []);
    assert.equal(page.chat.status, "ready");
    const [question, answer] = page.chat.messages.slice(-2);
    assert.deepEqual([question.role, answer.role], ["user", "assistant"]);
    const data = {
      stored: this.kept,
      user_message_id: this.kept ? question.id : null,
      assistant_message_id: this.kept ? answer.id : null,
    };
    assert.deepEqual(page.data.at(-1), { type: "data-stored", data, transient: true });
    await this.keeps(page.chat.messages);
    return text(answer);
  }
}

function recorded(answer) {
  assert.equal(answer.headers.get("x-vercel-ai-ui-message-stream"), "v1");
  const stream = { bytes: [] };
  streams.push(stream);
  const record = new TransformStream({
    transform(bytes, onward) {
      stream.bytes.push(bytes);
      onward.enqueue(bytes);
    },
  });
  return new Response(answer.body.pipeThrough(record), answer);
}

const text = (message) => message.parts.map((part) => part.text ?? "").join("");
const shown = (page) => text(page.chat.messages.at(-1));

async function until(what, isSo) {
  const end = Date.now() + DEADLINE_MS;
  while (!isSo()) {
    assert.ok(Date.now() < end, `never: ${what}`);
    await new Promise((next) => setTimeout(next, LOOK_MS));
  }
}

/** No two are the same: the model is told by the question to go on. */
let stories = 0;
const slowQuestion = () => `Tell story ${++stories}, slowly.`;

/** The model says the beginning of the answer to a slow question, and the rest after this. */
const goOn = (question) => fetch(`${MODEL}/go-on`, { method: "POST", body: question });

/** Whether a page shows the beginning of the answer to a question. */
function showsBeginning({ chat }, question) {
  const [asked, answer] = chat.messages.slice(-2);
  return answer?.role === "assistant" && text(asked) === question && /\bbegins\b/.test(text(answer));
}

/** Asks, and comes back when the beginning of the answer is shown; `sent` is for its end. */
async function beginning(page, question) {
  const sent = page.chat.sendMessage({ text: question });
  await until("the beginning is shown", () => showsBeginning(page, question));
  assert.doesNotMatch(shown(page), /\bends\b/);
  assert.equal(page.chat.status, "streaming");
  return { sent };
}

/** One more page hears the same, from its start. */
async function resuming(guest, page) {
  const messages = page.chat.messages.slice(0, -1);
  const other = guest.page(messages);
  const heard = other.chat.resumeStream();
  await until("the other page shows it", () => showsBeginning(other, text(messages.at(-1))));
  return { other, heard };
}

for (const sdk of SDKS) {
  for (const person of PEOPLE) {
    const scene = (name, play) =>
      test(`${name} (${sdk.sdk}, ${person.person})`, { timeout: 2 * DEADLINE_MS }, async () => {
        await play(await new Guest(sdk, person).open());
      });

    scene("an answer is streamed and remembered", async (guest) => {
      const page = guest.page();
      await page.chat.sendMessage({ text: "My name is Quibble." });
      assert.match(await guest.answered(page), /Quibble.* ends$/);
      await page.chat.sendMessage({ text: "What is my name?" });
      assert.match(await guest.answered(page), /Quibble.*What is my name\?.* ends$/);
      assert.equal(page.chat.messages.length, 4);
    });

    scene("an edit replaces everything from there", async (guest) => {
      const page = guest.page();
      await page.chat.sendMessage({ text: "I like tea." });
      await page.chat.sendMessage({ text: "And cake." });
      const [question] = page.chat.messages;
      for (const instead of ["I like coffee.", "I like milk."]) {
        await page.chat.sendMessage({ text: instead, messageId: question.id });
        const answer = await guest.answered(page);
        assert.ok(answer.includes(instead), answer);
        assert.doesNotMatch(answer, /tea|cake|coffee.*milk/);
        assert.equal(page.chat.messages.length, 2);
        assert.equal(page.chat.messages[0].id, question.id);
      }
      await page.chat.sendMessage({ text: "And bread." });
      assert.match(await guest.answered(page), /milk.*And bread/);
    });

    scene("an answer is given anew", async (guest) => {
      const page = guest.page();
      await page.chat.sendMessage({ text: "One?" });
      const before = await guest.answered(page);
      await page.chat.regenerate();
      assert.notEqual(await guest.answered(page), before);
      assert.equal(page.chat.messages.length, 2);
      const answer = page.chat.messages[1];
      await page.chat.sendMessage({ text: "Two?" });
      await page.chat.regenerate({ messageId: answer.id });
      assert.doesNotMatch(await guest.answered(page), /Two/);
      assert.equal(page.chat.messages.length, 2);
      assert.notEqual(page.chat.messages[1].id, answer.id);
    });

    scene("what is stopped is not kept", async (guest) => {
      const page = guest.page();
      await page.chat.sendMessage({ text: "Hello." });
      const question = slowQuestion();
      const { sent } = await beginning(page, question);
      const { other, heard } = await resuming(guest, page);
      await page.chat.stop();
      await sent;
      assert.equal(page.chat.status, "ready");
      assert.deepEqual(await guest.stop(), { status: 200, body: { status: "ok", stopped: true } });
      await heard;
      for (const { chat, errors } of [page, other]) {
        assert.deepEqual([chat.status, errors], ["ready", []]);
      }
      assert.equal(other.data.length, 0);
      await guest.keeps(page.chat.messages.slice(0, 3));
      assert.deepEqual(await guest.stop(), { status: 200, body: { status: "ok", stopped: false } });
      // The page has half an answer that the server does not know.
      await page.chat.sendMessage({ text: "A short one, please.", messageId: page.chat.messages[2].id });
      assert.doesNotMatch(await guest.answered(page), /slowly/);
    });

    scene("an answer that was stopped is given anew, or left", async (guest) => {
      for (const next of ["regenerate", "send"]) {
        const page = guest.page();
        const question = slowQuestion();
        const { sent } = await beginning(page, question);
        await page.chat.stop();
        await sent;
        await guest.stop();
        if (next === "regenerate") {
          await goOn(question);
          await page.chat.regenerate();
          assert.match(await guest.answered(page), / ends$/);
          await guest.open();
        } else {
          await page.chat.sendMessage({ text: "Never mind." });
          assert.deepEqual(page.errors, []);
          assert.match(shown(page), /Never mind\..* ends$/);
        }
      }
    });

    scene("another page hears a running answer from its start", async (guest) => {
      const page = guest.page();
      const question = slowQuestion();
      const { sent } = await beginning(page, question);
      const { other, heard } = await resuming(guest, page);
      // Who leaves stops nothing.
      await page.chat.stop();
      await sent;
      await goOn(question);
      await heard;
      assert.match(await guest.answered(other), /begins.* ends$/);
      assert.deepEqual(other.requests, [`GET 200 /api/chat/${guest.session}/stream`]);
      assert.equal(other.chat.messages[1].id, page.chat.messages[1].id);
    });

    scene("nothing runs, nothing is resumed", async (guest) => {
      const page = guest.page();
      await page.chat.resumeStream();
      assert.deepEqual(page.requests, [`GET 204 /api/chat/${guest.session}/stream`]);
      const { resumedNothing } = guest;
      assert.deepEqual([page.chat.status, page.chat.messages, page.errors], [resumedNothing, [], []]);
      await page.chat.sendMessage({ text: "Hello." });
      const { messages } = page.chat;
      await page.chat.resumeStream();
      assert.equal(messages.length, 2);
      assert.deepEqual([page.chat.status, page.chat.messages, page.errors], [resumedNothing, messages, []]);
    });

    scene("a model that fails is an error, and can be asked again", async (guest) => {
      const page = guest.page();
      await page.chat.sendMessage({ text: "Hello." });
      for (const how of ["fail at once", "fail in the middle"]) {
        page.errors.length = 0;
        page.data.length = 0;
        await page.chat.sendMessage({ text: `Please ${how}.` });
        assert.equal(page.chat.status, "error");
        assert.equal(page.errors.length, 1);
        assert.match(page.errors[0].message, /model/i);
        assert.deepEqual(page.data, []);
        const said = page.chat.messages.findLastIndex((message) => message.role === "user");
        await guest.keeps(page.chat.messages.slice(0, said + 1));
        page.errors.length = 0;
        page.chat.clearError();
        await page.chat.sendMessage({ text: "Well then.", messageId: page.chat.messages[said].id });
        assert.match(await guest.answered(page), /Well then\..* ends$/);
      }
    });

    scene("a session answers one thing at a time", async (guest) => {
      const page = guest.page();
      const question = slowQuestion();
      const { sent } = await beginning(page, question);
      const other = guest.page(page.chat.messages.slice(0, 1));
      await other.chat.sendMessage({ text: "Hurry up." });
      assert.equal(other.chat.status, "error");
      assert.equal(JSON.parse(other.errors[0].message).code, "SESSION_BUSY");
      await goOn(question);
      await sent;
      await guest.answered(page);
    });
  }
}

test("every frame is one that every AI SDK 5 knows", async () => {
  const read = async ({ Transport }, bytes) => {
    const types = [];
    const frames = new Transport({}).processResponseStream(new Blob(bytes).stream());
    for await (const { type } of frames) types.push(type);
    return types;
  };
  const seen = new Set();
  for (const { bytes } of streams) {
    const [ours, theirs] = await Promise.all(SDKS.map((sdk) => read(sdk, bytes)));
    assert.deepEqual(ours, theirs);
    ours.forEach((type) => seen.add(type));
  }
  const all = ["abort", "data-stored", "error", "finish", "start", "text-delta", "text-end", "text-start"];
  assert.deepEqual([...seen].sort(), all);
  // They do judge; the first one every key.
  const frame = (text) => [new TextEncoder().encode(`data: ${text}\n\n`)];
  for (const sdk of SDKS) await assert.rejects(read(sdk, frame('{"type":"odd"}')));
  await assert.rejects(read(SDKS[1], frame('{"type":"finish","finishReason":"stop"}')));
});
