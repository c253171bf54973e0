"""The five streams. Each says only which commands it takes and how it looks at its events."""
