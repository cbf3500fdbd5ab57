-- What stops launches, by version: which operation, with which reason, or in which failure? Wilson's intervals of the share of all reports, 95 %.
WITH totals AS (
    SELECT version, CAST(count(*) AS DOUBLE) AS n FROM launches WHERE kind = 'report' GROUP BY version
), stopped AS (
    SELECT version, outcome, coalesce(aborted_by, ended_by, '') AS operation, coalesce(abort_reason, '') AS reason, CAST(count(*) AS DOUBLE) AS k
    FROM launches
    WHERE kind = 'report' AND outcome <> 'completed'
    GROUP BY version, outcome, coalesce(aborted_by, ended_by, ''), coalesce(abort_reason, '')
)
SELECT s.version AS version, s.outcome AS outcome, s.operation AS operation, s.reason AS reason, t.n AS launches, s.k AS times, s.k / t.n AS rate,
    greatest(0, (s.k + 1.920729 - 1.959964 * sqrt(s.k * (t.n - s.k) / t.n + 0.960365)) / (t.n + 3.841459)) AS rate_low,
    (s.k + 1.920729 + 1.959964 * sqrt(s.k * (t.n - s.k) / t.n + 0.960365)) / (t.n + 3.841459) AS rate_high
FROM stopped AS s JOIN totals AS t ON s.version = t.version
ORDER BY version, outcome, operation, reason;
