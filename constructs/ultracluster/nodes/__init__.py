"""Constructs for node scripts, node permissions and container images."""

from ultracluster.nodes.image_cache import ImageCache, ImageCacheProps, ImageCacheRole, ImageCacheRoleProps
from ultracluster.nodes.image_repository import ImageRepository, ImageRepositoryProps
from ultracluster.nodes.permissions import NodeAccess, NodeMetricsAccess
from ultracluster.nodes.scripts import NodeScripts, NodeScriptsProps

__all__ = [
    "ImageCache",
    "ImageCacheProps",
    "ImageCacheRole",
    "ImageCacheRoleProps",
    "ImageRepository",
    "ImageRepositoryProps",
    "NodeAccess",
    "NodeMetricsAccess",
    "NodeScripts",
    "NodeScriptsProps",
]
