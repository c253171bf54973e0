"""One module for each scenario; each answers a `bench.report.Section`."""
