"""The metadata inside Parquet files, which are checked before pyarrow relies on them."""
