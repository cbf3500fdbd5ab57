-- Which versions are there, in the order in which they came?
--
-- A version has come by the day up to which a twentieth of its launches ran (`came_day`): its first day is that of a clock that is wrong, or of a launch without one.
WITH daily AS (
    SELECT version, day, count(*) AS n FROM launches WHERE version <> '' GROUP BY version, day
), cumulated AS (
    SELECT version, day, sum(n) OVER (PARTITION BY version ORDER BY day) AS upto, sum(n) OVER (PARTITION BY version) AS total FROM daily
)
SELECT version, min(day) AS first_day, min(CASE WHEN 20 * upto >= total THEN day END) AS came_day, max(day) AS last_day, max(total) AS launches
FROM cumulated
GROUP BY version
ORDER BY came_day, version;
