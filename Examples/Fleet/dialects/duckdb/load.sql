-- Lines as they are: no byte of JSON Lines is a delimiter, a quote or an escape of CSV. A line that is not UTF-8 is rejected, and kept below.
CREATE OR REPLACE TEMP TABLE arrived AS
SELECT line, json_valid(line) AND CASE
    -- DuckDB takes NaN, Infinity and a comma too many for JSON, as Python writes the first two; a line that may have one is asked again without its texts.
    WHEN regexp_matches(line, '(?i)[:,\[]\s*-?(nan|inf)|,\s*[}\]]')
        THEN NOT regexp_matches(regexp_replace(line, '"(\\.|[^"\\])*"', '""', 'g'), '(?i)nan|inf|,\s*[}\]]')
    ELSE true END AS is_json
FROM read_csv(:file, columns = {'line': 'VARCHAR'}, header = false, auto_detect = false, delim = :delimiter, quote = '', escape = '', strict_mode = false,
    new_line = '\n', max_line_size = 16777216, store_rejects = true, ignore_errors = true, rejects_table = 'rejected', rejects_scan = 'rejected_scans')
WHERE trim(line) <> '';

-- What a member of another type, or of a later version, holds is null here and stays in the line.
CREATE OR REPLACE TEMP TABLE parsed AS
SELECT line, is_json, CASE WHEN is_json AND json_type(line) = 'OBJECT' THEN json_transform(line, '{
    "schema": "VARCHAR", "scenario": "VARCHAR", "version": "VARCHAR", "startedAt": "VARCHAR", "outcome": "VARCHAR", "operation": "VARCHAR",
    "budget": {"limitMs": "DOUBLE", "measuredMs": "DOUBLE", "verdict": "VARCHAR"},
    "initialDisplayMs": "DOUBLE", "initialDisplayBudget": {"limitMs": "DOUBLE", "verdict": "VARCHAR"}, "makespanMs": "DOUBLE", "abort": {"by": "VARCHAR", "reason": "VARCHAR"}, "failure": {"operation": "VARCHAR"},
    "operations": [{"id": "VARCHAR", "outcome": "VARCHAR", "startMs": "DOUBLE", "endMs": "DOUBLE", "waitMs": "DOUBLE", "durationMs": "DOUBLE",
        "slackMs": "DOUBLE", "critical": "BOOLEAN", "attempts": "INTEGER"}],
    "fleet": {"launchId": "VARCHAR", "startType": "VARCHAR", "deviceClass": "VARCHAR", "recoveryLevel": "VARCHAR", "crashesBefore": "INTEGER"}}') END AS j
FROM arrived;

CREATE OR REPLACE TEMP TABLE judged AS
SELECT line, j, CASE
    WHEN NOT is_json OR j IS NULL THEN 'not a JSON object'
    WHEN j.schema IS NULL OR NOT regexp_full_match(j.schema, 'sequencer\.(report|crash)/[1-9][0-9]{0,3}') THEN 'unknown schema'
    WHEN j.scenario IS NULL THEN 'no scenario'
    WHEN j.schema LIKE 'sequencer.crash/%' THEN ''
    WHEN j.outcome IS NULL OR j.schema = 'sequencer.report/1' AND j.outcome NOT IN ('completed', 'aborted', 'failed', 'cancelled') THEN 'no known outcome'
    WHEN j.budget.measuredMs IS NULL OR NOT j.budget.measuredMs BETWEEN 0 AND 9000000000000 OR j.budget.verdict IS NULL OR j.budget.verdict NOT IN ('pass', 'fail') THEN 'no budget'
    ELSE '' END AS reason,
    coalesce(nullif(j.fleet.launchId, ''), sha256(rtrim(line, chr(13)))) AS launch_id
FROM parsed;

-- Of lines with one launch id, the one that sorts first: the same one in every engine.
CREATE OR REPLACE TEMP TABLE fresh AS
SELECT * FROM judged WHERE reason = '' AND launch_id NOT IN (SELECT launch_id FROM launches)
QUALIFY row_number() OVER (PARTITION BY launch_id ORDER BY line) = 1;

BEGIN TRANSACTION;

INSERT INTO lines_aside SELECT :file, reason, line FROM judged WHERE reason <> '';
INSERT INTO lines_aside SELECT :file, 'not a JSON object', csv_line FROM rejected;

INSERT INTO loads SELECT :file, (SELECT count(*) FROM judged) + (SELECT count(*) FROM rejected), (SELECT count(*) FROM fresh),
    (SELECT count(*) FROM judged WHERE reason = '') - (SELECT count(*) FROM fresh),
    (SELECT count(*) FROM judged WHERE reason <> '') + (SELECT count(*) FROM rejected),
    (SELECT count(*) FROM fresh WHERE j.schema NOT IN ('sequencer.report/1', 'sequencer.crash/1'));

INSERT INTO launches
SELECT launch_id, coalesce(CASE WHEN regexp_full_match(substr(j.startedAt, 1, 10), '(19[789][0-9]|20[0-9]{2}|21[0-3][0-9])-[0-9]{2}-[0-9]{2}')
        THEN try_cast(substr(j.startedAt, 1, 10) AS DATE) END, DATE '1970-01-01'), coalesce(j.version, ''), j.scenario,
    coalesce(j.fleet.startType, ''), coalesce(j.fleet.deviceClass, ''), coalesce(j.fleet.recoveryLevel, ''), coalesce(j.fleet.crashesBefore, 0),
    CASE WHEN j.schema LIKE 'sequencer.crash/%' THEN 'crash' ELSE 'report' END, CAST(split_part(j.schema, '/', 2) AS INTEGER),
    CASE WHEN j.schema LIKE 'sequencer.report/%' THEN j.outcome END, j.budget.verdict,
    j.budget.limitMs, j.budget.measuredMs, j.initialDisplayMs, j.makespanMs, j.abort.by, j.abort.reason, coalesce(j.failure.operation, j.operation), line,
    j.initialDisplayBudget.limitMs, j.initialDisplayBudget.verdict
FROM fresh;

INSERT INTO launch_operations
SELECT f.launch_id, l.day, l.version, l.scenario, l.start_type, l.device_class, o.id, o.outcome, o.startMs, o.endMs, o.waitMs,
    CASE WHEN o.durationMs BETWEEN 0 AND 9000000000000 THEN o.durationMs END, o.slackMs,
    coalesce(o.critical, false), o.attempts
FROM (SELECT launch_id, unnest(j.operations) AS o FROM fresh) AS f JOIN launches AS l USING (launch_id)
WHERE o.id IS NOT NULL AND l.kind = 'report';

INSERT INTO launch_buckets
SELECT l.day, l.version, l.scenario, l.start_type, l.device_class, CAST(ceil(64 * log2(greatest(l.measured_ms, 1e-6))) AS INTEGER), count(*)
FROM fresh JOIN launches AS l USING (launch_id) WHERE l.outcome = 'completed' GROUP BY ALL;

COMMIT;

DROP TABLE rejected;
DROP TABLE rejected_scans;
