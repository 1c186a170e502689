"""The chart lock: pulls what it pins, writes digests and images into it, and fills a folder of charts."""
