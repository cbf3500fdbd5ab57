"""Spark: in this process, or as a cluster of a master and workers that are processes of their own."""
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time

import engines


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Cluster:
    """A master and workers on this machine, each in a process group of its own, so that a worker is killed together with its executor."""

    def __init__(self, folder, workers=2, seconds=90):
        import pyspark

        self.folder, self.home, self.processes, self.workers = pathlib.Path(folder), pathlib.Path(pyspark.__file__).parent, [], []
        port = free_port()
        self.url = f"spark://127.0.0.1:{port}"
        try:
            master = self.start("master", "org.apache.spark.deploy.master.Master", "--host", "127.0.0.1", "--port", str(port), "--webui-port", "0")
            self.wait(master, "master", "I have been elected leader", seconds)
            for number in range(workers):
                worker = self.start(f"worker-{number}", "org.apache.spark.deploy.worker.Worker", "--host", "127.0.0.1", "--cores", "1", "--memory", "1g",
                                    "--webui-port", "0", "--work-dir", str(self.folder / f"work-{number}"), self.url)
                self.workers.append(worker)
                self.wait(worker, f"worker-{number}", "Successfully registered with master", seconds)
        except BaseException:
            self.close()
            raise

    def start(self, name, *words):
        environment = {**os.environ, "SPARK_HOME": str(self.home), "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": sys.executable, "SPARK_DAEMON_MEMORY": "256m"}
        with (self.folder / f"{name}.log").open("wb") as log:
            process = subprocess.Popen([str(self.home / "bin" / "spark-class"), *words], stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT,
                                       env=environment, preexec_fn=os.setpgrp)
        self.processes.append(process)
        return process

    def wait(self, process, name, words, seconds):
        log, end = self.folder / f"{name}.log", time.monotonic() + seconds
        while words not in log.read_text(encoding="utf-8", errors="replace"):
            if process.poll() is not None or time.monotonic() > end:
                raise RuntimeError(f"Spark's {name} is not ready: {log.read_text(encoding='utf-8', errors='replace')[-500:]}")
            time.sleep(0.1)

    def kill(self, worker):
        """As a machine ends whose power is cut: the worker and its executor, at once."""
        os.killpg(worker.pid, signal.SIGKILL)
        worker.wait()

    def close(self):
        for process in reversed(self.processes):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
            process.wait()


class Spark(engines.Engine):
    name = "spark"
    literal = staticmethod(engines.escaped_literal)

    def __init__(self, store=None, threads=None, master=None):
        from pyspark.sql import SparkSession

        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
        settings = {
            "spark.driver.memory": "1g", "spark.executor.memory": "768m", "spark.ui.enabled": "false", "spark.ui.showConsoleProgress": "false",
            "spark.sql.session.timeZone": "UTC", "spark.sql.shuffle.partitions": "8", "spark.sql.files.maxPartitionBytes": "16m", "spark.driver.host": "127.0.0.1",
            "spark.log.level": "ERROR",
        }
        builder = SparkSession.builder.appName("fleet").master(master or f"local[{threads or 2}]")
        for name, value in settings.items():
            builder = builder.config(name, value)
        self.session, self.files = builder.getOrCreate(), []

    def load(self, path):
        """Takes a file together with those before it: the views are made anew."""
        from pyspark.sql.functions import col, regexp_replace

        path = engines.plain_path(pathlib.Path(path).resolve())
        if path not in self.files:
            self.files.append(path)
        self.session.catalog.clearCache()
        lines = self.session.read.text(self.files)
        lines.select(regexp_replace(col("_metadata.file_path"), "^file:/+", "/").alias("file"), col("value").alias("line")).createOrReplaceTempView("arrived")
        self.script("load")

    def keep(self, folder):
        for table, name in (("launches", "launches"), ("operations", "launch_operations")):
            self.session.table(name).write.mode("overwrite").partitionBy("day", "version").option("compression", "zstd").parquet(str(folder / table))

    def run(self, statement):
        self.session.sql(statement)

    def rows(self, statement):
        return [{name: engines.plain(value) for name, value in row.asDict().items()} for row in self.session.sql(statement).collect()]

    def running(self):
        """The numbers of tasks, done and running, of the stages that run now."""
        tracker = self.session.sparkContext.statusTracker()
        found = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
        return sum(each.numCompletedTasks for each in found if each), sum(each.numActiveTasks for each in found if each)

    def close(self):
        self.session.stop()


engines.ENGINES[Spark.name] = Spark
