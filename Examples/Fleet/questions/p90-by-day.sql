-- What is the 90th percentile of completed launches, day by day, by scenario and device class? From the sketch: off by 0.55 % at the most.
WITH grouped AS (
    SELECT scenario, device_class, day, bucket, sum(launches) AS n FROM launch_buckets GROUP BY scenario, device_class, day, bucket
), cumulated AS (
    SELECT scenario, device_class, day, power(2, (bucket - 0.5) / 64) AS ms,
        sum(n) OVER (PARTITION BY scenario, device_class, day ORDER BY bucket) AS upto, sum(n) OVER (PARTITION BY scenario, device_class, day) AS total
    FROM grouped
)
SELECT scenario, device_class, day, max(total) AS launches, min(CASE WHEN 100 * upto >= 90 * total THEN ms END) AS p90_ms
FROM cumulated
GROUP BY scenario, device_class, day
ORDER BY scenario, device_class, day;
