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
