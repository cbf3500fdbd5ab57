-- How often is the budget missed, by scenario, version and device class?
--
-- 95 % intervals by Wilson's score, which holds for small counts and for rates near 0 (Wilson 1927; Brown, Cai, DasGupta 2001, Interval Estimation for a
-- Binomial Proportion).
WITH counted AS (
    SELECT scenario, version, device_class, CAST(count(*) AS DOUBLE) AS n, CAST(sum(CASE WHEN verdict = 'fail' THEN 1 ELSE 0 END) AS DOUBLE) AS k
    FROM launches
    WHERE kind = 'report'
    GROUP BY scenario, version, device_class
)
SELECT scenario, version, device_class, n AS launches, k AS misses, k / n AS rate,
    greatest(0, (k + 1.920729 - 1.959964 * sqrt(k * (n - k) / n + 0.960365)) / (n + 3.841459)) AS rate_low,
    (k + 1.920729 + 1.959964 * sqrt(k * (n - k) / n + 0.960365)) / (n + 3.841459) AS rate_high
FROM counted
ORDER BY scenario, version, device_class;
