-- At which recovery levels do launches run, by version, and how do they end there? A level that the app did not send is ''.
SELECT version, recovery_level, count(*) AS launches, sum(CASE WHEN outcome = 'completed' THEN 1 ELSE 0 END) AS completed,
    sum(CASE WHEN kind = 'crash' THEN 1 ELSE 0 END) AS crashes
FROM launches
GROUP BY version, recovery_level
ORDER BY version, recovery_level;
