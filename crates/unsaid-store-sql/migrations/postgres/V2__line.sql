-- The same as on SQLite, where the comments stand.
ALTER TABLE message ADD COLUMN way_back TEXT COLLATE "C";

CREATE TABLE source_card (
    source TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    kind BIGINT NOT NULL,  -- 0 a person, 1 a group, 2 a room
    words BIGINT,  -- name, if it has one
    members BIGINT,
    present BIGINT NOT NULL,
    at BIGINT NOT NULL
);
CREATE TABLE name_card (
    person TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    words BIGINT,  -- none: LINE does not tell the name
    at BIGINT NOT NULL
);
