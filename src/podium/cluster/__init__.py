"""Jobs about one history, spread over processes, executors or a Dask cluster."""
