-- How an answer gets back to whoever asked, as JSON, while one is owed: the message waits, or the
-- running turn was asked about it. These are no words: a token is good once, and for a minute. What
-- an edit puts aside has none.
ALTER TABLE message ADD COLUMN way_back TEXT;

-- What places and people on LINE are called, as LINE said last. Names are words.
CREATE TABLE source_card (
    source TEXT NOT NULL PRIMARY KEY,
    kind INTEGER NOT NULL,              -- 0 a person, 1 a group, 2 a room
    words INTEGER,                      -- name, if it has one
    members INTEGER,
    present INTEGER NOT NULL,
    at INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE name_card (
    person TEXT NOT NULL PRIMARY KEY,
    words INTEGER,                      -- none: LINE does not tell the name
    at INTEGER NOT NULL
) WITHOUT ROWID;
