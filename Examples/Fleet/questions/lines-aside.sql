-- How many lines are kept aside, and why? They are in `lines_aside` as they came.
SELECT reason, count(*) AS lines FROM lines_aside GROUP BY reason ORDER BY reason;
