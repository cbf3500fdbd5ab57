-- How often do operations not succeed, by version and outcome? Wilson's intervals, 95 %.
WITH totals AS (
    SELECT operation, version, CAST(count(*) AS DOUBLE) AS n FROM launch_operations GROUP BY operation, version
), counted AS (
    SELECT operation, version, outcome, CAST(count(*) AS DOUBLE) AS k FROM launch_operations WHERE outcome <> 'succeeded' GROUP BY operation, version, outcome
)
SELECT c.operation AS operation, c.version AS version, c.outcome AS outcome, t.n AS launches, c.k AS times, c.k / t.n AS rate,
    greatest(0, (c.k + 1.920729 - 1.959964 * sqrt(c.k * (t.n - c.k) / t.n + 0.960365)) / (t.n + 3.841459)) AS rate_low,
    (c.k + 1.920729 + 1.959964 * sqrt(c.k * (t.n - c.k) / t.n + 0.960365)) / (t.n + 3.841459) AS rate_high
FROM counted AS c JOIN totals AS t ON c.operation = t.operation AND c.version = t.version
ORDER BY operation, version, outcome;
