-- How are the times of completed launches distributed, by scenario and version? Eight buckets of the sketch are one here: a step is 9 %.
WITH grouped AS (
    SELECT scenario, version, CAST(floor((bucket - 1) / 8.0) AS INTEGER) AS step, sum(launches) AS n
    FROM launch_buckets
    GROUP BY scenario, version, CAST(floor((bucket - 1) / 8.0) AS INTEGER)
)
SELECT scenario, version, step, power(2, step / 8.0) AS from_ms, power(2, (step + 1) / 8.0) AS to_ms, n AS launches,
    n / CAST(sum(n) OVER (PARTITION BY scenario, version) AS DOUBLE) AS share
FROM grouped
ORDER BY scenario, version, step;
