-- One row a launch. The line is kept as it came, so that what a later version of this schema reads can be read from it.
CREATE TABLE IF NOT EXISTS launches (
    launch_id String,
    day Date,
    version LowCardinality(String),
    scenario LowCardinality(String),
    start_type LowCardinality(String),
    device_class LowCardinality(String),
    recovery_level LowCardinality(String),
    crashes_before Int32,
    kind LowCardinality(String),
    schema_version Int32,
    outcome LowCardinality(Nullable(String)),
    verdict LowCardinality(Nullable(String)),
    limit_ms Nullable(Float64),
    measured_ms Nullable(Float64),
    initial_display_ms Nullable(Float64),
    makespan_ms Nullable(Float64),
    aborted_by Nullable(String),
    abort_reason Nullable(String),
    ended_by Nullable(String),
    line String CODEC(ZSTD(3))
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (scenario, version, device_class, day, launch_id);
-- Behind the line, since a store of before gets them, too.
ALTER TABLE launches ADD COLUMN IF NOT EXISTS initial_display_limit_ms Nullable(Float64);
ALTER TABLE launches ADD COLUMN IF NOT EXISTS initial_display_verdict LowCardinality(Nullable(String));

-- One row an operation of a launch.
CREATE TABLE IF NOT EXISTS launch_operations (
    launch_id String,
    day Date,
    version LowCardinality(String),
    scenario LowCardinality(String),
    start_type LowCardinality(String),
    device_class LowCardinality(String),
    operation LowCardinality(String),
    outcome LowCardinality(Nullable(String)),
    start_ms Nullable(Float64),
    end_ms Nullable(Float64),
    wait_ms Nullable(Float64),
    duration_ms Nullable(Float64),
    slack_ms Nullable(Float64),
    critical Bool,
    attempts Nullable(Int32)
) ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (operation, version, scenario, device_class, start_type, day);

-- The sketch: how many completed launches took a time between 2^((bucket - 1)/64) and 2^(bucket/64) milliseconds. Rows add up, over days as over machines.
CREATE TABLE IF NOT EXISTS launch_buckets (
    day Date,
    version LowCardinality(String),
    scenario LowCardinality(String),
    start_type LowCardinality(String),
    device_class LowCardinality(String),
    bucket Int32,
    launches Int64
) ENGINE = SummingMergeTree(launches) PARTITION BY toYYYYMM(day) ORDER BY (scenario, version, device_class, start_type, day, bucket);

CREATE TABLE IF NOT EXISTS lines_aside (file String, reason LowCardinality(String), line String) ENGINE = MergeTree ORDER BY (file, reason);
CREATE TABLE IF NOT EXISTS loads (file String, lines Int64, taken Int64, repeated Int64, aside Int64, newer Int64) ENGINE = MergeTree ORDER BY file;

-- Both follow what is inserted into `launches`, which load.sql gives each launch once.
CREATE MATERIALIZED VIEW IF NOT EXISTS operations_of_launches TO launch_operations AS
SELECT launch_id, day, version, scenario, start_type, device_class, assumeNotNull(o.id) AS operation, o.outcome AS outcome, o.startMs AS start_ms, o.endMs AS end_ms,
    o.waitMs AS wait_ms, if(o.durationMs BETWEEN 0 AND 9000000000000, o.durationMs, NULL) AS duration_ms, o.slackMs AS slack_ms, ifNull(o.critical, false) AS critical, o.attempts AS attempts
FROM launches
ARRAY JOIN JSONExtract(line, 'operations', 'Array(Tuple(id Nullable(String), outcome Nullable(String), startMs Nullable(Float64), endMs Nullable(Float64), '
    || 'waitMs Nullable(Float64), durationMs Nullable(Float64), slackMs Nullable(Float64), critical Nullable(Bool), attempts Nullable(Int32)))') AS o
WHERE kind = 'report' AND o.id IS NOT NULL;

CREATE MATERIALIZED VIEW IF NOT EXISTS buckets_of_launches TO launch_buckets AS
SELECT day, version, scenario, start_type, device_class, toInt32(ceil(64 * log2(greatest(assumeNotNull(measured_ms), 1e-6)))) AS bucket,
    toInt64(count()) AS launches
FROM launches
WHERE ifNull(outcome, '') = 'completed' AND measured_ms IS NOT NULL
GROUP BY day, version, scenario, start_type, device_class, bucket;
