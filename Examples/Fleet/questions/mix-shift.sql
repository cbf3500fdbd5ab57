-- Is a version slower, or is it on slower devices? What the ratio of two versions' times is made of, by scenario.
--
-- An aggregate may rise while no group does (Simpson 1951, The interpretation of interaction in contingency tables). `raw_ratio`, of geometric means of all completed
-- launches, is the product of three: `devices_ratio`, another mix of device classes and start types (the rate and composition parts of Kitagawa 1955, Components of a
-- difference between two rates; a class that only one version has is composition); `calendar_ratio`, what is left, which is other days; and `version_ratio`, the
-- difference on the same days, devices and start types, with its 95 % interval. `mix_shift` is true where the mix of devices alone makes a relevant difference;
-- `finding` goes by the interval of each scenario by itself, and is 'not sure' where that has relevant differences and others. Scenarios are listed that each version ran
-- 30 times or more on the same days, devices and start types. Launches that say no device class are left out, unless no launch says one.
WITH strata AS (
    SELECT scenario, start_type, device_class, version, CAST(count(*) AS DOUBLE) AS n, avg(ln(measured_ms)) AS mean
    FROM launches
    WHERE version IN (:baseline, :candidate) AND :baseline <> :candidate AND outcome = 'completed' AND measured_ms > 0
        AND (device_class <> '' OR (SELECT max(device_class) FROM launches) = '')
    GROUP BY scenario, start_type, device_class, version
), shares AS (
    SELECT scenario, start_type, device_class, version, mean, n / sum(n) OVER (PARTITION BY scenario, version) AS share
    FROM strata
), sides AS (
    SELECT scenario, start_type, device_class,
        coalesce(max(CASE WHEN version = :baseline THEN share END), 0) AS s1, coalesce(max(CASE WHEN version = :candidate THEN share END), 0) AS s2,
        coalesce(max(CASE WHEN version = :baseline THEN mean END), max(mean)) AS m1, coalesce(max(CASE WHEN version = :candidate THEN mean END), max(mean)) AS m2
    FROM shares
    GROUP BY scenario, start_type, device_class
), parts AS (
    SELECT scenario, sum(s2 * m2 - s1 * m1) AS raw, sum((s2 - s1) * (m1 + m2) / 2) AS devices, sum(CASE WHEN s1 = 0 THEN s2 ELSE 0 END) AS new_share
    FROM sides
    GROUP BY scenario
    HAVING sum(s1) > 0 AND sum(s2) > 0
), daily AS (
    SELECT day, scenario, start_type, device_class, version, CAST(count(*) AS DOUBLE) AS n, avg(ln(measured_ms)) AS mean, var_samp(ln(measured_ms)) AS variance
    FROM launches
    WHERE version IN (:baseline, :candidate) AND :baseline <> :candidate AND outcome = 'completed' AND measured_ms > 0
        AND (device_class <> '' OR (SELECT max(device_class) FROM launches) = '')
    GROUP BY day, scenario, start_type, device_class, version
), pairs AS (
    SELECT b.scenario AS scenario, b.n AS n1, a.n AS n2, b.n * a.n / (b.n + a.n) AS weight, a.mean - b.mean AS difference, b.variance / b.n + a.variance / a.n AS variance
    FROM daily AS b JOIN daily AS a ON b.day = a.day AND b.scenario = a.scenario AND b.start_type = a.start_type AND b.device_class = a.device_class
    WHERE b.version = :baseline AND a.version = :candidate AND b.n > 1 AND a.n > 1
), versions AS (
    SELECT scenario, sum(weight * difference) / sum(weight) AS d, sqrt(sum(weight * weight * variance)) / sum(weight) AS se
    FROM pairs
    GROUP BY scenario
    HAVING sum(n1) >= 30 AND sum(n2) >= 30
)
SELECT p.scenario AS scenario, exp(p.raw) AS raw_ratio, exp(p.devices) AS devices_ratio, exp(p.raw - p.devices - v.d) AS calendar_ratio, exp(v.d) AS version_ratio,
    exp(v.d - 1.959964 * v.se) AS version_ratio_low, exp(v.d + 1.959964 * v.se) AS version_ratio_high, p.new_share AS share_of_new_groups,
    abs(p.devices) >= ln(1 + :relevant) AS mix_shift,
    CASE WHEN v.d - 1.959964 * v.se > ln(1 + :relevant) THEN 'slower' WHEN v.d + 1.959964 * v.se < -ln(1 + :relevant) THEN 'faster'
        WHEN v.d - 1.959964 * v.se > -ln(1 + :relevant) AND v.d + 1.959964 * v.se < ln(1 + :relevant) THEN 'no relevant difference' ELSE 'not sure' END AS finding
FROM parts AS p JOIN versions AS v ON p.scenario = v.scenario
ORDER BY scenario;
