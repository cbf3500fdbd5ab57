-- Which share of all critical time is each operation's own, day by day? Operations that are on no critical path of a day are left out of it.
WITH blamed AS (
    SELECT day, operation, count(*) AS n, sum(coalesce(duration_ms, 0)) AS ms FROM launch_operations WHERE critical GROUP BY day, operation
)
SELECT day, operation, n AS critical_launches, ms / n AS mean_critical_ms, ms / greatest(sum(ms) OVER (PARTITION BY day), 0.000001) AS share_of_critical_time
FROM blamed
ORDER BY day, operation;
