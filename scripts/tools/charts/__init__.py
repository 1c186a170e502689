"""Chart lock file: downloads the pinned charts, records digests and images, and fills chart folders."""
