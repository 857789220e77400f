-- The same tables as on SQLite, where their comments stand; here is what differs.
--
-- Keys begin with the conversation (or the person), so that tables can be partitioned or distributed
-- by it. Texts are compared byte by byte, as SQLite does. Numbers and flags are BIGINT throughout.

-- Words of people stand in one table, with the conversation or person they belong to; taking them
-- back deletes their row, and a vacuum frees its place. Everything else holds ids and numbers.
CREATE TABLE words (
    place TEXT COLLATE "C" NOT NULL,
    id BIGINT NOT NULL,
    content BYTEA NOT NULL,
    PRIMARY KEY (place, id)
);
-- Each server takes ids of words and numbers of events in blocks, without a way to the database and
-- back for each of them.
CREATE SEQUENCE words_block;
CREATE SEQUENCE event_block;

-- The row of a conversation is its lock.
CREATE TABLE conversation (
    key TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    owner TEXT COLLATE "C",
    former_owner TEXT COLLATE "C",  -- who was claimed for erasure; cleared with the last row
    dropped BIGINT NOT NULL DEFAULT 0,
    version BIGINT NOT NULL,
    last_number BIGINT NOT NULL,
    last_fence BIGINT NOT NULL,
    number_floor BIGINT NOT NULL DEFAULT 0,  -- entries up to here are erased; rows may wait for the sweep
    fence_floor BIGINT NOT NULL DEFAULT 0,  -- turns likewise
    purge BIGINT NOT NULL DEFAULT 0,  -- such rows, or rows of closed undo windows, may exist
    heard BIGINT NOT NULL,
    wanted_at BIGINT,
    turn_holder TEXT COLLATE "C",  -- the running turn; its fence is last_fence
    turn_until BIGINT,
    turn_seen BIGINT,
    turn_questions TEXT COLLATE "C",
    undo_edit TEXT COLLATE "C",
    undo_until BIGINT,
    undo_from BIGINT,
    undo_edition BIGINT,
    last_event BIGINT NOT NULL DEFAULT 0  -- the newest event; numbers rise here, also across blocks
) WITH (fillfactor = 60); -- written with every change: room for its next version
CREATE INDEX conversation_owner ON conversation (owner) WHERE owner IS NOT NULL;
CREATE INDEX conversation_former_owner ON conversation (former_owner) WHERE former_owner IS NOT NULL;
CREATE INDEX conversation_wanted ON conversation (wanted_at) WHERE wanted_at IS NOT NULL;
CREATE INDEX conversation_turn ON conversation (turn_until) WHERE turn_until IS NOT NULL;
CREATE INDEX conversation_undo ON conversation (undo_until) WHERE undo_until IS NOT NULL;
CREATE INDEX conversation_purge ON conversation (key) WHERE purge = 1;

CREATE TABLE message (
    conversation TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    person TEXT COLLATE "C",
    agent TEXT COLLATE "C",  -- set: an agent said it; otherwise a person, known or not
    at BIGINT NOT NULL,
    reply_to TEXT COLLATE "C",
    roster BIGINT NOT NULL,
    only_agents TEXT COLLATE "C",
    sending BIGINT NOT NULL,
    waiting BIGINT NOT NULL,
    turn BIGINT,
    asked_in TEXT COLLATE "C",
    revised_at BIGINT,
    words BIGINT,  -- none: its words are gone
    PRIMARY KEY (conversation, number)
);
CREATE UNIQUE INDEX message_id ON message (conversation, id);
CREATE INDEX message_turn ON message (conversation, turn, number) WHERE turn IS NOT NULL;
CREATE INDEX message_waiting ON message (conversation, number) WHERE waiting = 1;
CREATE INDEX message_intended ON message (conversation, number) WHERE sending = 1;

-- What edits removed. Only the rows of the open window are ever read again, and only by the undo;
-- the others wait for the sweep.
CREATE TABLE undo_message (
    conversation TEXT COLLATE "C" NOT NULL,
    edition BIGINT NOT NULL,  -- the version that the edit made
    number BIGINT NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    person TEXT COLLATE "C",
    agent TEXT COLLATE "C",
    at BIGINT NOT NULL,
    reply_to TEXT COLLATE "C",
    roster BIGINT NOT NULL,
    only_agents TEXT COLLATE "C",
    sending BIGINT NOT NULL,
    waiting BIGINT NOT NULL,
    turn BIGINT,
    asked_in TEXT COLLATE "C",
    revised_at BIGINT,
    words BIGINT,
    PRIMARY KEY (conversation, edition, number)
);

CREATE TABLE turn (
    conversation TEXT COLLATE "C" NOT NULL,
    fence BIGINT NOT NULL,
    began_at BIGINT NOT NULL,
    decision BIGINT,
    code TEXT COLLATE "C",
    reason BIGINT,
    ended_at BIGINT,
    PRIMARY KEY (conversation, fence)
);

CREATE TABLE tombstone (
    conversation TEXT COLLATE "C" NOT NULL,
    message TEXT COLLATE "C" NOT NULL,
    turns TEXT COLLATE "C",
    PRIMARY KEY (conversation, message)
);

CREATE TABLE delivery (
    conversation TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (conversation, id)
);
CREATE INDEX delivery_at ON delivery (at);

CREATE TABLE revision (
    conversation TEXT COLLATE "C" NOT NULL,
    message TEXT COLLATE "C" NOT NULL,
    person TEXT COLLATE "C",
    at BIGINT NOT NULL,
    since BIGINT NOT NULL,
    words BIGINT NOT NULL,
    PRIMARY KEY (conversation, message)
);
CREATE INDEX revision_since ON revision (since);

