-- What became of the lines of each file: taken, repeated (their launch was there), aside, and taken of a newer schema as far as it is known.
SELECT file, sum(lines) AS lines, sum(taken) AS taken, sum(repeated) AS repeated, sum(aside) AS aside, sum(newer) AS newer FROM loads GROUP BY file ORDER BY file;
