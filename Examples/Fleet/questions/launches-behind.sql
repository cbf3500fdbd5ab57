-- Which launches are behind a percentile: three of its bucket, with the operation that each waited for longest? By scenario and version.
WITH grouped AS (
    SELECT scenario, version, bucket, sum(launches) AS n FROM launch_buckets GROUP BY scenario, version, bucket
), cumulated AS (
    SELECT scenario, version, bucket, sum(n) OVER (PARTITION BY scenario, version ORDER BY bucket) AS upto, sum(n) OVER (PARTITION BY scenario, version) AS total
    FROM grouped
), wanted AS (
    SELECT scenario, version, 50 AS percentile, min(CASE WHEN 100 * upto >= 50 * total THEN bucket END) AS bucket FROM cumulated GROUP BY scenario, version
    UNION ALL
    SELECT scenario, version, 90 AS percentile, min(CASE WHEN 100 * upto >= 90 * total THEN bucket END) AS bucket FROM cumulated GROUP BY scenario, version
    UNION ALL
    SELECT scenario, version, 99 AS percentile, min(CASE WHEN 100 * upto >= 99 * total THEN bucket END) AS bucket FROM cumulated GROUP BY scenario, version
), found AS (
    SELECT l.scenario AS scenario, l.version AS version, w.percentile AS percentile, l.launch_id AS launch_id, l.day AS day, l.device_class AS device_class,
        l.start_type AS start_type, l.measured_ms AS measured_ms,
        row_number() OVER (PARTITION BY l.scenario, l.version, w.percentile ORDER BY l.launch_id) AS place
    FROM launches AS l JOIN wanted AS w ON l.scenario = w.scenario AND l.version = w.version
        AND CAST(ceil(64 * log2(greatest(l.measured_ms, 0.000001))) AS INTEGER) = w.bucket
    WHERE l.outcome = 'completed'
), chosen AS (
    SELECT * FROM found WHERE place <= 3
), blamed AS (
    SELECT launch_id, operation, duration_ms, row_number() OVER (PARTITION BY launch_id ORDER BY duration_ms DESC, operation) AS place
    FROM launch_operations
    WHERE critical AND launch_id IN (SELECT launch_id FROM chosen)
)
SELECT c.scenario AS scenario, c.version AS version, c.percentile AS percentile, c.launch_id AS launch_id, c.day AS day, c.device_class AS device_class,
    c.start_type AS start_type, c.measured_ms AS measured_ms, b.operation AS longest_operation, b.duration_ms AS longest_ms
FROM chosen AS c LEFT JOIN (SELECT launch_id, operation, duration_ms FROM blamed WHERE place = 1) AS b ON c.launch_id = b.launch_id
ORDER BY scenario, version, percentile, launch_id;
