-- What a member of another type, or of a later version, holds is null here and stays in the line.
CREATE OR REPLACE TABLE judged ENGINE = MergeTree ORDER BY launch_id AS
SELECT trimRight(line, '\r') AS line,
    JSONExtract(line, 'Tuple(schema Nullable(String), scenario Nullable(String), version Nullable(String), startedAt Nullable(String), '
        || 'outcome Nullable(String), operation Nullable(String), '
        || 'budget Tuple(limitMs Nullable(Float64), measuredMs Nullable(Float64), verdict Nullable(String)), '
        || 'initialDisplayMs Nullable(Float64), initialDisplayBudget Tuple(limitMs Nullable(Float64), verdict Nullable(String)), '
        || 'makespanMs Nullable(Float64), abort Tuple(by Nullable(String), reason Nullable(String)), '
        || 'failure Tuple(operation Nullable(String)), fleet Tuple(launchId Nullable(String), startType Nullable(String), '
        || 'deviceClass Nullable(String), recoveryLevel Nullable(String), crashesBefore Nullable(Int32)))') AS j,
    multiIf(
        NOT isValidJSON(line) OR JSONType(line) <> 'Object', 'not a JSON object',
        NOT match(ifNull(j.schema, ''), '^sequencer\\.(report|crash)/[1-9][0-9]{0,3}$'), 'unknown schema',
        j.scenario IS NULL, 'no scenario',
        startsWith(ifNull(j.schema, ''), 'sequencer.crash/'), '',
        j.outcome IS NULL OR j.schema = 'sequencer.report/1' AND j.outcome NOT IN ('completed', 'aborted', 'failed', 'cancelled'), 'no known outcome',
        NOT ifNull(j.budget.measuredMs, -1) BETWEEN 0 AND 9000000000000 OR ifNull(j.budget.verdict, '') NOT IN ('pass', 'fail'), 'no budget',
        '') AS reason,
    ifNull(nullIf(j.fleet.launchId, ''), lower(hex(SHA256(trimRight(line, '\r'))))) AS launch_id
FROM file(:file, LineAsString)
WHERE trimBoth(trimRight(line, '\r')) <> '';

-- Of lines with one launch id, the one that sorts first: the same one in every engine.
CREATE OR REPLACE TABLE fresh ENGINE = MergeTree ORDER BY launch_id AS
SELECT * FROM judged WHERE reason = '' AND launch_id NOT IN (SELECT launch_id FROM launches) ORDER BY launch_id, line LIMIT 1 BY launch_id;

INSERT INTO lines_aside SELECT :file, reason, line FROM judged WHERE reason <> '';

INSERT INTO loads SELECT :file, (SELECT count() FROM judged), (SELECT count() FROM fresh),
    (SELECT count() FROM judged WHERE reason = '') - (SELECT count() FROM fresh), (SELECT count() FROM judged WHERE reason <> ''),
    (SELECT count() FROM fresh WHERE ifNull(j.schema, '') NOT IN ('sequencer.report/1', 'sequencer.crash/1'));

INSERT INTO launches
SELECT launch_id,
    -- ClickHouse takes the 31st of February for a day of March.
    ifNull(if(match(substring(ifNull(j.startedAt, ''), 1, 10), '^(19[789][0-9]|20[0-9]{2}|21[0-3][0-9])-[0-9]{2}-[0-9]{2}$')
        AND toString(toDateOrNull(substring(ifNull(j.startedAt, ''), 1, 10))) = substring(ifNull(j.startedAt, ''), 1, 10),
        toDateOrNull(substring(ifNull(j.startedAt, ''), 1, 10)), NULL), toDate('1970-01-01')),
    ifNull(j.version, ''), assumeNotNull(j.scenario),
    ifNull(j.fleet.startType, ''), ifNull(j.fleet.deviceClass, ''), ifNull(j.fleet.recoveryLevel, ''), ifNull(j.fleet.crashesBefore, 0),
    if(startsWith(ifNull(j.schema, ''), 'sequencer.crash/'), 'crash', 'report'), toInt32(splitByChar('/', assumeNotNull(j.schema))[2]),
    if(startsWith(ifNull(j.schema, ''), 'sequencer.report/'), j.outcome, NULL), j.budget.verdict,
    j.budget.limitMs, j.budget.measuredMs, j.initialDisplayMs, j.makespanMs, j.abort.by, j.abort.reason, ifNull(j.failure.operation, j.operation), line,
    j.initialDisplayBudget.limitMs, j.initialDisplayBudget.verdict
FROM fresh;

DROP TABLE fresh;
DROP TABLE judged;
