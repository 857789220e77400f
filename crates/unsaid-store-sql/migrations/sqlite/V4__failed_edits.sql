-- Edits and removals that failed, the newest of each world: ids, and no words.
CREATE TABLE failed_edit (
    owner TEXT NOT NULL,
    world TEXT NOT NULL,
    place INTEGER NOT NULL,             -- the order in which they were noted
    id TEXT NOT NULL,
    at INTEGER NOT NULL,
    chat TEXT NOT NULL,
    message TEXT NOT NULL,
    code TEXT NOT NULL,
    PRIMARY KEY (owner, world, place)
) WITHOUT ROWID;
