-- Which operations are launches waiting for: on how many critical paths is each, for how long, and which share of all critical time is its own?
--
-- By scenario and version. The interval of `critical_rate` is Wilson's, 95 %. A report may name an operation twice; no rate is above 1.
WITH totals AS (
    SELECT scenario, version, CAST(count(*) AS DOUBLE) AS n FROM launches WHERE kind = 'report' GROUP BY scenario, version
), blamed AS (
    SELECT scenario, version, operation, CAST(sum(CASE WHEN critical THEN 1 ELSE 0 END) AS DOUBLE) AS times,
        sum(CASE WHEN critical THEN coalesce(duration_ms, 0) ELSE 0 END) AS ms
    FROM launch_operations
    GROUP BY scenario, version, operation
), counted AS (
    SELECT b.scenario AS scenario, b.version AS version, b.operation AS operation, t.n AS n, least(b.times, t.n) AS k, b.ms AS ms
    FROM blamed AS b JOIN totals AS t ON b.scenario = t.scenario AND b.version = t.version
)
SELECT scenario, version, operation, n AS launches, k AS critical_launches, k / n AS critical_rate,
    greatest(0, (k + 1.920729 - 1.959964 * sqrt(k * (n - k) / n + 0.960365)) / (n + 3.841459)) AS critical_rate_low,
    (k + 1.920729 + 1.959964 * sqrt(k * (n - k) / n + 0.960365)) / (n + 3.841459) AS critical_rate_high,
    CASE WHEN k > 0 THEN ms / k END AS mean_critical_ms, ms / greatest(sum(ms) OVER (PARTITION BY scenario, version), 0.000001) AS share_of_critical_time
FROM counted
ORDER BY scenario, version, share_of_critical_time DESC, operation;
