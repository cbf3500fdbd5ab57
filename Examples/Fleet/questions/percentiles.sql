-- How long do completed launches take, by scenario, version, start type and device class?
--
-- Nearest ranks, from the sketch: each is off by 0.55 % of itself at the most. The interval of the 90th percentile holds with 95 % confidence: order
-- statistics by the normal approximation of their ranks (Conover, Practical Nonparametric Statistics, 3.2), widened to the buckets' edges; null where
-- there are too few launches for one.
WITH grouped AS (
    SELECT scenario, version, start_type, device_class, bucket, sum(launches) AS n
    FROM launch_buckets
    GROUP BY scenario, version, start_type, device_class, bucket
), cumulated AS (
    SELECT scenario, version, start_type, device_class, bucket, power(2, (bucket - 0.5) / 64) AS ms,
        sum(n) OVER (PARTITION BY scenario, version, start_type, device_class ORDER BY bucket) AS upto,
        sum(n) OVER (PARTITION BY scenario, version, start_type, device_class) AS total
    FROM grouped
), ranked AS (
    SELECT scenario, version, start_type, device_class, bucket, ms, upto, total,
        floor(0.9 * total - 1.959964 * sqrt(0.09 * total)) AS low_rank, ceil(0.9 * total + 1.959964 * sqrt(0.09 * total)) + 1 AS high_rank
    FROM cumulated
)
SELECT scenario, version, start_type, device_class, max(total) AS launches,
    min(CASE WHEN 100 * upto >= 50 * total THEN ms END) AS p50_ms,
    min(CASE WHEN 100 * upto >= 75 * total THEN ms END) AS p75_ms,
    min(CASE WHEN 100 * upto >= 90 * total THEN ms END) AS p90_ms,
    min(CASE WHEN 100 * upto >= 95 * total THEN ms END) AS p95_ms,
    min(CASE WHEN 100 * upto >= 99 * total THEN ms END) AS p99_ms,
    min(CASE WHEN low_rank >= 1 AND upto >= low_rank THEN power(2, (bucket - 1) / 64.0) END) AS p90_low_ms,
    min(CASE WHEN upto >= high_rank THEN power(2, bucket / 64.0) END) AS p90_high_ms
FROM ranked
GROUP BY scenario, version, start_type, device_class
ORDER BY scenario, version, start_type, device_class;
