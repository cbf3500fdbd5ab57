-- How often is a budget missed, and that of the initial display by itself, by scenario, version and device class?
--
-- A launch has missed where either verdict is fail. `display_launches` have a verdict on the budget of the initial display: it has none without such a budget, and
-- where it was not wanted. 95 % intervals by Wilson's score, which holds for small counts and for rates near 0 (Wilson 1927; Brown, Cai, DasGupta 2001, Interval
-- Estimation for a Binomial Proportion).
WITH counted AS (
    SELECT scenario, version, device_class, CAST(count(*) AS DOUBLE) AS n,
        CAST(sum(CASE WHEN verdict = 'fail' OR initial_display_verdict = 'fail' THEN 1 ELSE 0 END) AS DOUBLE) AS k,
        nullif(CAST(sum(CASE WHEN initial_display_verdict IN ('pass', 'fail') THEN 1 ELSE 0 END) AS DOUBLE), 0) AS dn,
        CAST(sum(CASE WHEN initial_display_verdict = 'fail' THEN 1 ELSE 0 END) AS DOUBLE) AS dk
    FROM launches
    WHERE kind = 'report'
    GROUP BY scenario, version, device_class
)
SELECT scenario, version, device_class, n AS launches, k AS misses, k / n AS rate,
    greatest(0, (k + 1.920729 - 1.959964 * sqrt(k * (n - k) / n + 0.960365)) / (n + 3.841459)) AS rate_low,
    (k + 1.920729 + 1.959964 * sqrt(k * (n - k) / n + 0.960365)) / (n + 3.841459) AS rate_high,
    coalesce(dn, 0) AS display_launches, dk AS display_misses, dk / dn AS display_rate,
    CASE WHEN dn > 0 THEN greatest(0, (dk + 1.920729 - 1.959964 * sqrt(dk * (dn - dk) / dn + 0.960365)) / (dn + 3.841459)) END AS display_rate_low,
    (dk + 1.920729 + 1.959964 * sqrt(dk * (dn - dk) / dn + 0.960365)) / (dn + 3.841459) AS display_rate_high
FROM counted
ORDER BY scenario, version, device_class;
