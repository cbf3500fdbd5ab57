-- A file a day and version, for what is kept for years.
COPY launches TO :launches (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day, version), OVERWRITE_OR_IGNORE);
COPY launch_operations TO :operations (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (day, version), OVERWRITE_OR_IGNORE);
