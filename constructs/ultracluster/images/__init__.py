"""Container images: repositories, and caches of other registries."""

from ultracluster.images.image_cache import (
    ImageCache,
    ImageCacheProps,
    ImageCacheRole,
    ImageCacheRoleProps,
)
from ultracluster.images.image_repository import ImageRepository, ImageRepositoryProps

__all__ = [
    "ImageCache",
    "ImageCacheProps",
    "ImageCacheRole",
    "ImageCacheRoleProps",
    "ImageRepository",
    "ImageRepositoryProps",
]
