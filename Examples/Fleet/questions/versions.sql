-- Which versions are there, in the order of their first day?
SELECT version, min(day) AS first_day, max(day) AS last_day, count(*) AS launches FROM launches WHERE version <> '' GROUP BY version ORDER BY first_day, version;
