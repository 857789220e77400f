-- Words of people stand in one table, in slots that are never moved or deleted: taking words back
-- overwrites them where they are, and the slot is used again. Everything else holds ids and numbers.
-- See docs/adr/0003-words-in-slots.md.
CREATE TABLE words (
    id INTEGER PRIMARY KEY,
    content BLOB NOT NULL
);
CREATE TABLE words_free (
    size INTEGER NOT NULL,
    id INTEGER NOT NULL,
    PRIMARY KEY (size, id)
) WITHOUT ROWID;

-- The row of a conversation is its lock.
CREATE TABLE conversation (
    key TEXT NOT NULL PRIMARY KEY,
    owner TEXT,
    former_owner TEXT,                       -- who was claimed for erasure; cleared with the last row
    dropped INTEGER NOT NULL DEFAULT 0,
    version INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    last_fence INTEGER NOT NULL,
    number_floor INTEGER NOT NULL DEFAULT 0, -- entries up to here are erased; rows may wait for the sweep
    fence_floor INTEGER NOT NULL DEFAULT 0,  -- turns likewise
    purge INTEGER NOT NULL DEFAULT 0,        -- such rows, or rows of closed undo windows, may exist
    heard INTEGER NOT NULL,
    wanted_at INTEGER,
    turn_holder TEXT,                        -- the running turn; its fence is last_fence
    turn_until INTEGER,
    turn_seen INTEGER,
    turn_questions TEXT,
    undo_edit TEXT,
    undo_until INTEGER,
    undo_from INTEGER,
    undo_edition INTEGER,
    last_event INTEGER NOT NULL DEFAULT 0    -- the newest event; numbers rise here, also across blocks
) WITHOUT ROWID;
CREATE INDEX conversation_owner ON conversation (owner) WHERE owner IS NOT NULL;
CREATE INDEX conversation_former_owner ON conversation (former_owner) WHERE former_owner IS NOT NULL;
CREATE INDEX conversation_wanted ON conversation (wanted_at) WHERE wanted_at IS NOT NULL;
CREATE INDEX conversation_turn ON conversation (turn_until) WHERE turn_until IS NOT NULL;
CREATE INDEX conversation_undo ON conversation (undo_until) WHERE undo_until IS NOT NULL;
CREATE INDEX conversation_purge ON conversation (key) WHERE purge = 1;

CREATE TABLE message (
    conversation TEXT NOT NULL,
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    person TEXT,
    agent TEXT,          -- set: an agent said it; otherwise a person, known or not
    at INTEGER NOT NULL,
    reply_to TEXT,
    roster INTEGER NOT NULL,
    only_agents TEXT,
    sending INTEGER NOT NULL,
    waiting INTEGER NOT NULL,
    turn INTEGER,
    asked_in TEXT,
    revised_at INTEGER,
    words INTEGER,       -- none: its words are gone
    PRIMARY KEY (conversation, number)
) WITHOUT ROWID;
CREATE UNIQUE INDEX message_id ON message (conversation, id);
-- These hold all that their statements read: otherwise the planner walks the whole conversation.
CREATE INDEX message_turn ON message (conversation, turn, number, sending, id, words) WHERE turn IS NOT NULL;
CREATE INDEX message_waiting ON message (conversation, number, asked_in) WHERE waiting = 1;
CREATE INDEX message_intended ON message (conversation, number, id) WHERE sending = 1;

-- What edits removed. Only the rows of the open window are ever read again, and only by the undo;
-- the others wait for the sweep.
CREATE TABLE undo_message (
    conversation TEXT NOT NULL,
    edition INTEGER NOT NULL,                -- the version that the edit made
    number INTEGER NOT NULL,
    id TEXT NOT NULL,
    person TEXT,
    agent TEXT,
    at INTEGER NOT NULL,
    reply_to TEXT,
    roster INTEGER NOT NULL,
    only_agents TEXT,
    sending INTEGER NOT NULL,
    waiting INTEGER NOT NULL,
    turn INTEGER,
    asked_in TEXT,
    revised_at INTEGER,
    words INTEGER,
    PRIMARY KEY (conversation, edition, number)
) WITHOUT ROWID;

CREATE TABLE turn (
    conversation TEXT NOT NULL,
    fence INTEGER NOT NULL,
    began_at INTEGER NOT NULL,
    decision INTEGER,
    code TEXT,
    reason INTEGER,
    ended_at INTEGER,
    PRIMARY KEY (conversation, fence)
) WITHOUT ROWID;

CREATE TABLE tombstone (
    conversation TEXT NOT NULL,
    message TEXT NOT NULL,
    turns TEXT,
    PRIMARY KEY (conversation, message)
) WITHOUT ROWID;

CREATE TABLE delivery (
    conversation TEXT NOT NULL,
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (conversation, id)
) WITHOUT ROWID;
CREATE INDEX delivery_at ON delivery (at);

CREATE TABLE revision (
    conversation TEXT NOT NULL,
    message TEXT NOT NULL,
    person TEXT,
    at INTEGER NOT NULL,
    since INTEGER NOT NULL,
    words INTEGER NOT NULL,
    PRIMARY KEY (conversation, message)
) WITHOUT ROWID;
CREATE INDEX revision_since ON revision (since);

CREATE TABLE closed_edit (
    conversation TEXT NOT NULL,
    edit TEXT NOT NULL,
    at INTEGER NOT NULL,
    expired INTEGER NOT NULL,
    PRIMARY KEY (conversation, edit)
) WITHOUT ROWID;
CREATE INDEX closed_edit_at ON closed_edit (at);

CREATE TABLE cleared (
    conversation TEXT NOT NULL,
    agent TEXT NOT NULL,
    through INTEGER NOT NULL,
    PRIMARY KEY (conversation, agent)
) WITHOUT ROWID;

