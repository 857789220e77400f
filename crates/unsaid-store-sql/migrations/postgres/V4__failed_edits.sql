-- Edits and removals that failed, the newest of each world: ids, and no words.
CREATE TABLE failed_edit (
    owner TEXT COLLATE "C" NOT NULL,
    world TEXT COLLATE "C" NOT NULL,
    place BIGINT NOT NULL,  -- the order in which they were noted
    id TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    chat TEXT COLLATE "C" NOT NULL,
    message TEXT COLLATE "C" NOT NULL,
    code TEXT COLLATE "C" NOT NULL,
    PRIMARY KEY (owner, world, place)
);
