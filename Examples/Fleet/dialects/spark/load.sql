-- `arrived` has the lines of all files, with the file of each. Spark keeps nothing between programs: tables are views, kept in memory while they fit.

-- What a member of another type, or of a later version, holds is null here and stays in the line.
CREATE OR REPLACE TEMPORARY VIEW parsed AS
SELECT file, line, is_valid_utf8(line) AND try_parse_json(line) IS NOT NULL AND startswith(ltrim(line), '{') AS is_json,
    from_json(line, 'schema STRING, scenario STRING, version STRING, startedAt STRING, outcome STRING, operation STRING,
        budget STRUCT<limitMs: DOUBLE, measuredMs: DOUBLE, verdict: STRING>, initialDisplayMs DOUBLE, initialDisplayBudget STRUCT<limitMs: DOUBLE, verdict: STRING>, makespanMs DOUBLE,
        abort STRUCT<`by`: STRING, reason: STRING>, failure STRUCT<operation: STRING>,
        operations ARRAY<STRUCT<id: STRING, outcome: STRING, startMs: DOUBLE, endMs: DOUBLE, waitMs: DOUBLE, durationMs: DOUBLE, slackMs: DOUBLE, critical: BOOLEAN, attempts: INT>>,
        fleet STRUCT<launchId: STRING, startType: STRING, deviceClass: STRING, recoveryLevel: STRING, crashesBefore: INT>') AS j
FROM (SELECT file, rtrim('\r', line) AS line FROM arrived WHERE trim(line) <> '');

CREATE OR REPLACE TEMPORARY VIEW judged AS
SELECT file, line, j, CASE
    WHEN NOT is_json OR j IS NULL THEN 'not a JSON object'
    WHEN j.schema IS NULL OR NOT j.schema RLIKE '^sequencer[.](report|crash)/[1-9][0-9]{0,3}$' THEN 'unknown schema'
    WHEN j.scenario IS NULL THEN 'no scenario'
    WHEN j.schema LIKE 'sequencer.crash/%' THEN ''
    WHEN j.outcome IS NULL OR j.schema = 'sequencer.report/1' AND j.outcome NOT IN ('completed', 'aborted', 'failed', 'cancelled') THEN 'no known outcome'
    WHEN j.budget.measuredMs IS NULL OR NOT j.budget.measuredMs BETWEEN 0 AND 9000000000000 OR j.budget.verdict IS NULL OR j.budget.verdict NOT IN ('pass', 'fail') THEN 'no budget'
    ELSE '' END AS reason,
    coalesce(nullif(j.fleet.launchId, ''), sha2(line, 256)) AS launch_id
FROM parsed;

-- Of lines with one launch id, the one that sorts first: the same one in every engine.
CREATE OR REPLACE TEMPORARY VIEW fresh AS
SELECT file, line, j, launch_id
FROM (SELECT *, row_number() OVER (PARTITION BY launch_id ORDER BY line) AS place FROM judged WHERE reason = '')
WHERE place = 1;

CREATE OR REPLACE TEMPORARY VIEW taken AS
SELECT file, launch_id, coalesce(CASE WHEN substr(j.startedAt, 1, 10) RLIKE '^(19[789][0-9]|20[0-9]{2}|21[0-3][0-9])-[0-9]{2}-[0-9]{2}$'
        THEN try_cast(substr(j.startedAt, 1, 10) AS DATE) END, DATE '1970-01-01') AS day, coalesce(j.version, '') AS version, j.scenario AS scenario,
    coalesce(j.fleet.startType, '') AS start_type, coalesce(j.fleet.deviceClass, '') AS device_class, coalesce(j.fleet.recoveryLevel, '') AS recovery_level,
    coalesce(j.fleet.crashesBefore, 0) AS crashes_before, CASE WHEN j.schema LIKE 'sequencer.crash/%' THEN 'crash' ELSE 'report' END AS kind,
    CAST(split_part(j.schema, '/', 2) AS INT) AS schema_version, CASE WHEN j.schema LIKE 'sequencer.report/%' THEN j.outcome END AS outcome, j.budget.verdict AS verdict, j.budget.limitMs AS limit_ms,
    j.budget.measuredMs AS measured_ms, j.initialDisplayMs AS initial_display_ms, j.makespanMs AS makespan_ms, j.abort.`by` AS aborted_by,
    j.abort.reason AS abort_reason, coalesce(j.failure.operation, j.operation) AS ended_by, j.operations AS operations, line,
    j.initialDisplayBudget.limitMs AS initial_display_limit_ms, j.initialDisplayBudget.verdict AS initial_display_verdict
FROM fresh;

CACHE LAZY TABLE taken;

CREATE OR REPLACE TEMPORARY VIEW launches AS
SELECT launch_id, day, version, scenario, start_type, device_class, recovery_level, crashes_before, kind, schema_version, outcome, verdict, limit_ms, measured_ms,
    initial_display_ms, makespan_ms, aborted_by, abort_reason, ended_by, line, initial_display_limit_ms, initial_display_verdict
FROM taken;

CREATE OR REPLACE TEMPORARY VIEW launch_operations AS
SELECT launch_id, day, version, scenario, start_type, device_class, o.id AS operation, o.outcome AS outcome, o.startMs AS start_ms, o.endMs AS end_ms,
    o.waitMs AS wait_ms,
    CASE WHEN o.durationMs BETWEEN 0 AND 9000000000000 THEN o.durationMs END AS duration_ms, o.slackMs AS slack_ms, coalesce(o.critical, false) AS critical, o.attempts AS attempts
FROM (SELECT launch_id, day, version, scenario, start_type, device_class, explode(operations) AS o FROM taken WHERE kind = 'report')
WHERE o.id IS NOT NULL;

-- The sketch: how many completed launches took a time between 2^((bucket - 1)/64) and 2^(bucket/64) milliseconds.
CREATE OR REPLACE TEMPORARY VIEW launch_buckets AS
SELECT day, version, scenario, start_type, device_class, CAST(ceil(64 * log2(greatest(measured_ms, 0.000001D))) AS INT) AS bucket, count(*) AS launches
FROM taken
WHERE outcome = 'completed'
GROUP BY day, version, scenario, start_type, device_class, CAST(ceil(64 * log2(greatest(measured_ms, 0.000001D))) AS INT);

CREATE OR REPLACE TEMPORARY VIEW lines_aside AS
SELECT file, reason, line FROM judged WHERE reason <> '';

CREATE OR REPLACE TEMPORARY VIEW loads AS
SELECT j.file AS file, j.lines AS lines, coalesce(t.taken, 0) AS taken, j.lines - j.aside - coalesce(t.taken, 0) AS repeated, j.aside AS aside, coalesce(t.newer, 0) AS newer
FROM (SELECT file, count(*) AS lines, sum(CASE WHEN reason <> '' THEN 1 ELSE 0 END) AS aside FROM judged GROUP BY file) AS j
LEFT JOIN (SELECT file, count(*) AS taken, sum(CASE WHEN schema_version > 1 THEN 1 ELSE 0 END) AS newer FROM taken GROUP BY file) AS t ON j.file = t.file;
