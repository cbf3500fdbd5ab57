-- A file a day and version, for what is kept for years. A version comes from outside, and becomes part of a path.
INSERT INTO FUNCTION file(:launches || '/{_partition_id}.parquet', Parquet)
PARTITION BY concat('day=', toString(day), '/version=', replaceRegexpAll(version, '[^A-Za-z0-9.+-]', '_'))
SELECT * FROM launches;
INSERT INTO FUNCTION file(:operations || '/{_partition_id}.parquet', Parquet)
PARTITION BY concat('day=', toString(day), '/version=', replaceRegexpAll(version, '[^A-Za-z0-9.+-]', '_'))
SELECT * FROM launch_operations;
