-- In which operations do launches crash, by version? An operation that nobody knows is ''.
SELECT version, coalesce(ended_by, '') AS operation, count(*) AS crashes
FROM launches
WHERE kind = 'crash'
GROUP BY version, coalesce(ended_by, '')
ORDER BY version, crashes DESC, operation;
