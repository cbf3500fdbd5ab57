-- Which operations are launches waiting for: on how many critical paths is each, for how long, and which share of all critical time is its own?
--
-- By scenario and version. The interval of `critical_rate` is Wilson's, 95 %.
WITH totals AS (
    SELECT scenario, version, CAST(count(*) AS DOUBLE) AS n FROM launches WHERE kind = 'report' GROUP BY scenario, version
), blamed AS (
    SELECT scenario, version, operation, CAST(sum(CASE WHEN critical THEN 1 ELSE 0 END) AS DOUBLE) AS k,
        sum(CASE WHEN critical THEN coalesce(duration_ms, 0) ELSE 0 END) AS ms
    FROM launch_operations
    GROUP BY scenario, version, operation
)
SELECT b.scenario AS scenario, b.version AS version, b.operation AS operation, t.n AS launches, b.k AS critical_launches, b.k / t.n AS critical_rate,
    greatest(0, (b.k + 1.920729 - 1.959964 * sqrt(b.k * (t.n - b.k) / t.n + 0.960365)) / (t.n + 3.841459)) AS critical_rate_low,
    (b.k + 1.920729 + 1.959964 * sqrt(b.k * (t.n - b.k) / t.n + 0.960365)) / (t.n + 3.841459) AS critical_rate_high,
    CASE WHEN b.k > 0 THEN b.ms / b.k END AS mean_critical_ms,
    b.ms / greatest(sum(b.ms) OVER (PARTITION BY b.scenario, b.version), 0.000001) AS share_of_critical_time
FROM blamed AS b JOIN totals AS t ON b.scenario = t.scenario AND b.version = t.version
ORDER BY scenario, version, share_of_critical_time DESC, operation;
