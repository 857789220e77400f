-- What signs tokens and the like; made by the first server that needs it.
CREATE TABLE secret (
    name TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    value BYTEA NOT NULL
);
-- Until no token of theirs can be valid any more.
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