CREATE TABLE event (
    conversation TEXT NOT NULL,
    number INTEGER NOT NULL,                 -- unique in the installation
    kind INTEGER NOT NULL,
    message TEXT NOT NULL,
    messages INTEGER NOT NULL,
    edit TEXT,
    PRIMARY KEY (conversation, number)
) WITHOUT ROWID;
-- Up to where event numbers were taken, in blocks: a number is never used twice, and an ordinary
-- change does not have to write this.
CREATE TABLE event_block (
    one INTEGER NOT NULL PRIMARY KEY,
    taken INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO event_block (one, taken) VALUES (1, 0);

CREATE TABLE media (
    conversation TEXT NOT NULL,
    key TEXT NOT NULL,
    number INTEGER NOT NULL,            -- of its message; ids can come again, numbers do not
    mime TEXT NOT NULL,
    size INTEGER NOT NULL,
    whole INTEGER NOT NULL DEFAULT 0,   -- all chunks are here
    doomed INTEGER NOT NULL DEFAULT 0,  -- its message is gone; the sweep takes its bytes
    PRIMARY KEY (conversation, key)
) WITHOUT ROWID;
CREATE INDEX media_message ON media (conversation, number);
CREATE INDEX media_doomed ON media (conversation, key) WHERE doomed = 1;
CREATE TABLE media_chunk (
    conversation TEXT NOT NULL,
    media TEXT NOT NULL,
    part INTEGER NOT NULL,
    words INTEGER NOT NULL,
    PRIMARY KEY (conversation, media, part)
) WITHOUT ROWID;

CREATE TABLE idempotency (
    person TEXT NOT NULL,
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    body_digest BLOB NOT NULL,
    status INTEGER NOT NULL,
    ids TEXT NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (person, scope, key)
) WITHOUT ROWID;
CREATE INDEX idempotency_at ON idempotency (at);

CREATE TABLE person (
    id TEXT NOT NULL PRIMARY KEY,
    email_digest BLOB NOT NULL UNIQUE,
    words INTEGER NOT NULL,             -- address, name, password hash
    admin INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    tokens_since INTEGER NOT NULL,
    consent INTEGER NOT NULL,           -- 0 withheld, 1 granted, 2 withdrawn
    consent_since INTEGER NOT NULL,
    consent_due INTEGER,
    erased_at INTEGER,
    paid_credits INTEGER NOT NULL,
    free_used INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX person_due ON person (consent_due) WHERE consent_due IS NOT NULL;

-- What signs tokens and the like; made by the first server that needs it.
CREATE TABLE secret (
    name TEXT NOT NULL PRIMARY KEY,
    value BLOB NOT NULL
) WITHOUT ROWID;
-- Until no token of theirs can be valid any more.
CREATE TABLE ended_sign_in (
    id TEXT NOT NULL PRIMARY KEY,
    until INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX ended_sign_in_until ON ended_sign_in (until);

CREATE TABLE consent_line (
    id INTEGER PRIMARY KEY,
    person TEXT NOT NULL,
    at INTEGER NOT NULL,
    granted INTEGER NOT NULL,
    notice_version TEXT NOT NULL,
    door TEXT NOT NULL
);
CREATE INDEX consent_line_person ON consent_line (person, id);

CREATE TABLE session (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    expert INTEGER,                     -- words: an expert reveals the subject
    paid INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    minutes INTEGER,
    ended_at INTEGER
) WITHOUT ROWID;
CREATE INDEX session_owner ON session (owner, started_at);

CREATE TABLE billing (
    id INTEGER PRIMARY KEY,
    owner TEXT NOT NULL,
    started_at INTEGER NOT NULL,
    minutes INTEGER,
    paid INTEGER NOT NULL
);
CREATE INDEX billing_owner ON billing (owner, id);

-- Claimed and not finished.
CREATE TABLE erasure (
    person TEXT NOT NULL PRIMARY KEY,
    reason TEXT NOT NULL,
    claimed_at INTEGER NOT NULL,
    sessions INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    media INTEGER NOT NULL
) WITHOUT ROWID;

CREATE TABLE audit (
    id INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    person TEXT NOT NULL,
    reason TEXT NOT NULL,
    sessions INTEGER NOT NULL,
    messages INTEGER NOT NULL,
    media INTEGER NOT NULL,
    prev_hash TEXT NOT NULL,
    hash TEXT NOT NULL
);

CREATE TABLE world (
    owner TEXT NOT NULL,
    id TEXT NOT NULL,
    place INTEGER NOT NULL,
    words INTEGER NOT NULL,             -- name
    turn_limit INTEGER NOT NULL,
    main_agent TEXT,
    current_chat TEXT,
    roster INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (owner, id)
) WITHOUT ROWID;
CREATE TABLE agent (
    owner TEXT NOT NULL,
    world TEXT NOT NULL,
    id TEXT NOT NULL,
    words INTEGER NOT NULL,             -- name, prompt, provider, model
    auto_reply INTEGER NOT NULL,
    joined INTEGER NOT NULL,            -- also the order of creation
    PRIMARY KEY (owner, world, id)
) WITHOUT ROWID;
CREATE TABLE chat (
    id TEXT NOT NULL PRIMARY KEY,
    owner TEXT NOT NULL,
    world TEXT NOT NULL,
    place INTEGER NOT NULL,
    words INTEGER NOT NULL,             -- name
    created_at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE INDEX chat_world ON chat (owner, world, place);

-- Written to prove that writing works.
CREATE TABLE probe (id INTEGER PRIMARY KEY, at INTEGER NOT NULL);