CREATE TABLE closed_edit (
    conversation TEXT COLLATE "C" NOT NULL,
    edit TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    expired BIGINT NOT NULL,
    PRIMARY KEY (conversation, edit)
);
CREATE INDEX closed_edit_at ON closed_edit (at);

CREATE TABLE cleared (
    conversation TEXT COLLATE "C" NOT NULL,
    agent TEXT COLLATE "C" NOT NULL,
    through BIGINT NOT NULL,
    PRIMARY KEY (conversation, agent)
);

CREATE TABLE event (
    conversation TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,  -- unique in the installation
    kind BIGINT NOT NULL,
    message TEXT COLLATE "C" NOT NULL,
    messages BIGINT NOT NULL,
    edit TEXT COLLATE "C",
    PRIMARY KEY (conversation, number)
);
CREATE TABLE media (
    conversation TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,  -- of its message; ids can come again, numbers do not
    mime TEXT COLLATE "C" NOT NULL,
    size BIGINT NOT NULL,
    whole BIGINT NOT NULL DEFAULT 0,  -- all chunks are here
    doomed BIGINT NOT NULL DEFAULT 0,  -- its message is gone; the sweep takes its bytes
    PRIMARY KEY (conversation, key)
);
CREATE INDEX media_message ON media (conversation, number);
CREATE INDEX media_doomed ON media (conversation, key) WHERE doomed = 1;
CREATE TABLE media_chunk (
    conversation TEXT COLLATE "C" NOT NULL,
    media TEXT COLLATE "C" NOT NULL,
    part BIGINT NOT NULL,
    words BIGINT NOT NULL,
    PRIMARY KEY (conversation, media, part)
);

CREATE TABLE idempotency (
    person TEXT COLLATE "C" NOT NULL,
    scope TEXT COLLATE "C" NOT NULL,
    key TEXT COLLATE "C" NOT NULL,
    body_digest BYTEA NOT NULL,
    status BIGINT NOT NULL,
    ids TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (person, scope, key)
);
CREATE INDEX idempotency_at ON idempotency (at);

CREATE TABLE person (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    email_digest BYTEA NOT NULL UNIQUE,
    words BIGINT NOT NULL,  -- address, name, password hash
    admin BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    tokens_since BIGINT NOT NULL,
    consent BIGINT NOT NULL,  -- 0 withheld, 1 granted, 2 withdrawn
    consent_since BIGINT NOT NULL,
    consent_due BIGINT,
    erased_at BIGINT,
    paid_credits BIGINT NOT NULL,
    free_used BIGINT NOT NULL
);
CREATE INDEX person_due ON person (consent_due) WHERE consent_due IS NOT NULL;

CREATE TABLE secret (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);
CREATE TABLE ended_sign_in (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    until BIGINT NOT NULL
);
CREATE INDEX ended_sign_in_until ON ended_sign_in (until);
-- How often something was done, over all servers; a single server counts in its memory. Written with
-- every call, and worth nothing after a crash: not logged.
CREATE UNLOGGED TABLE allowance (
    key BYTEA NOT NULL PRIMARY KEY,
    until BIGINT NOT NULL,
    count BIGINT NOT NULL
);
CREATE INDEX allowance_until ON allowance (until);

CREATE TABLE consent_line (
    id BIGINT GENERATED ALWAYS AS IDENTITY,
    person TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    granted BIGINT NOT NULL,
    notice_version TEXT COLLATE "C" NOT NULL,
    door TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (person, id)
);

CREATE TABLE session (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    owner TEXT COLLATE "C" NOT NULL,
    expert BIGINT,  -- words: an expert reveals the subject
    paid BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    minutes BIGINT,
    ended_at BIGINT
);
CREATE INDEX session_owner ON session (owner, started_at);

CREATE TABLE billing (
    id BIGINT GENERATED ALWAYS AS IDENTITY,
    owner TEXT COLLATE "C" NOT NULL,
    started_at BIGINT NOT NULL,
    minutes BIGINT,
    paid BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);

-- Claimed and not finished.
CREATE TABLE erasure (
    person TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    reason TEXT COLLATE "C" NOT NULL,
    claimed_at BIGINT NOT NULL,
    sessions BIGINT NOT NULL,
    messages BIGINT NOT NULL,
    media BIGINT NOT NULL
);

CREATE TABLE audit (
    id BIGINT PRIMARY KEY,
    at BIGINT NOT NULL,
    person TEXT COLLATE "C" NOT NULL,
    reason TEXT COLLATE "C" NOT NULL,
    sessions BIGINT NOT NULL,
    messages BIGINT NOT NULL,
    media BIGINT NOT NULL,
    prev_hash TEXT COLLATE "C" NOT NULL,
    hash TEXT COLLATE "C" NOT NULL
);

CREATE TABLE world (
    owner TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    place BIGINT NOT NULL,
    words BIGINT NOT NULL,  -- name
    turn_limit BIGINT NOT NULL,
    main_agent TEXT COLLATE "C",
    current_chat TEXT COLLATE "C",
    roster BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (owner, id)
);
CREATE TABLE agent (
    owner TEXT COLLATE "C" NOT NULL,
    world TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    words BIGINT NOT NULL,  -- name, prompt, provider, model
    auto_reply BIGINT NOT NULL,
    joined BIGINT NOT NULL,  -- also the order of creation
    PRIMARY KEY (owner, world, id)
);
CREATE TABLE chat (
    id TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    owner TEXT COLLATE "C" NOT NULL,
    world TEXT COLLATE "C" NOT NULL,
    place BIGINT NOT NULL,
    words BIGINT NOT NULL,  -- name
    created_at BIGINT NOT NULL
);
CREATE INDEX chat_world ON chat (owner, world, place);

-- Written to prove that writing works.
CREATE TABLE probe (id BIGINT PRIMARY KEY, at BIGINT NOT NULL);
