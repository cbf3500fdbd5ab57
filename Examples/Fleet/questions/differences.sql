-- Which operations got slower or faster from version `baseline` to version `candidate`, and is that sure?
--
-- Launches are compared with launches of the same day, scenario, start type and device class, so that neither a new mix of devices nor a slow day of a server
-- is taken for a difference of versions: the difference of mean logarithms in each such stratum, weighted by n1 n2 / (n1 + n2) (as Mantel and Haenszel
-- weigh strata), with Welch's variance. `ratio` is that of geometric means; its interval holds with 95 % confidence for each row by itself.
--
-- With millions of launches every difference is significant, so `p_value` is that of a difference of at most `relevant` (Hodges and Lehmann 1954, Testing the
-- approximate validity of statistical hypotheses); the normal tail is that of Zelen and Severo (Abramowitz and Stegun, 26.2.17). `q_value` is that of
-- Benjamini and Hochberg 1995 over all rows: of those called slower or faster, a share of `rate` is wrong at the most, on average. Times of operations depend on each
-- other; `q_value_any` (Benjamini and Yekutieli 2001) holds however they do. Operations that succeeded count: one that fails more often is in `outcomes`. Launches
-- that say no device class are a mix of their own, and left out, unless no launch says one. `finding` is 'no relevant difference' where the whole interval is within
-- `relevant`, and 'not sure' where it is not, though no difference is sure.
WITH strata AS (
    SELECT operation, day, scenario, start_type, device_class, version, count(*) AS n, avg(ln(duration_ms)) AS mean, var_samp(ln(duration_ms)) AS variance
    FROM launch_operations
    WHERE version IN (:baseline, :candidate) AND :baseline <> :candidate AND outcome = 'succeeded' AND duration_ms > 0
        AND (device_class <> '' OR (SELECT max(device_class) FROM launches) = '')
    GROUP BY operation, day, scenario, start_type, device_class, version
), before AS (
    SELECT * FROM strata WHERE version = :baseline AND n > 1
), after AS (
    SELECT * FROM strata WHERE version = :candidate AND n > 1
), pairs AS (
    SELECT b.operation AS operation, b.n AS n1, a.n AS n2, b.n * a.n / CAST(b.n + a.n AS DOUBLE) AS weight,
        a.mean - b.mean AS difference, b.variance / b.n + a.variance / a.n AS variance
    FROM before AS b JOIN after AS a
        ON b.operation = a.operation AND b.day = a.day AND b.scenario = a.scenario AND b.start_type = a.start_type AND b.device_class = a.device_class
), estimates AS (
    SELECT operation, sum(n1) AS baseline_launches, sum(n2) AS candidate_launches, sum(weight * difference) / sum(weight) AS d,
        greatest(sqrt(sum(weight * weight * variance)) / sum(weight), 0.000000001) AS se
    FROM pairs
    GROUP BY operation
    HAVING sum(n1) >= 30 AND sum(n2) >= 30
), deviations AS (
    SELECT operation, baseline_launches, candidate_launches, d, se,
        abs((abs(d) - ln(1 + :relevant)) / se) AS near, abs(d) < ln(1 + :relevant) AS is_within, (abs(d) + ln(1 + :relevant)) / se AS far
    FROM estimates
), tails AS (
    SELECT operation, baseline_launches, candidate_launches, d, se, is_within, near, far, 1 / (1 + 0.2316419 * near) AS t, 1 / (1 + 0.2316419 * far) AS u
    FROM deviations
), sides AS (
    SELECT operation, baseline_launches, candidate_launches, d, se, is_within,
        0.3989422804 * exp(-0.5 * near * near) * t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429)))) AS near_tail,
        0.3989422804 * exp(-0.5 * far * far) * u * (0.31938153 + u * (-0.356563782 + u * (1.781477937 + u * (-1.821255978 + u * 1.330274429)))) AS far_tail
    FROM tails
), tested AS (
    SELECT operation, baseline_launches, candidate_launches, d, se, least(1, CASE WHEN is_within THEN 1 - near_tail ELSE near_tail END + far_tail) AS p
    FROM sides
), ordered AS (
    SELECT operation, baseline_launches, candidate_launches, d, se, p, row_number() OVER (ORDER BY p, operation) AS place, count(*) OVER () AS tests
    FROM tested
), stepped AS (
    SELECT operation, baseline_launches, candidate_launches, d, se, p, least(1, min(p * tests / place) OVER (ORDER BY place DESC)) AS q,
        sum(1 / CAST(place AS DOUBLE)) OVER () AS harmonic
    FROM ordered
)
SELECT operation, baseline_launches, candidate_launches, exp(d) AS ratio, exp(d - 1.959964 * se) AS ratio_low, exp(d + 1.959964 * se) AS ratio_high,
    p AS p_value, q AS q_value, least(1, q * harmonic) AS q_value_any,
    CASE WHEN q <= :rate AND d > 0 THEN 'slower' WHEN q <= :rate THEN 'faster' WHEN abs(d) + 1.959964 * se < ln(1 + :relevant) THEN 'no relevant difference'
        ELSE 'not sure' END AS finding
FROM stepped
ORDER BY q, p, operation;
