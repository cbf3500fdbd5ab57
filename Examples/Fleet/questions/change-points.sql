-- Since when is something slower or faster: the days on which a series changes its level?
--
-- Series: the 90th percentile of a scenario, and the geometric mean of an operation, day by day, for each device class, days with 20 launches or more. Pettitt's
-- test says whether a series changes (Pettitt 1979, A non-parametric approach to the change-point problem; it asks for no distribution, and takes
-- days as independent), the largest contrast of means where (Hinkley 1970, Inference about the change-point in a sequence of random variables); the days before and after it are tested again (binary segmentation, Vostrikova 1981), so a series has three changes at
-- the most. `q_value` is Benjamini and Hochberg's over all tests. A rollout is a change too, a slow one, of those that `differences-by-class`
-- names. Only changes of a relevant ratio are listed, with q at `rate` or below.
WITH grouped AS (
    SELECT scenario, device_class, day, bucket, sum(launches) AS n FROM launch_buckets GROUP BY scenario, device_class, day, bucket
), cumulated AS (
    SELECT scenario, device_class, day, power(2, (bucket - 0.5) / 64) AS ms,
        sum(n) OVER (PARTITION BY scenario, device_class, day ORDER BY bucket) AS upto, sum(n) OVER (PARTITION BY scenario, device_class, day) AS total
    FROM grouped
), series AS (
    SELECT 'p90 of scenario' AS kind, scenario AS name, device_class, 0 AS segment, day, ln(min(CASE WHEN 100 * upto >= 90 * total THEN ms END)) AS value
    FROM cumulated
    GROUP BY scenario, device_class, day
    HAVING max(total) >= 20
    UNION ALL
    SELECT 'operation' AS kind, operation AS name, device_class, 0 AS segment, day, avg(ln(duration_ms)) AS value
    FROM launch_operations
    WHERE outcome = 'succeeded' AND duration_ms > 0
    GROUP BY operation, device_class, day
    HAVING count(*) >= 20
), first_ranked AS (
    SELECT kind, name, device_class, segment, day, value, count(*) OVER (PARTITION BY kind, name, device_class, segment) AS n,
        rank() OVER (PARTITION BY kind, name, device_class, segment ORDER BY value)
            + (count(*) OVER (PARTITION BY kind, name, device_class, segment, value) - 1) / 2.0 AS place
    FROM series
), first_summed AS (
    SELECT kind, name, device_class, segment, day, n, lead(day) OVER (PARTITION BY kind, name, device_class, segment ORDER BY day) AS next_day,
        sum(place) OVER (PARTITION BY kind, name, device_class, segment ORDER BY day) AS places,
        sum(value) OVER (PARTITION BY kind, name, device_class, segment ORDER BY day) AS sum_before,
        sum(value) OVER (PARTITION BY kind, name, device_class, segment) AS sum_all,
        row_number() OVER (PARTITION BY kind, name, device_class, segment ORDER BY day) AS t
    FROM first_ranked
), first_split AS (
    SELECT kind, name, device_class, segment, day, next_day, n, max(abs(2 * places - t * (n + 1))) OVER (PARTITION BY kind, name, device_class, segment) AS u,
        abs(sum_before - t * sum_all / n) / sqrt(t * CAST(n - t AS DOUBLE)) AS contrast
    FROM first_summed
    WHERE t < n AND n >= 8
), first_largest AS (
    SELECT kind, name, device_class, segment, next_day, least(1, 2 * exp(-6 * u * u / (power(n, 3) + power(n, 2)))) AS p,
        row_number() OVER (PARTITION BY kind, name, device_class, segment ORDER BY contrast DESC, day) AS place
    FROM first_split
), first AS (
    SELECT kind, name, device_class, segment, next_day AS day, p FROM first_largest WHERE place = 1
), segments AS (
    SELECT s.kind AS kind, s.name AS name, s.device_class AS device_class, CASE WHEN s.day < f.day THEN 1 ELSE 2 END AS segment, s.day AS day, s.value AS value
    FROM series AS s JOIN first AS f ON s.kind = f.kind AND s.name = f.name AND s.device_class = f.device_class
    WHERE f.p <= :rate
), second_ranked AS (
    SELECT kind, name, device_class, segment, day, value, count(*) OVER (PARTITION BY kind, name, device_class, segment) AS n,
        rank() OVER (PARTITION BY kind, name, device_class, segment ORDER BY value)
            + (count(*) OVER (PARTITION BY kind, name, device_class, segment, value) - 1) / 2.0 AS place
    FROM segments
), second_summed AS (
    SELECT kind, name, device_class, segment, day, n, lead(day) OVER (PARTITION BY kind, name, device_class, segment ORDER BY day) AS next_day,
        sum(place) OVER (PARTITION BY kind, name, device_class, segment ORDER BY day) AS places,
        sum(value) OVER (PARTITION BY kind, name, device_class, segment ORDER BY day) AS sum_before,
        sum(value) OVER (PARTITION BY kind, name, device_class, segment) AS sum_all,
        row_number() OVER (PARTITION BY kind, name, device_class, segment ORDER BY day) AS t
    FROM second_ranked
), second_split AS (
    SELECT kind, name, device_class, segment, day, next_day, n, max(abs(2 * places - t * (n + 1))) OVER (PARTITION BY kind, name, device_class, segment) AS u,
        abs(sum_before - t * sum_all / n) / sqrt(t * CAST(n - t AS DOUBLE)) AS contrast
    FROM second_summed
    WHERE t < n AND n >= 8
), second_largest AS (
    SELECT kind, name, device_class, segment, next_day, least(1, 2 * exp(-6 * u * u / (power(n, 3) + power(n, 2)))) AS p,
        row_number() OVER (PARTITION BY kind, name, device_class, segment ORDER BY contrast DESC, day) AS place
    FROM second_split
), second AS (
    SELECT kind, name, device_class, segment, next_day AS day, p FROM second_largest WHERE place = 1
), tests AS (
    SELECT * FROM first UNION ALL SELECT * FROM second
), ordered AS (
    SELECT kind, name, device_class, segment, day, p, row_number() OVER (ORDER BY p, kind, name, device_class, segment) AS place, count(*) OVER () AS n FROM tests
), stepped AS (
    SELECT kind, name, device_class, segment, day, p, least(1, min(p * n / place) OVER (ORDER BY place DESC)) AS q FROM ordered
), members AS (
    SELECT kind, name, device_class, 0 AS segment, day, value FROM series UNION ALL SELECT kind, name, device_class, segment, day, value FROM segments
), levels AS (
    SELECT c.kind AS kind, c.name AS name, c.device_class AS device_class, c.segment AS segment, c.day AS day, c.p AS p, c.q AS q,
        avg(CASE WHEN m.day < c.day THEN m.value END) AS before, avg(CASE WHEN m.day >= c.day THEN m.value END) AS after
    FROM stepped AS c JOIN members AS m ON c.kind = m.kind AND c.name = m.name AND c.device_class = m.device_class AND c.segment = m.segment
    WHERE c.q <= :rate
    GROUP BY c.kind, c.name, c.device_class, c.segment, c.day, c.p, c.q
)
SELECT kind, name, device_class, day, exp(before) AS before_ms, exp(after) AS after_ms, exp(after - before) AS ratio, p AS p_value, q AS q_value
FROM levels
WHERE abs(after - before) >= ln(1 + :relevant)
ORDER BY kind, name, device_class, day;
