-- How often do launches crash, and how many are in a loop: begun after three launches in a row that had died? By version and device class.
--
-- Wilson's intervals, 95 %. A crash is a line of its own, `sequencer.crash/1`.
WITH counted AS (
    SELECT version, device_class, CAST(count(*) AS DOUBLE) AS n, CAST(sum(CASE WHEN kind = 'crash' THEN 1 ELSE 0 END) AS DOUBLE) AS k,
        sum(CASE WHEN crashes_before >= 3 THEN 1 ELSE 0 END) AS loops, max(crashes_before) AS longest
    FROM launches
    GROUP BY version, device_class
)
SELECT version, device_class, n AS launches, k AS crashes, k / n AS rate,
    greatest(0, (k + 1.920729 - 1.959964 * sqrt(k * (n - k) / n + 0.960365)) / (n + 3.841459)) AS rate_low,
    (k + 1.920729 + 1.959964 * sqrt(k * (n - k) / n + 0.960365)) / (n + 3.841459) AS rate_high, loops AS launches_in_loops, longest AS most_crashes_before
FROM counted
ORDER BY version, device_class;
