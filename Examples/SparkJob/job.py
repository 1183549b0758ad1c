"""A Spark job: every entry and exit of a fleet, and how many a day each region has.

    spark-submit job.py --regions cities.vicinity --tracks fixes.parquet --output out

Regions are an index file (vicinity index, or RegionIndex.save). Tracks are Parquet with the columns device, time (a timestamp, or
seconds since 1970), latitude and longitude. OUT/events gets the events as Parquet, OUT/days a row for each region and day. The
workers need the wheel, pyarrow and pandas below 3; no JAR is needed.
"""

import argparse

from pyspark.sql import SparkSession
from pyspark.sql import functions as f
from vicinity import RegionIndex
from vicinity import spark as vs


def main():
    """Read, find the events, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--regions", "--tracks", "--output"):
        parser.add_argument(name, required=True)
    options = parser.parse_args()
    spark = (
        SparkSession.builder.appName("entries and exits")
        # Fewer, larger calls: see "Sizes" on the page What Spark costs.
        .config("spark.sql.execution.arrow.maxRecordsPerBatch", "100000")
        .config("spark.sql.execution.arrow.maxBytesPerBatch", "2147483647")
        .config("spark.sql.session.timeZone", "UTC")
        # Parquet's own timestamps, with their zone, in place of Spark's old ones.
        .config("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")
        .getOrCreate()
    )
    # Each executor fetches the index once, and all of its Python workers map the one copy.
    index = vs.ship(spark, RegionIndex.open(options.regions))
    tracks = spark.read.parquet(options.tracks).select("device", "time", "latitude", "longitude")
    events = vs.events(tracks, index)
    # Written, then read again: otherwise Spark would find the events once for each of the two results.
    events.write.mode("overwrite").parquet(f"{options.output}/events")
    events = spark.read.parquet(f"{options.output}/events")
    days = (
        events.groupBy("region", f.to_date("time").alias("day"))
        .agg(
            f.count_if(f.col("kind") == "enter").alias("entries"),
            f.count_if(f.col("kind") == "exit").alias("exits"),
            f.countDistinct("device").alias("devices"),
        )
        .orderBy("day", "region")
    )
    days.write.mode("overwrite").parquet(f"{options.output}/days")
    days.show(20, truncate=False)
    spark.stop()


if __name__ == "__main__":
    main()
