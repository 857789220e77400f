-- Spreads the tables of conversations over 16 partitions each, by conversation.
--
-- Run it with all servers stopped, after `unsaid migrate`, as the owner of the tables:
--   psql "$DATABASE" --single-transaction --file partition.sql
-- Running it again changes nothing. See docs/guide/scale.md.
DO $$
DECLARE
    name TEXT;
    spread_by TEXT;
BEGIN
    FOREACH name IN ARRAY ARRAY[
        'words', 'message', 'undo_message', 'turn', 'tombstone', 'delivery', 'revision',
        'closed_edit', 'cleared', 'event', 'media', 'media_chunk'
    ] LOOP
        CONTINUE WHEN (SELECT relkind = 'p' FROM pg_class WHERE oid = name::regclass);
        spread_by := CASE name WHEN 'words' THEN 'place' ELSE 'conversation' END;
        EXECUTE format('ALTER TABLE %I RENAME TO %I', name, name || '_whole');
        EXECUTE format(
            'CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING INDEXES) PARTITION BY HASH (%I)',
            name, name || '_whole', spread_by);
        FOR part IN 0..15 LOOP
            EXECUTE format(
                'CREATE TABLE %I PARTITION OF %I FOR VALUES WITH (MODULUS 16, REMAINDER %s)',
                name || '_' || part, name, part);
        END LOOP;
        EXECUTE format('INSERT INTO %I SELECT * FROM %I', name, name || '_whole');
        EXECUTE format('DROP TABLE %I', name || '_whole');
    END LOOP;
END $$;
