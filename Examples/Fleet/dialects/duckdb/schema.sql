-- One row a launch. The line is kept as it came, so that what a later version of this schema reads can be read from it.
CREATE TABLE IF NOT EXISTS launches (
    launch_id VARCHAR NOT NULL PRIMARY KEY,
    day DATE NOT NULL,
    version VARCHAR NOT NULL,
    scenario VARCHAR NOT NULL,
    start_type VARCHAR NOT NULL,
    device_class VARCHAR NOT NULL,
    recovery_level VARCHAR NOT NULL,
    crashes_before INTEGER NOT NULL,
    kind VARCHAR NOT NULL,
    schema_version INTEGER NOT NULL,
    outcome VARCHAR,
    verdict VARCHAR,
    limit_ms DOUBLE,
    measured_ms DOUBLE,
    initial_display_ms DOUBLE,
    makespan_ms DOUBLE,
    aborted_by VARCHAR,
    abort_reason VARCHAR,
    ended_by VARCHAR,
    line VARCHAR NOT NULL
);
-- Behind the line, since a store of before gets them, too.
ALTER TABLE launches ADD COLUMN IF NOT EXISTS initial_display_limit_ms DOUBLE;
ALTER TABLE launches ADD COLUMN IF NOT EXISTS initial_display_verdict VARCHAR;

-- One row an operation of a launch.
CREATE TABLE IF NOT EXISTS launch_operations (
    launch_id VARCHAR NOT NULL,
    day DATE NOT NULL,
    version VARCHAR NOT NULL,
    scenario VARCHAR NOT NULL,
    start_type VARCHAR NOT NULL,
    device_class VARCHAR NOT NULL,
    operation VARCHAR NOT NULL,
    outcome VARCHAR,
    start_ms DOUBLE,
    end_ms DOUBLE,
    wait_ms DOUBLE,
    duration_ms DOUBLE,
    slack_ms DOUBLE,
    critical BOOLEAN NOT NULL,
    attempts INTEGER
);

-- The sketch: how many completed launches took a time between 2^((bucket - 1)/64) and 2^(bucket/64) milliseconds. Rows add up, over days as over machines.
CREATE TABLE IF NOT EXISTS launch_buckets (
    day DATE NOT NULL,
    version VARCHAR NOT NULL,
    scenario VARCHAR NOT NULL,
    start_type VARCHAR NOT NULL,
    device_class VARCHAR NOT NULL,
    bucket INTEGER NOT NULL,
    launches BIGINT NOT NULL
);

CREATE TABLE IF NOT EXISTS lines_aside (file VARCHAR NOT NULL, reason VARCHAR NOT NULL, line VARCHAR NOT NULL);
CREATE TABLE IF NOT EXISTS loads (file VARCHAR NOT NULL, lines BIGINT NOT NULL, taken BIGINT NOT NULL, repeated BIGINT NOT NULL, aside BIGINT NOT NULL, newer BIGINT NOT NULL);
